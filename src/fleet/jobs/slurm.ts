import { shellWord } from '../../shell-word.ts'
import { STAGES } from '../stage.ts'
import {
  FINAL_CODES,
  type JobFile,
  type JobRequest,
  type JobStage,
  REJECTS_CODE,
  TRIES,
} from './job-request.ts'
import { commentLines } from './shell-text.ts'

/** The size of an array that a cluster allows if it does not say another. */
const USUAL_ARRAY_SIZE = 1001

/** A script that submits all stages to Slurm, each after the one before. The tasks' own script is inside it. */
export function slurmScript(request: JobRequest): JobFile {
  const { name, plan, tasks, secrets } = request
  const keys = secrets.map((secret) => secret.name)
  const next = [
    'bash job.sh',
    '# partition, account and time limit come from SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT',
    ...(keys.length > 0
      ? [`# tasks have the variables of this shell, such as ${keys.join(', ')}; the script holds none`]
      : []),
  ]
  const text = `#!/usr/bin/env bash
${commentLines([`posthaul plan ${plan.slice(0, 8)}: ${tasks} tasks a stage`, '', ...next])}set -euo pipefail
shopt -s inherit_errexit

name=${name}
tasks=${tasks}
at_once=${request.parallelism ?? "''"}

task=$(cat <<'TASK'
${taskScript(request)}
TASK
)

# An array may be no larger than the cluster's MaxArraySize: above it, each array begins at an offset.
size=$(scontrol show config | sed -n 's/^MaxArraySize *= *\\([0-9][0-9]*\\).*/\\1/p')
chunk=$((\${size:-${USUAL_ARRAY_SIZE}} - 1))
arrays=$(((tasks + chunk - 1) / chunk))
# Tasks at once are shared out over the arrays of a stage.
limit=\${at_once:+%$(((at_once + arrays - 1) / arrays))}
# A cluster that does not count the disks of its nodes would refuse every job that asks for some.
disk_known=$(sinfo -h -o %d | sed 's/[^0-9].*//' | sort -n | tail -n 1)

mkdir -p "$name-logs"

# submit STAGE CPUS MIB DISK_GIB AFTER [OPTION...]: one job; prints its id.
submit() {
  local stage=$1 cpus=$2 memory=$3 disk=$4 after=$5 id
  shift 5
  local options=(--job-name="$name-$stage" --cpus-per-task="$cpus" --mem="\${memory}M" "$@")
  if [ "\${disk_known:-0}" -gt 0 ]; then options+=(--tmp="\${disk}G"); fi
  if [ -n "$after" ]; then options+=(--dependency="afterok:$after" --kill-on-invalid-dep=yes); fi
  id=$(FLEET_STAGE=$stage sbatch --parsable --export=ALL --requeue --open-mode=append "\${options[@]}" <<< "$task")
  printf '%s\\n' "\${id%%;*}"
}

# submit_stage STAGE CPUS MIB DISK_GIB AFTER: the arrays of a stage; prints their ids, with a colon between them.
submit_stage() {
  local ids='' id last
  for ((offset = 0; offset < tasks; offset += chunk)); do
    last=$((tasks - offset < chunk ? tasks - offset - 1 : chunk - 1))
    id=$(FLEET_OFFSET=$offset submit "$@" --array="0-$last$limit" --output="$name-logs/%x-$offset+%a.log")
    ids+=\${ids:+:}$id
  done
  printf '%s\\n' "$ids"
}

${submissions(request)}
printf 'posthaul: submitted: map %s, generate %s, seal %s, finish %s\\n' "$map" "$generate" "$seal" "$finish"
`
  return { text, next }
}

function submissions({ resources }: JobRequest): string {
  const needs = (stage: JobStage) => {
    const { cpus, memoryMiB, diskGiB } = resources[stage]
    return `${stage} ${cpus} ${memoryMiB} ${diskGiB}`
  }
  const stages = STAGES.map((stage, at) => {
    const before = STAGES[at - 1]
    return `${stage}=$(submit_stage ${needs(stage)} ${before === undefined ? "''" : `"$${before}"`})`
  })
  return [...stages, `finish=$(submit ${needs('finish')} "$seal" --output="$name-logs/%x.log")`].join('\n')
}

/** What each task runs. Slurm gives it the stage and the offset of its array as variables. */
function taskScript({ out, workDir }: JobRequest): string {
  const work = workDir === undefined ? `"\${TMPDIR:-/tmp}/posthaul-$(id -u)"` : shellWord(workDir)
  return `#!/usr/bin/env bash
out=${shellWord(out)}
work=${work}
code=0
if [ "$FLEET_STAGE" = finish ]; then
  "\${POSTHAUL:-posthaul}" fleet finish --out "$out" || code=$?
  # Done, with rejects.
  if [ "$code" = ${REJECTS_CODE} ]; then exit 0; fi
else
  index=$((SLURM_ARRAY_TASK_ID + FLEET_OFFSET))
  "\${POSTHAUL:-posthaul}" fleet run "$FLEET_STAGE" --index "$index" --out "$out" --work-dir "$work" || code=$?
fi
case $code in
  # ${FINAL_CODES.join(', ')}: it would fail the same way again. What waits for it is cancelled.
  0 | ${FINAL_CODES.join(' | ')}) exit "$code" ;;
esac
# The job keeps its id, so what waits for it goes on waiting. Slurm lets it begin again some minutes later.
if [ "\${SLURM_RESTART_COUNT:-0}" -lt ${TRIES - 1} ]; then
  echo "posthaul ended with $code: again" >&2
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"`
}
