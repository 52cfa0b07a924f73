import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { suffering } from '../faults/kit/plan.ts'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { seriesOf } from '../helpers/exposition.ts'
import { testFolder } from '../helpers/folder.ts'
import { byDay } from '../helpers/kills.ts'
import { listening } from '../helpers/listening.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import {
  FakeMixpanel,
  type FakeMixpanelOptions,
  MIXPANEL_ENV,
  type MixpanelEvent,
} from '../helpers/vendors/mixpanel.ts'

const STAGES = ['export', 'transform', 'check', 'import', 'verify']
const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
const HISTORY = Array.from({ length: 300 }, (_, i): MixpanelEvent => {
  return {
    event: ['Signed Up', 'Plan Chosen', 'Füße ✓'][i % 3]!,
    properties: {
      time: FROM + Math.floor((i * 3 * DAY) / 300),
      distinct_id: `u${i % 20}`,
      $insert_id: `id-${i}`,
      plan: 'free',
    },
  }
})

interface Rig {
  readonly folder: string
  readonly file: string
  readonly sandbox: Sandbox
  readonly fake: FakeMixpanel
  readonly env: Record<string, string>
  run(...words: string[]): Promise<Ended>
}

/** A vendor with a history, a service, and a migration file that leads from one to the other. */
async function rig(
  store = 'store',
  more: Readonly<Record<string, string>> = {},
  vendor: Partial<FakeMixpanelOptions> = {},
): Promise<Rig> {
  const folder = testFolder()
  const fake = await started(new FakeMixpanel({ events: HISTORY, ...vendor }))
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const file = join(folder, 'migration.yaml')
  writeFileSync(join(folder, 'mapping.yaml'), 'preset: mixpanel\n')
  writeFileSync(
    file,
    `source:
  mixpanel:
    from: 2024-03-01
    to: 2024-03-04
    project_id: 42
    base_url: ${fake.url}
    requests_per_hour: 100000
mapping: { file: mapping.yaml }
store: ${store}
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
approval: { reference: rehearsal, events: 1000000, events_per_minute: 1000000 }
notifications: { log_format: text, metrics_file: run.prom }
`,
  )
  const env = { ...sandboxEnv(sandbox), ...more, ...MIXPANEL_ENV }
  const run = (...words: string[]) => runHosted(['run', file, ...words], env)
  return { folder, file, sandbox, fake, env, run }
}

const stagesOf = ({ stdout }: Ended) =>
  (JSON.parse(stdout) as { stages: { stage: string }[] }).stages.map(({ stage }) => stage)

test('carries a migration out, then finds nothing to do, and does again what a change concerns', async () => {
  const { folder, file, env, sandbox, run } = await rig()
  const wrong = {
    ...env,
    POSTHOG_PROJECT_API_KEY: 'phc_of_another_project',
    MIXPANEL_SERVICE_SECRET: 'wrong',
  }
  const refused = await exits(3, runHosted(['run', file], wrong))
  expect(refused.stderr).toMatch(/error +project /)
  expect(existsSync(join(folder, 'store', 'raw'))).toBe(false)

  // A timer of Node takes less than 25 days, and ends at once for more.
  const first = await exits(0, run('--json', '--stop-after', '30d'))
  expect(stagesOf(first)).toEqual(STAGES)
  expect(first.stderr).toMatch(/ok +project /)
  expect(first.stderr).not.toContain('Then: posthaul import')
  const held = await sandbox.query('SELECT count() FROM events')
  expect(held.results).toEqual([[300]])
  const metrics = readFileSync(join(folder, 'run.prom'), 'utf8')
  const written = seriesOf(metrics, 'posthaul_events_total')
  expect(written['fate="written",stage="transform"']).toBe(300)
  expect(written['fate="written",stage="import"']).toBe(300)
  expect(seriesOf(metrics, 'posthaul_last_exit_code')).toEqual({ '': 0 })
  const log = first.stderr.trimEnd().split('\n')
  expect(log.at(-1)).toMatch(/INFO run: done: .*\(exit code 0\)$/)

  const second = await run('--json')
  expect([second.code, stagesOf(second)]).toEqual([0, []])
  expect(second.stderr).toContain('nothing is left')

  writeFileSync(join(folder, 'mapping.yaml'), 'preset: mixpanel\nproperties: { rename: { plan: tier } }\n')
  await exits(6, run('--json'))
  const third = await run('--json', '--changed', 'resend')
  expect([third.code, stagesOf(third)], third.stderr).toEqual([0, ['transform', 'check', 'import', 'verify']])
})

test('a run that is killed in any stage goes on from there', async () => {
  const { file, env, sandbox, run } = await rig()
  const ran: string[] = []
  for (const stage of byDay(STAGES, 2)) {
    const cli = startCli(['run', file], env)
    const ended = await signalWhen(cli, 'SIGKILL', () => cli.printed().includes(`03-04: ${stage}\n`))
    ran.push(...[...ended.stderr.matchAll(/03-04: (\w+)\n/g)].map(([, name]) => name!))
  }
  const last = await exits(0, run('--json'))
  // No run went back before the stage that the one before it was killed in.
  const places = [...ran, ...stagesOf(last)].map((stage) => STAGES.indexOf(stage))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  const { results } = await sandbox.query('SELECT count(), count(DISTINCT uuid) FROM events')
  expect(results).toEqual([[300, 300]])
})

test('rejects of a run that was killed are told by the next one, by code, last line, hook and metrics', async () => {
  const told: { event: string; exit_code?: number; counts?: unknown }[] = []
  const hook = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    told.push(JSON.parse(body))
    response.end()
  })
  const events = HISTORY.map((event, n) => (n === 7 ? { ...event, event: '' } : event))
  const { folder, file, env, run } = await rig('store', {}, { events })
  const address = `${await listening(hook)}/a-hook-of-ours`
  const words = ['--notify-webhook', address]
  // The transform and its reject are recorded by then.
  const cli = startCli(['run', file, ...words], env)
  await signalWhen(cli, 'SIGKILL', () => cli.printed().includes('03-04: verify\n'))
  // Killed when it was to note, last of all, that they were told: after its verify and its window's end.
  const kill = { point: 'rename', nth: 3, when: 'before' } as const
  const plan = suffering({ match: '.run.json.', kill })
  const said = await startCli(['run', file, '--json', ...words], { ...env, ...plan }).ended
  expect([said.signal, JSON.parse(said.stdout).exit_code], said.stderr).toEqual(['SIGKILL', 3])
  expect(said.stderr.trimEnd()).toMatch(/run: .*299 written, 1 rejected, .*\(exit code 3\)$/)
  expect(told.at(-1)).toMatchObject({ event: 'end', exit_code: 3 })
  for (const [code, stages] of [
    [3, []],
    [0, []],
  ] as const) {
    const next = await run('--json', ...words)
    expect([next.code, stagesOf(next)], next.stderr).toEqual([code, stages])
    expect(JSON.parse(next.stdout).counts).toEqual({ written: 299, rejected: 1, pending: 0 })
    expect(next.stderr.trimEnd().split('\n').at(-1)).toMatch(/run: .*299 written, 1 rejected/)
    expect(told.at(-1)).toMatchObject({ event: 'end', exit_code: code, counts: { rejected: 1 } })
    const written = seriesOf(readFileSync(join(folder, 'run.prom'), 'utf8'), 'posthaul_events_total')
    expect(written['fate="rejected",stage="transform"']).toBe(1)
    expect(written['fate="written",stage="import"']).toBe(299)
  }
})

test('a run that is told to stop says so once, not for its stage too', async () => {
  const { file, env } = await rig()
  const cli = startCli(['run', file], env)
  const ended = await exits(
    143,
    signalWhen(cli, 'SIGTERM', () => cli.printed().includes('03-04: transform\n')),
  )
  expect(ended.stderr).not.toMatch(/then: posthaul (export|transform)/)
  expect(ended.stderr).toContain('then: posthaul run')
})

test('state that is in a bucket serves another machine', async () => {
  const bucket = await started(new S3Server())
  const { env, file, sandbox, run } = await rig('s3://bucket/moved', bucket.env)
  const begun = await run('--until', 'check', '--json')
  expect([begun.code, stagesOf(begun)], begun.stderr).toEqual([0, ['export', 'transform', 'check']])

  // Another folder and another home: nothing of the first machine's disk.
  const elsewhere = testFolder()
  const copy = join(elsewhere, 'moved.yaml')
  copyFileSync(file, copy)
  copyFileSync(join(dirname(file), 'mapping.yaml'), join(elsewhere, 'mapping.yaml'))
  const other = { ...env, XDG_STATE_HOME: join(elsewhere, 'state') }
  const ended = await runHosted(['run', copy, '--json'], other, elsewhere)
  expect([ended.code, stagesOf(ended)], ended.stderr).toEqual([0, ['import', 'verify']])
  expect((await sandbox.query('SELECT count() FROM events')).results).toEqual([[300]])
  const again = await run('--json')
  expect([again.code, stagesOf(again)], again.stderr).toEqual([0, []])
  expect([...bucket.objects.keys()].filter((key) => key.startsWith('moved/state/run'))).toContain(
    'moved/state/run.json',
  )
})

test('when the end moves on, a window of its own brings what is new and what came late', async () => {
  const { file, fake, sandbox, run } = await rig()
  const upTo = (to: string) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(/to: [\d-]+/, `to: ${to}`))
  upTo('2024-03-03')
  await exits(0, run())
  // Days before or after those that were carried are not left out in silence.
  const said = readFileSync(file, 'utf8')
  for (const [setting, words] of [
    ['from: 2024-02-20', 'begins at 2024-02-20 now'],
    ['to: 2024-03-02', 'ends at 2024-03-02 now'],
  ] as const) {
    writeFileSync(file, said.replace(new RegExp(`\\b${setting.split(' ')[0]} [\\d-]+`), setting))
    for (const args of [[], ['--dry-run']]) {
      const { code, stderr } = await run(...args)
      expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([6, expect.stringContaining(words)])
    }
  }
  writeFileSync(file, said)
  const late = { time: FROM + DAY, distinct_id: 'u1', $insert_id: 'late' }
  fake.events = [...HISTORY, { event: 'Came Late', properties: late }]
  upTo('2024-03-04')
  const second = await run('--json')
  expect([second.code, stagesOf(second)], second.stderr).toEqual([0, STAGES])
  const { results } = await sandbox.query('SELECT count(), count(DISTINCT uuid) FROM events')
  expect(results).toEqual([[301, 301]])
  // Of the days that were fetched again, only what no window had was sent.
  expect(second.stderr).toContain('verify: equal: 101 events in 2 days')
})

test('a query that changes after its window was exported is asked about, and goes on with --changed keep', async () => {
  const folder = testFolder()
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  const row = { id: 1, event: 'a', distinct_id: 'u1', timestamp: '2024-01-01T10:00:00Z' }
  writeFileSync(join(folder, 'rows.ndjson'), `${JSON.stringify(row)}\n`)
  writeFileSync(join(folder, 'q.sql'), 'select 1')
  const source = `{ from: 2024-01-01, to: 2024-01-02, file: q.sql, run: "cat {file} > /dev/null; cat ${join(folder, 'rows.ndjson')}" }`
  writeFileSync(
    join(folder, 'm.yaml'),
    `source: { command: ${source} }\nmapping: { preset: events }\nstore: store\ntarget: { host: "${sandbox.url}", project_id: 1 }\n`,
  )
  const run = (...words: string[]) =>
    runHosted(['run', 'm.yaml', '--json', ...words], sandboxEnv(sandbox), folder)
  await exits(0, run())
  writeFileSync(join(folder, 'q.sql'), 'select 1 -- as before')
  const asked = await exits(6, run(), /is exported, and the query has changed.*--changed keep/)
  expect(JSON.parse(asked.stdout)).toMatchObject({ exit_code: 6, finished: false })
  writeFileSync(join(folder, 'q.sql'), 'select 1')
  await exits(0, run())
  writeFileSync(join(folder, 'q.sql'), 'select 1 -- as before')
  await exits(0, run('--changed', 'keep'))
  expect((await exits(0, run())).stderr).not.toContain('has changed')
})
