#!/usr/bin/env bash
# A fleet on Slurm: arrays of `posthaul fleet run`, a stage after the other, and `posthaul fleet finish` last.
#
#   posthaul fleet plan --preset mixpanel --in s3://data/raw --out s3://data/events --tasks 40
#   OUT=s3://data/events TASKS=40 bash slurm.sh
#
# `fleet plan` says which stages there are: if not these three, STAGES="links people map generate seal"; and what memory and disk
# a task of each takes: MAP_MIB, GENERATE_MIB, SEAL_MIB, for another one LINKS_MIB, and DISK_GIB.
# Tasks have the variables of this shell, credentials too. Partition, account and time limit are those of SBATCH_PARTITION,
# SBATCH_ACCOUNT and SBATCH_TIMELIMIT. `posthaul` is in the path of the nodes, or POSTHAUL names it.
set -euo pipefail
shopt -s inherit_errexit

export OUT=${OUT:?the place of the plan: s3://bucket/prefix, or a folder that all nodes see}
tasks=${TASKS:?the tasks of the plan}
name=${NAME:-posthaul}
read -ra stages <<< "${STAGES:-map generate seal}"
at_once=${AT_ONCE:-}
disk=${DISK_GIB:-}

task=$(cat <<'TASK'
#!/usr/bin/env bash
posthaul=${POSTHAUL:-posthaul}
code=0
if [ "$FLEET_STAGE" = finish ]; then
  "$posthaul" fleet finish --out "$OUT" || code=$?
  # Done, with rejects.
  if [ "$code" = 3 ]; then exit 0; fi
else
  work=${WORK_DIR:-${TMPDIR:-/tmp}/posthaul-$(id -u)}
  index=$((SLURM_ARRAY_TASK_ID + FLEET_OFFSET))
  "$posthaul" fleet run "$FLEET_STAGE" --index "$index" --out "$OUT" --work-dir "$work" || code=$?
fi
case $code in
  # 2, 4, 6: it would fail the same way again. What waits for it is cancelled.
  0 | 2 | 4 | 6) exit "$code" ;;
esac
# The job keeps its id, so what waits for it goes on waiting. Slurm lets it begin again some minutes later.
if [ "${SLURM_RESTART_COUNT:-0}" -lt 9 ]; then
  echo "posthaul ended with $code: again" >&2
  # The job of an array's last task has the id of the array, which would requeue all of it.
  scontrol requeue "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}"
fi
exit "$code"
TASK
)

# An array may be no larger than the cluster's MaxArraySize: above it, each array begins at an offset.
size=$(scontrol show config | sed -n 's/^MaxArraySize *= *\([0-9][0-9]*\).*/\1/p')
chunk=$((${size:-1001} - 1))
arrays=$(((tasks + chunk - 1) / chunk))
# Tasks at once are shared out over the arrays of a stage.
limit=${at_once:+%$(((at_once + arrays - 1) / arrays))}

mkdir -p "$name-logs"

# submit STAGE MIB AFTER [OPTION...]: one job; prints its id.
submit() {
  local stage=$1 memory=$2 after=$3 id
  shift 3
  local options=(--job-name="$name-$stage" --mem="${memory}M" "$@")
  # A cluster that does not count the disks of its nodes refuses every job that asks for some.
  if [ -n "$disk" ]; then options+=(--tmp="${disk}G"); fi
  if [ -n "$after" ]; then options+=(--dependency="afterok:$after" --kill-on-invalid-dep=yes); fi
  id=$(FLEET_STAGE=$stage sbatch --parsable --export=ALL --requeue --open-mode=append "${options[@]}" <<< "$task")
  printf '%s\n' "${id%%;*}"
}

# submit_stage STAGE MIB AFTER: the arrays of a stage; prints their ids, with a colon between them.
submit_stage() {
  local ids='' id last
  for ((offset = 0; offset < tasks; offset += chunk)); do
    last=$((tasks - offset < chunk ? tasks - offset - 1 : chunk - 1))
    id=$(FLEET_OFFSET=$offset submit "$@" --array="0-$last$limit" --output="$name-logs/%x-$offset+%a.log")
    ids+=${ids:+:}$id
  done
  printf '%s\n' "$ids"
}

GENERATE_MIB=${GENERATE_MIB:-1024} SEAL_MIB=${SEAL_MIB:-1024}
before='' said=''
for stage in "${stages[@]}"; do
  memory=${stage^^}_MIB
  before=$(submit_stage "$stage" "${!memory:-768}" "$before")
  said+="$stage $before, "
done
finish=$(submit finish 768 "$before" --output="$name-logs/%x.log")
echo "submitted: ${said}finish $finish"
