#!/usr/bin/env bash
# A fleet on AWS Batch with Fargate: an array a stage, each after the one before, and `posthaul fleet finish` last.
#
#   posthaul fleet plan --preset mixpanel --in s3://data/raw --out s3://data/events --tasks 40
#   OUT=s3://data/events TASKS=40 IMAGE=registry/posthaul JOB_QUEUE=spot JOB_ROLE=arn:… EXECUTION_ROLE=arn:… bash aws-batch.sh
#
# If `fleet plan` names other stages than map, generate and seal: STAGES="links people map generate seal".
#
# JOB_ROLE may read the input, and read, write and remove in the dataset's place; EXECUTION_ROLE may fetch the image and write
# the log. `fleet plan` says what memory and disk a task takes: MEMORY_MIB and DISK_GIB (21 to 200). Batch knows success by 0
# alone: a fleet with rejects ends with its last job FAILED and exit code 3, and the dataset is whole.
set -euo pipefail
shopt -s inherit_errexit

: "${OUT:?the place of the plan: s3://bucket/prefix}" "${TASKS:?the tasks of the plan, two or more}"
: "${IMAGE:?the image that has posthaul}" "${JOB_QUEUE:?name of a job queue on Fargate or Fargate Spot}"
: "${JOB_ROLE:?ARN of the role of tasks}" "${EXECUTION_ROLE:?ARN of the role that starts them}"
name=${NAME:-posthaul}

# text VALUE: a text of JSON.
text() {
  sed -e 's/[\\"]/\\&/g' -e '1s/^/"/' -e '$s/$/"/' <<< "$1"
}

# literal WORD: a word in which Batch replaces no $(NAME) by a variable's value.
literal() {
  sed 's/\$(/$&/g' <<< "$1"
}

# stage NAME FINAL_CODES AFTER WORD...: registers a definition and submits its job; prints the job's id.
stage() {
  local stage=$1 final=$2 after=$3 rules words
  shift 3
  # At most five rules. What none of them names is tried again: also a task of Fargate Spot that was interrupted.
  rules=$(printf ', {"onExitCode": "%s", "action": "EXIT"}' $final)
  words=$(for word; do printf '%s, ' "$(text "$(literal "$word")")"; done)
  aws batch register-job-definition --cli-input-json "{
    \"jobDefinitionName\": $(text "$name-$stage"), \"type\": \"container\", \"platformCapabilities\": [\"FARGATE\"],
    \"retryStrategy\": {\"attempts\": 10, \"evaluateOnExit\": [{\"onStatusReason\": \"Host EC2*\", \"action\": \"RETRY\"}$rules]},
    \"containerProperties\": {
      \"image\": $(text "$IMAGE"), \"command\": [${words%, }],
      \"jobRoleArn\": $(text "$JOB_ROLE"), \"executionRoleArn\": $(text "$EXECUTION_ROLE"),
      \"environment\": [{\"name\": \"XDG_STATE_HOME\", \"value\": \"/data\"}, {\"name\": \"TMPDIR\", \"value\": \"/data\"}],
      \"resourceRequirements\": [{\"type\": \"VCPU\", \"value\": \"1\"}, {\"type\": \"MEMORY\", \"value\": \"${MEMORY_MIB:-2048}\"}],
      \"ephemeralStorage\": {\"sizeInGiB\": ${DISK_GIB:-50}}, \"fargatePlatformConfiguration\": {\"platformVersion\": \"LATEST\"}
    }
  }" > /dev/null
  local array=(--array-properties "size=$TASKS") depends=()
  if [ "$stage" = finish ]; then array=(); fi
  if [ -n "$after" ]; then depends=(--depends-on "jobId=$after"); fi
  aws batch submit-job --job-name "$name-$stage" --job-queue "$JOB_QUEUE" --job-definition "$name-$stage" \
    "${array[@]}" "${depends[@]}" --query jobId --output text
}

before='' said=''
for one in ${STAGES:-map generate seal}; do
  before=$(stage "$one" '2 4 6' "$before" fleet run "$one" --out "$OUT" --work-dir /data)
  said+="$one $before, "
done
finish=$(stage finish '2 3 4 6' "$before" fleet finish --out "$OUT")
echo "submitted: ${said}finish $finish"
