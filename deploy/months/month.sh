#!/bin/sh
# A month of a history as a dataset of its own: the task of an array of Slurm, or of the Job in kubernetes.yaml.
#
#   export STORE=s3://data/history FIRST=2021-01 PRESET=mixpanel EXPORT=mixpanel     # and the keys of vendor and bucket
#   sbatch --array=0-35%4 --mem=1G month.sh                                          # 36 months, four at once
#
# EXPORT names the vendor that is asked for the month; without it, its records lie in $STORE/raw/2021-01 and so on already.
# Vendors limit exports, so only a few can run at once. A task that failed may be submitted again by its number
# (--array=7): windows that came are not asked for again, and the month's dataset is made anew, to the same bytes.
# When all have ended, import.sh imports them. docs/scale.md says what differs from one transform of the whole.
set -eu

index=${JOB_COMPLETION_INDEX:-${SLURM_ARRAY_TASK_ID:?the number of the task}}
# name COUNT: the month that is so many months after January of the year 0.
name() { printf '%04d-%02d' $(($1 / 12)) $(($1 % 12 + 1)); }
of_year=${FIRST#*-}
count=$((${FIRST%-*} * 12 + ${of_year#0} - 1 + index))
month=$(name "$count") next=$(name $((count + 1)))

if [ -n "${EXPORT:-}" ]; then
  posthaul export "$EXPORT" --from "$month-01" --to "$next-01" --out "$STORE/raw/$month"
fi
# A dataset in a bucket is sorted on a disk of the machine; in a folder, it has its work files within.
work=
case $STORE in s3://*) work=${WORK_DIR:-${TMPDIR:-/tmp}/posthaul} ;; esac
# An id of its own, by which verify and undo tell its events from those of the other months.
posthaul transform --preset "$PRESET" --in "$STORE/raw/$month" --out "$STORE/events/$month" \
  --import-id "posthaul-$month" ${work:+--work-dir "$work"} || {
  code=$?
  # 3: done, with rejects.
  [ "$code" -eq 3 ] || exit "$code"
}
