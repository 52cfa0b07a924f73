import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { runCommand } from '../helpers/command.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { listening } from '../helpers/listening.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'

const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
/** Ten events a day, from a day of March on. */
const historyOf = (days: readonly number[]) =>
  days.flatMap((day) =>
    Array.from({ length: 10 }, (_, n): MixpanelEvent => {
      const time = FROM + (day - 1) * DAY + n * 1000
      return { event: 'Signed Up', properties: { time, distinct_id: `u${n}`, $insert_id: `${day}-${n}` } }
    }),
  )

interface Ran {
  readonly code: number
  readonly stderr: string
  /** What ran, as `04_06 import`: the days of March, and the stage. */
  readonly stages: readonly string[]
  /** How many events the service holds, and how many uuids. */
  readonly held: unknown
}

/** A migration, whose runs share this process: what is asked of them is not how they start. */
async function rig(yaml: (sandbox: Sandbox) => string) {
  const folder = testFolder()
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const file = join(folder, 'migration.yaml')
  const write = (from: (text: string) => string = (text) => text) =>
    writeFileSync(
      file,
      from(`${yaml(sandbox)}store: my store
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
import: { arrival_wait: 0s }
verify: { wait: 0s }
`),
    )
  write()
  const env = { ...sandboxEnv(sandbox), ...MIXPANEL_ENV }
  const run = async (...words: string[]): Promise<Ran> => {
    const { code, stdout, stderr } = await runCommand(['run', file, '--json', ...words], { env, built: true })
    const { stages = [] } = stdout === '' ? {} : JSON.parse(stdout)
    const { results } = await sandbox.query('SELECT count(), count(DISTINCT uuid) FROM events')
    const names = (stages as { window: string; stage: string }[]).map(
      ({ window, stage }) => `${window.replaceAll('2024-03-', '')} ${stage}`,
    )
    return { code, stderr, stages: names, held: results[0] }
  }
  return { folder, sandbox, write, run, store: join(folder, 'my store') }
}

const ALL = ['export', 'transform', 'check', 'import', 'verify']

test('windows one by one: an empty one, one in parts, raw records deleted, and the record of all lost', async () => {
  const fake = await started(new FakeMixpanel({ events: [] }))
  const { run, write, store } = await rig(
    () => `source:
  mixpanel:
    from: 2024-03-01
    to: 2024-03-04
    project_id: 42
    base_url: ${fake.url}
    requests_per_hour: 100000
`,
  )
  const upTo = (to: string) => write((text) => text.replace('2024-03-04', to))

  // Before the first visitor there is nothing, which must not keep later days back.
  const empty = await run()
  expect([empty.code, empty.held], empty.stderr).toEqual([0, [0, 0]])

  fake.events = historyOf([3, 4, 5, 6, 7])
  upTo('2024-03-06')
  const begun = await run('--until', 'transform')
  expect([begun.code, begun.stages], begun.stderr).toEqual([0, ['04_06 export', '04_06 transform']])
  const rest = await run('--from', 'check')
  expect(rest.stages, rest.stderr).toEqual(['04_06 check', '04_06 import', '04_06 verify'])
  expect(rest.held).toEqual([30, 30])

  // Made room: what was deleted is needed by nobody, so it is not fetched again.
  rmSync(join(store, 'raw'), { recursive: true })
  const asked = fake.seen.length
  const again = await run()
  expect([again.code, again.stages, fake.seen.length], again.stderr).toEqual([0, [], asked])

  upTo('2024-03-08')
  // There is nothing that a window could be begun with.
  expect((await run('--from', 'import')).stages).toEqual([])
  const next = await run()
  expect([next.stages, next.held], next.stderr).toEqual([ALL.map((stage) => `06_08 ${stage}`), [50, 50]])

  rmSync(join(store, 'state/run.json'))
  upTo('2024-03-09')
  const lost = await run()
  expect([lost.code, lost.stages, lost.held]).toEqual([6, [], [50, 50]])
  expect(unfolded(lost.stderr)).toContain('nothing says what became of them')
})

test('a list of people that matches nobody stops the first window of a schedule, and later ones go on', async () => {
  const fake = await started(new FakeMixpanel({ events: historyOf([3, 4]) }))
  const { folder, run, write } = await rig(
    () => `source:
  mixpanel:
    from: 2024-03-01
    to: 2024-03-05
    project_id: 42
    base_url: ${fake.url}
    requests_per_hour: 100000
schedule: daily
mapping: { file: map.yaml }
`,
  )
  writeFileSync(join(folder, 'map.yaml'), 'preset: mixpanel\nforget: gone.txt\n')
  writeFileSync(join(folder, 'gone.txt'), 'nobody-here\n')
  const first = await run()
  expect([first.code, first.held], first.stderr).toEqual([3, [0, 0]])
  expect(unfolded(first.stderr)).toContain('matches nobody in all 20 records')

  writeFileSync(join(folder, 'gone.txt'), 'u1\n')
  expect((await run()).held).toEqual([18, 18])
  fake.events = historyOf([3, 4, 6]).filter(({ properties }) => properties.distinct_id !== 'u1')
  write((text) => text.replace('2024-03-05', '2024-03-07'))
  const next = await run()
  expect([next.code, next.held], next.stderr).toEqual([0, [27, 27]])
})

test('files that are the same by content are done; what changes what was sent is asked about', async () => {
  const { folder, run } = await rig(
    () => 'source: { files: [in.ndjson] }\nmapping: { preset: posthog, file: map.yaml }\n',
  )
  const input = join(folder, 'in.ndjson')
  const lines = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      JSON.stringify({
        event: 'E',
        distinct_id: 'u',
        timestamp: '2024-03-01T01:00:00Z',
        uuid: `018e0000-0000-7000-8000-00000000000${n}`,
        properties: { n },
      }),
    ).join('\n')
  const mapping = (more = '') => writeFileSync(join(folder, 'map.yaml'), `preset: posthog\n${more}`)
  mapping()
  writeFileSync(input, lines(5))
  const first = await run()
  expect([first.code, first.held], first.stderr).toEqual([0, [5, 5]])
  const nothing = async (events = 5) => {
    const { code, stages, held, stderr } = await run()
    expect([code, stages, held], stderr).toEqual([0, [], [events, events]])
  }
  utimesSync(input, 1, 1)
  await nothing()
  rmSync(input)
  writeFileSync(input, lines(5))
  await nothing()
  mapping('properties: { rename: { n: m } }\n')
  await exits(6, run())
  mapping()
  await nothing()
  writeFileSync(input, lines(7))
  await exits(6, run())
  await exits(0, run('--changed', 'keep'))
  await nothing()
  await exits(0, run(), 'events stay as they were sent, though its input has changed')
  expect((await run('--changed', 'resend')).held).toEqual([7, 7])
  await nothing(7)
  await exits(2, run('--from', 'import', '--until', 'check'))
  writeFileSync(input, lines(8))
  expect((await run('--changed', 'resend')).held).toEqual([8, 8])

  // A file that was sent and is damaged is named, and what was there is as good as new.
  const part = join(folder, 'my store/events/files/2024-03-01.ndjson')
  const whole = readFileSync(part)
  for (const [bytes, said] of [
    [whole.subarray(9), 'bytes, and the manifest says'],
    [undefined, 'is missing'],
  ] as const) {
    rmSync(part)
    if (bytes) writeFileSync(part, bytes)
    const { code, stderr } = await run('--changed', 'keep')
    const words = unfolded(stderr)
    expect([code, words]).toEqual([6, expect.stringContaining(said)])
    expect(words).toContain('2024-03-01.ndjson')
    expect(words).toContain('put it back, or say --changed resend')
    writeFileSync(part, whole)
    await exits(0, run())
  }
  // So is the record of what was done, and what was sent can be kept.
  rmSync(join(folder, 'my store/state/run.json'))
  await exits(6, run(), 'run.json')
  await exits(0, run('--changed', 'keep'))
  expect((await run()).stderr).not.toContain('stay as they were sent')
  await nothing(8)
  rmSync(part)
  expect((await run('--changed', 'resend')).held).toEqual([8, 8])
})

/** A port that passes all on to the one of `url`, but resets its first connections. */
async function shaky(url: string, resets: number): Promise<string> {
  let left = resets
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (left-- > 0) return void client.resetAndDestroy()
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    upstream.on('error', () => undefined).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.pipe(client).pipe(upstream)
  })
  return listening(server)
}

test('a service that is away before the first stage is asked again, then paused for: 5, not 3', async () => {
  const { run, write, folder, sandbox } = await rig(
    () => 'source: { files: [raw.ndjson] }\nmapping: { preset: mixpanel }\n',
  )
  const lines = historyOf([3]).map((record) => JSON.stringify(record))
  writeFileSync(join(folder, 'raw.ndjson'), `${lines.join('\n')}\n`)
  const at = (url: string) =>
    write((text) => text.replace(`"${sandbox.url}"`, `"${url}"`).replace('0s }', '0s, retry_for: 3s }'))
  at('http://127.0.0.1:1')
  const away = await run()
  expect([away.code, away.stages], away.stderr).toEqual([5, []])
  expect(away.stderr).not.toContain('mend')
  at(await shaky(sandbox.url, 1))
  const back = await run()
  expect([back.code, back.held], back.stderr).toEqual([0, [10, 10]])
  expect(back.stderr).toContain('looking again in')
})
