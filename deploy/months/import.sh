#!/bin/sh
# Imports the months that month.sh made, the oldest first, from one machine, and proves that all have arrived.
#
#   STORE=s3://data/history FIRST=2021-01 MONTHS=36 sh import.sh [options of import, such as --approved]
#
# The keys are in the environment. It stops where a month has rejects (exit code 3) or something stands against its import: look
# at what it says, and the same line goes on, as it does after any other stop.
set -eu

of_year=${FIRST#*-}
first=$((${FIRST%-*} * 12 + ${of_year#0} - 1))
count=$first
while [ "$count" -lt $((first + MONTHS)) ]; do
  month=$(printf '%04d-%02d' $((count / 12)) $((count % 12 + 1)))
  posthaul import --dataset "$STORE/events/$month" --state "$STORE/state" "$@"
  all="${all:-} $STORE/events/$month"
  count=$((count + 1))
done
# Places have no blanks here.
posthaul verify $all --state "$STORE/state"
