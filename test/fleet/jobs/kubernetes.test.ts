import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { kubernetesFile } from '../../../src/fleet/jobs/kubernetes.ts'
import { type Fields, unknownFields } from '../../helpers/kubernetes.ts'
import { HOSTILE, makeRequest } from './requests.ts'

/** Kubernetes reads YAML 1.1. */
const jobsIn = (text: string): Fields[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

const SECRETS = [
  { name: 'AWS_ACCESS_KEY_ID', needed: false },
  { name: 'POSTHAUL_HASH_KEY', needed: true },
]

interface Job {
  readonly metadata: { readonly name: string }
  readonly spec: Fields & {
    readonly podFailurePolicy: { readonly rules: readonly Fields[] }
    readonly template: {
      readonly spec: { readonly containers: readonly [Container]; readonly volumes: Fields[] }
    }
  }
}
interface Container {
  readonly command?: readonly string[]
  readonly args: readonly string[]
  readonly env: readonly Fields[]
  readonly resources: Fields
}
const asJobs = (made: readonly Fields[]) => made as unknown as readonly Job[]

describe('the file for Kubernetes', () => {
  test.each([
    ['a bucket', makeRequest({ secrets: SECRETS })],
    ['one task', makeRequest({ tasks: 1 })],
    [
      'a volume',
      makeRequest({ out: '/data/events', shared: { claim: 'history', path: '/data' }, parallelism: 3 }),
    ],
    ['hostile names', makeRequest({ out: HOSTILE, image: HOSTILE, workDir: `/w ${HOSTILE}` })],
  ])('has only kinds and fields of its API: %s', (_, request) => {
    const jobs = jobsIn(kubernetesFile(request).text)
    expect(jobs.map(({ kind }) => kind)).toEqual(['Job', 'Job', 'Job', 'Job'])
    for (const job of jobs) expect(unknownFields(job)).toEqual([])
  })

  test('begins with map, and the steps that let the others begin name jobs that are in it', () => {
    const { text, next } = kubernetesFile(makeRequest())
    const jobs = asJobs(jobsIn(text))
    expect(jobs.map(({ metadata, spec }) => [metadata.name, spec.suspend])).toEqual([
      ['history-map', false],
      ['history-generate', true],
      ['history-seal', true],
      ['history-finish', true],
    ])
    expect(next).toEqual([
      'kubectl apply -f job.yaml',
      'kubectl wait --for=condition=complete --timeout=-1s job/history-map',
      `kubectl patch job/history-generate --type=merge -p '{"spec":{"suspend":false}}'`,
      'kubectl wait --for=condition=complete --timeout=-1s job/history-generate',
      `kubectl patch job/history-seal --type=merge -p '{"spec":{"suspend":false}}'`,
      'kubectl wait --for=condition=complete --timeout=-1s job/history-seal',
      `kubectl patch job/history-finish --type=merge -p '{"spec":{"suspend":false}}'`,
      'kubectl wait --for=condition=complete --timeout=-1s job/history-finish',
    ])
    for (const step of next) expect(text).toContain(`# ${step}\n`)
  })

  test('tries a task again, but not after 2, 4 and 6, and a machine that goes costs no try', () => {
    const [map, , , finish] = asJobs(jobsIn(kubernetesFile(makeRequest()).text))
    expect(map!.spec).toMatchObject({ completionMode: 'Indexed', completions: 8, backoffLimitPerIndex: 9 })
    const codes = (values: readonly number[]) => ({
      onExitCodes: { containerName: 'posthaul', operator: 'In', values },
    })
    const rules = [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'Ignore', ...codes([129, 130, 143]) },
    ]
    expect(map!.spec.podFailurePolicy.rules).toEqual([...rules, { action: 'FailIndex', ...codes([2, 4, 6]) }])
    expect(finish!.spec.podFailurePolicy.rules).toEqual([
      ...rules,
      { action: 'FailJob', ...codes([2, 4, 6]) },
    ])
    expect(finish!.spec).not.toHaveProperty('completions')
    const [container] = finish!.spec.template.spec.containers
    expect(container.command!.slice(0, 3)).toEqual(['/bin/sh', '-c', 'posthaul "$@" || [ "$?" -eq 3 ]'])
  })

  test('carries every value as it is', () => {
    const [map] = asJobs(jobsIn(kubernetesFile(makeRequest({ out: HOSTILE })).text))
    const { args } = map!.spec.template.spec.containers[0]
    expect(args).toEqual([
      'fleet',
      'run',
      'map',
      '--out',
      HOSTILE.replace('$(', () => '$$('),
      '--work-dir',
      '/work',
    ])
  })

  test('names secrets and holds none; those of a role may be missing', () => {
    const { text, next } = kubernetesFile(makeRequest({ secrets: SECRETS }))
    const { env } = asJobs(jobsIn(text))[0]!.spec.template.spec.containers[0]
    expect(env.slice(2)).toEqual([
      {
        name: 'AWS_ACCESS_KEY_ID',
        valueFrom: { secretKeyRef: { name: 'history-keys', key: 'AWS_ACCESS_KEY_ID', optional: true } },
      },
      {
        name: 'POSTHAUL_HASH_KEY',
        valueFrom: { secretKeyRef: { name: 'history-keys', key: 'POSTHAUL_HASH_KEY' } },
      },
    ])
    expect(next).toContain('kubectl create secret generic history-keys --from-env-file=keys.env')
  })

  test('gives a task its memory and its disk, and the disk a limit', () => {
    const { containers, volumes } = asJobs(jobsIn(kubernetesFile(makeRequest()).text))[2]!.spec.template.spec
    expect(containers[0].resources).toEqual({
      requests: { cpu: '1', memory: '1024Mi', 'ephemeral-storage': '31Gi' },
      limits: { memory: '1024Mi', 'ephemeral-storage': '31Gi' },
    })
    expect(volumes).toEqual([{ name: 'work', emptyDir: { sizeLimit: '30Gi' } }])
  })
})
