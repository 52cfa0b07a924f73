import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CliProcess, type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { ConnectProxy } from '../helpers/connect-proxy.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { started } from '../helpers/started.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'
import { type Mood, MoodyService } from './kit/moody-service.ts'

/** A request gives up by itself after 120 s. A run that ended sooner did not wait for that. */
const REQUEST_MS = 120_000
const EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof EXITS

const MANY = kills({ few: 0, many: 1 }) === 1
const onCi: (name: string, work: () => Promise<void>) => void = MANY ? test : () => undefined
/** Of a table, the first row; with many, all. */
const some = <Row>(rows: readonly Row[]): readonly Row[] => (MANY ? rows : rows.slice(0, 1))
const EVENTS = Array.from({ length: 300 }, (_, n) => makeEvent(n))
const ALL = EVENTS.map(identity).sort()
// Batches of 20, as fast as they go.
const FAST = ['--approved', '--max-events-per-minute', '1000000', '--batch-events', '20']

function inputFile(): string {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, EVENTS.map((event) => `${eventLine(event)}\n`).join(''))
  return path
}

/** The drain is short where nothing will come. */
const envOf = (url: string, drain = '300ms') => ({
  POSTHOG_PROJECT_API_KEY: 'phc_test',
  POSTHOG_HOST: url,
  POSTHOG_INGEST_HOST: url,
  POSTHAUL_DRAIN: drain,
})

/** Sends a signal at a moment, and expects the process to end by it before any request would time out. */
async function endedBy(cli: CliProcess, signal: Signal, isTime: () => boolean): Promise<Ended> {
  let at = Number.NaN
  const ended = await signalWhen(cli, signal, () => {
    if (!isTime()) return false
    at = performance.now()
    return true
  })
  expect(performance.now() - at, ended.stderr).toBeLessThan(REQUEST_MS - 10_000)
  return ended
}

/** How it ended: by its exit code, or by the signal itself where something was left open. A shell shows the same. */
function shown({ code, signal }: Ended): number | null {
  return signal === null ? code : EXITS[signal as Signal]
}

/** The same command goes on; then the service has each event, once after merging. */
async function goesOn(service: MoodyService, argv: readonly string[], env: Record<string, string>) {
  service.mood = 'takes'
  await exits(0, runHosted(argv, env))
  expect([...service.taken.keys()].sort()).toEqual(ALL)
}

const STATES: readonly (readonly [where: string, mood: Mood])[] = [
  ['a batch', 'silent'],
  ['a batch that was taken without a word', 'takes in silence'],
  ['a backoff', 503],
  ['a 429 storm', 429],
]
const SIGNALS: readonly Signal[] = ['SIGTERM', 'SIGHUP', 'SIGINT']
// Two of them; with many, each signal in each state.
const TABLE = STATES.flatMap(([where, mood], row) => {
  return SIGNALS.filter((_, at) => MANY || (at === row && row > 0)).map(
    (signal) => [signal, where, mood] as const,
  )
})

describe('an import that is interrupted', () => {
  test.each(TABLE)('%s in %s: drained, saved, the command printed; it goes on', async (signal, _, mood) => {
    const service = await started(new MoodyService())
    const argv = ['import', '--file', inputFile(), ...FAST]
    const env = envOf(service.url)
    // The first batches are taken, so that there is something to lose.
    Object.assign(service, { kindly: 3, mood })
    const ended = await endedBy(startCli(argv, env), signal, () => service.struck > 0)
    expect(ended.code, ended.stderr).toBe(EXITS[signal])
    expect(ended.stderr).toMatch(/^ {2}written +60 /m)
    expect(ended.stderr).toContain('posthaul: interrupted; the state is saved\n')
    expect(ended.stderr).toContain(`  then: posthaul ${argv.join(' ')}\n`)
    await goesOn(service, argv, env)
  })

  test('a second signal ends it at once, whatever it waits for', async () => {
    const service = await started(new MoodyService())
    service.mood = 'silent'
    const argv = ['import', '--file', inputFile(), ...FAST]
    const cli = startCli(argv, envOf(service.url, '1h'))
    const first = signalWhen(cli, 'SIGTERM', () => service.requests > 0)
    const ended = await endedBy(cli, 'SIGTERM', () =>
      /a second signal ends the run at once/.test(cli.printed()),
    )
    await first
    expect(ended).toMatchObject({ code: null, signal: 'SIGTERM' })
    await goesOn(service, argv, envOf(service.url))
  })

  onCi('the drain is ten seconds where no setting says it', async () => {
    const service = await started(new MoodyService())
    service.mood = 'silent'
    const argv = ['import', '--file', inputFile(), ...FAST]
    await exits(
      143,
      endedBy(startCli(argv, envOf(service.url, '')), 'SIGTERM', () => service.requests > 0),
    )
    await goesOn(service, argv, envOf(service.url))
  })

  test('--stop-after waits no longer for a request than a signal does, and is no success', async () => {
    const service = await started(new MoodyService())
    service.mood = 'silent'
    const argv = ['import', '--file', inputFile(), ...FAST]
    const at = performance.now()
    const { code, stderr } = await runHosted([...argv, '--stop-after', '1500ms'], envOf(service.url))
    expect(performance.now() - at).toBeLessThan(REQUEST_MS - 10_000)
    expect([code, stderr]).toEqual([5, expect.stringContaining('--stop-after has passed')])
    await goesOn(service, argv, envOf(service.url))
  })

  onCi('while a question about arrival has no answer', async () => {
    const service = await started(new MoodyService())
    const env = { ...envOf(service.url), POSTHOG_PERSONAL_API_KEY: 'phx_test', POSTHOG_PROJECT_ID: '1' }
    const cli = startCli(['import', '--file', inputFile(), ...FAST], env)
    const ended = await endedBy(cli, 'SIGTERM', () => service.questions > 0)
    expect([shown(ended), service.taken.size], ended.stderr).toEqual([143, 0])
  })

  onCi('while a proxy takes a connection and says nothing', async () => {
    const proxy = new ConnectProxy()
    proxy.mood = 'silent'
    await proxy.start(1)
    onTestFinished(() => proxy.close())
    const argv = ['import', '--file', inputFile(), ...FAST]
    const env = { ...envOf('https://posthog.example'), HTTPS_PROXY: `http://${proxy.host}` }
    const ended = await endedBy(startCli(argv, env), 'SIGTERM', () => proxy.asked.length > 0)
    expect(shown(ended), ended.stderr).toBe(143)
    expect(ended.stderr).toContain(`  then: posthaul ${argv.join(' ')}\n`)
  })

  // The names of what is asked for in the bucket, in the order of a run.
  test.each(
    some([
      ['lock', '.lock'],
      ['ledger', '.ledger.json'],
      ['checkpoint', '.checkpoint.json'],
    ]),
  )('while the %s of a state in a bucket hangs', async (_, suffix) => {
    const service = await started(new MoodyService())
    const bucket = await started(new S3Server({ pageSize: 100 }))
    // Slow enough to look at its locks on the way: it does so once a second.
    const pace = ['--approved', '--max-events-per-minute', '6000']
    const argv = ['import', '--file', inputFile(), ...pace, '--state', bucket.location('state')]
    const env = { ...envOf(service.url), ...bucket.env }
    // It hangs from the first batch on: for what is looked at before a batch, saved after it, and given back at the end.
    let hangs = 0
    bucket.silent = (_, key) => service.requests > 1 && key.endsWith(suffix) && ++hangs > 0
    const ended = await endedBy(startCli(argv, env), 'SIGTERM', () => hangs > 0)
    expect(shown(ended), ended.stderr).toBe(143)
    expect(ended.stderr).toContain('  then: posthaul import ')
    bucket.silent = () => false
    await goesOn(service, argv, env)
  })
})

describe('an export that is interrupted', () => {
  const history = Array.from({ length: 200 }, (_, i): MixpanelEvent => {
    const time = Date.UTC(2024, 2, 1 + (i % 12), 12)
    return { event: 'Plan Chosen', properties: { time, distinct_id: `u${i}`, $insert_id: `id-${i}` } }
  })

  test.each(
    some([
      ['SIGTERM', 'a request', 'hold'],
      ['SIGHUP', 'a backoff', 'busy'],
      ['SIGINT', 'a 429 storm', 'storm'],
    ] as const),
  )('%s in %s: the parts are kept, the command printed; it goes on', async (signal, _, what) => {
    const fake = await started(new FakeMixpanel({ events: history }))
    const out = join(testFolder(), 'raw')
    const argv = [
      ...['export', 'mixpanel', '--from', '2024-03-01', '--to', '2024-03-13', '--out', out, '--no-reconcile'],
      ...['--base-url', fake.url, '--requests-per-hour', '100000', '--concurrency', '1'],
    ]
    const env = MIXPANEL_ENV
    const isHeld = () => what === 'hold' && fake.seen.length >= 2
    fake.hold = () => (isHeld() ? new Promise(() => undefined) : undefined)
    fake.onRequest = () => {
      if (what !== 'hold' && fake.seen.length >= 1) fake.mischief = [{ kind: what, rate: 1 }]
    }
    const ended = await endedBy(startCli(argv, env), signal, () => fake.seen.length >= 4 || isHeld())
    expect(shown(ended), ended.stderr).toBe(EXITS[signal])
    expect(ended.stderr).toContain(`  then: posthaul ${argv.join(' ')}\n`)
    expect(existsSync(join(out, 'manifest.json'))).toBe(false)
    fake.hold = () => undefined
    fake.onRequest = () => undefined
    fake.mischief = []
    await exits(0, runHosted(argv, env))
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as { records: number }
    expect(manifest.records).toBe(history.length)
  })
})

describe('a command that only reads ends soon after the signal', () => {
  test.each([
    ['check', (place: string) => ['check', place]],
    ['transform', (place: string) => ['transform', '--preset', 'posthog', '--in', place, '--out', 'events/']],
  ])('%s of a bucket that hangs', async (_, argvOf) => {
    const bucket = await started(new S3Server())
    let asked = 0
    bucket.silent = () => ++asked > 0
    const cli = startCli(argvOf(bucket.location('events')), bucket.env, testFolder())
    const ended = await endedBy(cli, 'SIGTERM', () => asked > 0)
    expect(shown(ended), ended.stderr).toBe(143)
    expect(ended.stderr).toContain('posthaul: interrupted\n')
  })

  onCi('groups list of a service that hangs', async () => {
    const service = await started(new MoodyService())
    const env = { ...envOf(service.url), POSTHOG_PERSONAL_API_KEY: 'phx_test', POSTHOG_PROJECT_ID: '1' }
    const cli = startCli(['groups', 'list', '--type', '0'], env)
    const ended = await endedBy(cli, 'SIGTERM', () => service.questions > 0)
    expect(shown(ended), ended.stderr).toBe(143)
  })
})
