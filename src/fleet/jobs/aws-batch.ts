import { STAGES } from '../stage.ts'
import { fargateMachine } from './fargate.ts'
import {
  FINAL_CODES,
  type JobFile,
  type JobRequest,
  type JobStage,
  REJECTS_CODE,
  TRIES,
  wordsOf,
} from './job-request.ts'
import { commentLines } from './shell-text.ts'

/** A folder of the image that its user can write. */
const WORK = '/data'

/** What belongs to the user's account; and what a stage waits for. The script has them as variables of these names. */
const VARIABLES = {
  JOB_QUEUE: 'name of a job queue on Fargate or Fargate Spot',
  JOB_ROLE: 'ARN of a role that may read the input and write the dataset',
  EXECUTION_ROLE: 'ARN of a role that may fetch the image, write the log and read the parameters below',
} as const
type Variable = keyof typeof VARIABLES | 'BEFORE'

const inJson = (variable: Variable) => `@${variable}@`

/** A script that registers four definitions and submits a job of each, after the one before. */
export function awsBatchScript(request: JobRequest): JobFile {
  const { name, plan, tasks } = request
  const parameters = request.secrets.map(
    (secret) =>
      `aws ssm put-parameter --type SecureString --name ${parameterOf(name, secret.name)} --value "$${secret.name}"`,
  )
  const next = [
    ...(parameters.length > 0 ? ['# once, where the variables are set:', ...parameters] : []),
    ...Object.entries(VARIABLES).map(([variable, meaning]) => `export ${variable}=…   # ${meaning}`),
    'bash job.sh',
  ]
  const stages = [...STAGES, 'finish' as const].map((stage, at, all) => {
    const before = all[at - 1]
    return `register <<'JSON'
${JSON.stringify(definitionOf(stage, request), null, 2)}
JSON
${before === undefined ? '' : `BEFORE=$${before}\n`}${stage}=$(submit <<'JSON'
${JSON.stringify(submissionOf(stage, before, request), null, 2)}
JSON
)
`
  })
  const fills = [...Object.keys(VARIABLES), 'BEFORE'].map(
    (variable) => `  json=\${json//'"@${variable}@"'/"\\"$${variable}\\""}`,
  )
  const text = `#!/usr/bin/env bash
${commentLines([`posthaul plan ${plan.slice(0, 8)}: ${tasks} tasks a stage`, '', ...next])}set -euo pipefail
shopt -s inherit_errexit
# From version 5.2 on, bash would read a & in what it puts in.
shopt -u patsub_replacement 2> /dev/null || true
${Object.entries(VARIABLES)
  .map(([variable, meaning]) => `: "\${${variable}:?${meaning}}"`)
  .join('\n')}
BEFORE=''

# Reads JSON, and puts the values of this shell where their names are.
fill() {
  local json
  json=$(cat)
${fills.join('\n')}
  printf '%s\\n' "$json"
}

register() {
  aws batch register-job-definition --cli-input-json "$(fill)" --query jobDefinitionArn --output text > /dev/null
}

submit() {
  aws batch submit-job --cli-input-json "$(fill)" --query jobId --output text
}

${stages.join('\n')}
printf 'posthaul: submitted: map %s, generate %s, seal %s, finish %s\\n' "$map" "$generate" "$seal" "$finish"
`
  return { text, next }
}

function parameterOf(name: string, secret: string): string {
  return `/${name}/${secret}`
}

/** The input of RegisterJobDefinition. */
export function definitionOf(stage: JobStage, request: JobRequest) {
  const { name, tasks, image, resources, secrets, workDir = WORK } = request
  const machine = fargateMachine(resources[stage])
  // A plain job has no index of its own.
  const words = wordsOf(stage, request, workDir, tasks === 1 ? 0 : undefined)
  return {
    jobDefinitionName: `${name}-${stage}`,
    type: 'container' as const,
    platformCapabilities: ['FARGATE' as const],
    containerProperties: {
      image,
      // $(NAME) in a word would be replaced by a variable's value.
      command: words.map((word) => word.replaceAll('$(', '$$$(')),
      jobRoleArn: inJson('JOB_ROLE'),
      executionRoleArn: inJson('EXECUTION_ROLE'),
      environment: [
        { name: 'XDG_STATE_HOME', value: workDir },
        { name: 'TMPDIR', value: workDir },
      ],
      secrets: secrets.map((secret) => ({ name: secret.name, valueFrom: parameterOf(name, secret.name) })),
      resourceRequirements: [
        { type: 'VCPU' as const, value: `${machine.cpus}` },
        { type: 'MEMORY' as const, value: `${machine.memoryMiB}` },
      ],
      ephemeralStorage: { sizeInGiB: machine.diskGiB },
      fargatePlatformConfiguration: { platformVersion: 'LATEST' },
    },
    retryStrategy: { attempts: TRIES, evaluateOnExit: exitRules(stage) },
  }
}

/** At most five. What none of them names is tried again: also a task of Fargate Spot that was interrupted. */
function exitRules(stage: JobStage) {
  const final = stage === 'finish' ? [REJECTS_CODE, ...FINAL_CODES] : FINAL_CODES
  const again = stage === 'finish' ? [] : [{ onExitCode: '5', action: 'RETRY' as const }]
  return [
    { onStatusReason: 'Host EC2*', action: 'RETRY' as const },
    ...again,
    ...final.map((code) => ({ onExitCode: `${code}`, action: 'EXIT' as const })),
  ]
}

/** The input of SubmitJob. A stage begins when all tasks of the one before have succeeded. */
export function submissionOf(stage: JobStage, before: JobStage | undefined, { name, tasks }: JobRequest) {
  return {
    jobName: `${name}-${stage}`,
    jobQueue: inJson('JOB_QUEUE'),
    jobDefinition: `${name}-${stage}`,
    // An array has two jobs or more.
    ...(stage !== 'finish' && tasks > 1 && { arrayProperties: { size: tasks } }),
    ...(before !== undefined && { dependsOn: [{ jobId: inJson('BEFORE') }] }),
  }
}
