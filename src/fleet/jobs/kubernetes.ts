import { stringify } from 'yaml'
import { STAGES } from '../stage.ts'
import {
  FINAL_CODES,
  type JobFile,
  type JobRequest,
  type JobStage,
  REJECTS_CODE,
  STOPPED_CODES,
  TRIES,
  wordsOf,
} from './job-request.ts'
import { commentLines } from './shell-text.ts'

const CONTAINER = 'posthaul'
const WORK = '/work'
/** The user of the image. */
const USER = 10001
/** A job of 10,000 tasks that all fail the same way ends early; what is done stays done. */
const MOST_FAILED = 10

/** Jobs for Kubernetes 1.33 or later: the map stage begins, the others wait until they are told to. */
export function kubernetesFile(request: JobRequest): JobFile {
  const jobs = [...STAGES, 'finish' as const].map((stage) => jobOf(stage, request))
  const next = nextSteps(request)
  const head = commentLines([
    `posthaul plan ${request.plan.slice(0, 8)}: ${request.tasks} tasks a stage`,
    '',
    ...next,
  ])
  // Kubernetes reads YAML 1.1, in which more words than true and false need quotes.
  const texts = jobs.map((job) => stringify(job, { version: '1.1', lineWidth: 0 }))
  return { text: `${head}---\n${texts.join('---\n')}`, next }
}

function nextSteps({ name, secrets }: JobRequest): string[] {
  const after = (done: JobStage, begins: JobStage) => [
    `kubectl wait --for=condition=complete --timeout=-1s job/${name}-${done}`,
    `kubectl patch job/${name}-${begins} --type=merge -p '{"spec":{"suspend":false}}'`,
  ]
  const keys = secrets.map(({ name, needed }) => (needed ? name : `${name} (without a role)`))
  const secret = [
    `# once: a file keys.env (NAME=value) with ${keys.join(', ')}`,
    `kubectl create secret generic ${name}-keys --from-env-file=keys.env`,
  ]
  return [
    ...(keys.length > 0 ? secret : []),
    'kubectl apply -f job.yaml',
    ...after('map', 'generate'),
    ...after('generate', 'seal'),
    ...after('seal', 'finish'),
    `kubectl wait --for=condition=complete --timeout=-1s job/${name}-finish`,
  ]
}

function jobOf(stage: JobStage, request: JobRequest): object {
  const { name, plan, tasks, parallelism } = request
  const many = {
    completionMode: 'Indexed',
    completions: tasks,
    parallelism: Math.min(parallelism ?? tasks, tasks),
    backoffLimitPerIndex: TRIES - 1,
    maxFailedIndexes: Math.min(MOST_FAILED, tasks),
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${stage}`,
      labels: labels(name, stage),
      annotations: { 'posthaul/plan': plan },
    },
    spec: {
      suspend: stage !== 'map',
      ...(stage === 'finish' ? { backoffLimit: TRIES - 1 } : many),
      podFailurePolicy: { rules: failureRules(stage) },
      template: { metadata: { labels: labels(name, stage) }, spec: podOf(stage, request) },
    },
  }
}

function labels(name: string, stage: JobStage): object {
  return {
    'app.kubernetes.io/name': 'posthaul',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': stage,
  }
}

/** What no rule names counts as a try: above all 5. */
function failureRules(stage: JobStage): object[] {
  const onExitCodes = (values: readonly number[]) => ({
    onExitCodes: { containerName: CONTAINER, operator: 'In', values: [...values] },
  })
  return [
    // A spot machine that goes, a node that is drained: the task begins again, and the try does not count.
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'Ignore', ...onExitCodes(STOPPED_CODES) },
    { action: stage === 'finish' ? 'FailJob' : 'FailIndex', ...onExitCodes(FINAL_CODES) },
  ]
}

function podOf(stage: JobStage, request: JobRequest): object {
  const { shared, resources } = request
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 60,
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [containerOf(stage, request)],
    volumes: [
      { name: 'work', emptyDir: { sizeLimit: `${resources[stage].diskGiB}Gi` } },
      ...(shared ? [{ name: 'shared', persistentVolumeClaim: { claimName: shared.claim } }] : []),
    ],
  }
}

function containerOf(stage: JobStage, request: JobRequest): object {
  const { name, image, resources, secrets, shared, workDir = WORK } = request
  const { cpus, memoryMiB, diskGiB } = resources[stage]
  const disk = { 'ephemeral-storage': `${diskGiB + 1}Gi` }
  return {
    name: CONTAINER,
    image,
    ...commandOf(stage, request, workDir),
    workingDir: workDir,
    env: [
      { name: 'XDG_STATE_HOME', value: workDir },
      { name: 'TMPDIR', value: workDir },
      ...secrets.map((secret) => ({
        name: secret.name,
        valueFrom: {
          secretKeyRef: { name: `${name}-keys`, key: secret.name, ...(!secret.needed && { optional: true }) },
        },
      })),
    ],
    resources: {
      requests: { cpu: `${cpus}`, memory: `${memoryMiB}Mi`, ...disk },
      limits: { memory: `${memoryMiB}Mi`, ...disk },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'work', mountPath: workDir },
      ...(shared ? [{ name: 'shared', mountPath: shared.path }] : []),
    ],
  }
}

/** Done with rejects is success, which a Job knows by 0 alone: only a shell can say it. */
const OR_REJECTS = `posthaul "$@" || [ "$?" -eq ${REJECTS_CODE} ]`

function commandOf(stage: JobStage, request: JobRequest, workDir: string): object {
  // $(NAME) in an argument would be replaced by a variable's value.
  const args = wordsOf(stage, request, workDir).map((word) => word.replaceAll('$(', '$$$('))
  return stage === 'finish' ? { command: ['/bin/sh', '-c', OR_REJECTS, 'posthaul'], args } : { args }
}
