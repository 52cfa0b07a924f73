import { beforeAll, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { MoodyService } from '../faults/kit/moody-service.ts'
import { signalWhen } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { assertContainers, startInContainer } from '../helpers/container.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'

const EVENTS = 450
const FAST = ['--approved', '--max-events-per-minute', '20000', '--batch-events', '15']
const IN_BUCKET = ['--state', 's3://bucket/state']
const PLACES = ['--in', 's3://bucket/raw', '--out', 's3://bucket/events']
const WORK = ['--work-dir', '/tmp/work']

beforeAll(assertContainers)

async function bucketWith(key: string, lines: readonly string[]): Promise<S3Server> {
  const bucket = await started(new S3Server({ pageSize: 1000 }))
  bucket.objects.set(key, { bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), etag: '"raw"' })
  return bucket
}

interface Target {
  readonly url: string
  readonly keys: readonly string[]
  readonly drain?: string
}

/** A container of one command. All that it keeps is in the bucket, and its keys are files. */
function pod(hostname: string, argv: readonly string[], bucket: S3Server, { url, keys, drain }: Target) {
  const [projectKey = '', personalKey] = keys
  const named = personalKey === undefined ? {} : { POSTHOG_PERSONAL_API_KEY_FILE: '/keys/personal-key' }
  return startInContainer(argv, {
    hostname,
    env: {
      ...bucket.env,
      POSTHOG_HOST: url,
      POSTHOG_INGEST_HOST: url,
      POSTHAUL_DRAIN: drain ?? '',
      POSTHOG_PROJECT_API_KEY_FILE: '/keys/project-key',
      ...named,
    },
    secrets: { 'project-key': projectKey, ...(personalKey !== undefined && { 'personal-key': personalKey }) },
  })
}

const keysOf = ({ projectKey, personalKey }: Sandbox) => [projectKey, personalKey]

test('S3 to S3: a pod is stopped, the next one under another host name goes on, and all has arrived once', async () => {
  const records = Array.from({ length: EVENTS }, (_, n) => ({
    event: 'Plan Chosen',
    properties: { time: 1_709_251_200 + n * 60, distinct_id: `u${n % 7}`, $insert_id: `id-${n}` },
  }))
  const bucket = await bucketWith(
    'raw/export.ndjson',
    records.map((record) => JSON.stringify(record)),
  )
  const sandbox = await testSandbox()
  const run = (hostname: string, ...argv: string[]) =>
    pod(hostname, argv, bucket, { url: sandbox.url, keys: keysOf(sandbox) })

  const transform = ['transform', '--preset', 'mixpanel', ...PLACES]
  await exits(2, run('pod-a', ...transform).ended, '--work-dir')
  await exits(0, run('pod-b', ...transform, ...WORK).ended)

  const sending = ['import', '--dataset', 's3://bucket/events', ...IN_BUCKET, ...FAST]
  const first = run('pod-c', ...sending)
  const isUnderWay = () => sandbox.stats().accepted > 2
  await exits(143, signalWhen(first, 'SIGTERM', isUnderWay))
  const before = await countOf(sandbox)
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(EVENTS)
  const second = await exits(0, run('pod-d', ...sending).ended)
  // The first one gave its lock back: nobody had to wait for it to fall silent.
  expect(second.stderr).not.toContain('sign of life')
  expect(await countOf(sandbox)).toBe(EVENTS)

  const verified = await exits(0, run('pod-e', 'verify', 's3://bucket/events', ...IN_BUCKET).ended)
  expect(verified.stderr + verified.stdout).toContain('450 events')
})

test('a whole migration: a pod is stopped in the middle, the next one under another host name does what is left', async () => {
  const lines = Array.from({ length: EVENTS }, (_, n) => eventLine(makeEvent(n)))
  const bucket = await bucketWith('raw/export.ndjson', lines)
  const sandbox = await testSandbox()
  const migration = [
    'source: { files: [s3://bucket/raw] }',
    'mapping: { preset: posthog }',
    'store: s3://bucket/migration',
    `target: { host: ${sandbox.url}, project_id: ${sandbox.projectId} }`,
    'caps: { events_per_minute: 20000 }',
    'approval: { reference: a test, events: 50000000, events_per_minute: 20000 }',
    'import: { batch_events: 15 }',
  ].join('\n')
  const run = (hostname: string) =>
    startInContainer(['run', '/keys/migration.yaml'], {
      hostname,
      env: {
        ...bucket.env,
        XDG_STATE_HOME: '/tmp',
        POSTHOG_PROJECT_API_KEY_FILE: '/keys/project-key',
        POSTHOG_PERSONAL_API_KEY_FILE: '/keys/personal-key',
      },
      secrets: {
        'migration.yaml': migration,
        'project-key': sandbox.projectKey,
        'personal-key': sandbox.personalKey,
      },
    })
  await exits(
    143,
    signalWhen(run('pod-a'), 'SIGTERM', () => sandbox.stats().accepted > 2),
  )
  expect(await countOf(sandbox)).toBeLessThan(EVENTS)
  const ended = await exits(0, run('pod-b').ended)
  expect(ended.stderr).not.toContain('sign of life')
  expect(await countOf(sandbox)).toBe(EVENTS)
})

async function countOf(sandbox: Sandbox): Promise<number> {
  const { results } = await sandbox.query('SELECT count(DISTINCT uuid), count() FROM events')
  const [[unique, all] = []] = results as [[unknown, unknown]]
  expect(unique).toEqual(all)
  return Number(unique)
}

describe('process 1 of a container, which the kernel spares signals that nobody listens to', () => {
  async function importThat(hangs: (bucket: S3Server, service: MoodyService) => void, drain: string) {
    const service = await started(new MoodyService())
    const lines = Array.from({ length: 300 }, (_, n) => eventLine(makeEvent(n)))
    const bucket = await bucketWith('raw/events.ndjson', lines)
    // Named with its server: a process that runs several commands keeps to the first bucket of an input's name.
    const places = PLACES.map((word) => (word.startsWith('s3:') ? `${word}?endpoint=${bucket.url}` : word))
    await exits(0, runHosted(['transform', '--preset', 'posthog', ...places], bucket.env))
    hangs(bucket, service)
    // Slow enough to look at its locks on the way: it does so once a second.
    const pace = ['--approved', '--max-events-per-minute', '6000', '--batch-events', '20']
    const argv = ['import', '--dataset', 's3://bucket/events', ...IN_BUCKET, ...pace]
    return { service, cli: pod('pod-a', argv, bucket, { url: service.url, keys: ['phc_test'], drain }) }
  }

  /** A request gives up by itself after 120 s: who ends sooner did not wait for it. */
  const SOON_MS = 110_000

  test('ends after its drain, though the bucket does not answer', async () => {
    let hung = 0
    const { cli } = await importThat((bucket, service) => {
      bucket.silent = (_, key) => service.requests > 1 && key.endsWith('.lock') && ++hung > 0
    }, '300ms')
    let signalled = 0
    await exits(
      143,
      signalWhen(cli, 'SIGTERM', () => {
        signalled = performance.now()
        return hung > 0
      }),
    )
    expect(performance.now() - signalled).toBeLessThan(SOON_MS)
  })

  test('ends at once by a second SIGTERM', async () => {
    const { cli, service } = await importThat((_, service) => {
      service.mood = 'silent'
    }, '10m')
    let signalled = 0
    const first = await new Promise<number>((resolve) => {
      const looking = setInterval(() => {
        if (service.struck === 0) return
        clearInterval(looking)
        resolve(performance.now())
      }, 5)
    })
    const again = setInterval(() => {
      signalled++
      cli.kill('SIGTERM')
    }, 100)
    await exits(
      143,
      cli.ended.finally(() => clearInterval(again)),
    )
    expect(signalled).toBeGreaterThan(1)
    expect(performance.now() - first).toBeLessThan(SOON_MS)
  })
})
