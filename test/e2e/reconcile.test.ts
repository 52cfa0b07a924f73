import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FastClock } from '../faults/kit/clock.ts'
import { startCli } from '../helpers/cli-process.ts'
import { CommandHost } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { withoutLog } from '../helpers/screen.ts'
import { started } from '../helpers/started.ts'
import { unfolded } from '../helpers/unfolded.ts'
import {
  MIXPANEL_ENV as ENV,
  FakeMixpanel,
  type FakeMixpanelOptions,
  type MixpanelEvent,
} from '../helpers/vendors/mixpanel.ts'

const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
const seed = seedOf('reconcile')
/** An export keeps to the vendor's pace. */
const clock = new FastClock(5)
const host = new CommandHost(clock.env)
afterAll(() => host.close())
const runHosted: CommandHost['run'] = (...call) => host.run(...call)

const events = Array.from({ length: 800 }, (_, i): MixpanelEvent => {
  return {
    event: ['Plan Chosen', 'Signed Up'][i % 2]!,
    properties: { time: FROM + (i % 8) * DAY + i * 1000, distinct_id: `u${i % 9}`, $insert_id: `id-${i}` },
  }
})
// Three of the second day, and one of the fifth.
const lost = ({ properties }: MixpanelEvent) =>
  ['id-1', 'id-9', 'id-17', 'id-4'].includes(String(properties.$insert_id))

async function mixpanel(options: Partial<FakeMixpanelOptions> = {}): Promise<FakeMixpanel> {
  const fake = await started(new FakeMixpanel({ events, ...options }))
  return fake
}

function argvOf(fake: FakeMixpanel, out: string, ...more: string[]): string[] {
  const quick = ['--base-url', fake.url, '--requests-per-hour', '100000']
  return ['export', 'mixpanel', '--from', '2024-03-01', '--to', '2024-03-09', '--out', out, ...quick, ...more]
}

const reports = (fake: FakeMixpanel) => fake.seen.filter(({ url }) => url.pathname.startsWith('/api/query/'))

test('an export that is short exits 3, and says which days of which events are', async () => {
  const fake = await mixpanel({ lost })
  const out = testFolder()
  const ran = await exits(3, runHosted(argvOf(fake, out), ENV))
  const said = withoutLog(ran.stderr)
  expect(
    said
      .replaceAll(out, 'raw')
      .split('\n')
      .filter((line) => line.length > 80 && !/^ {2}then:|two years ago/.test(line)),
  ).toEqual([])
  expect(said.slice(said.indexOf('  short'))).toBe(
    '  short     2 of 8 days: Mixpanel counts more events than it gave\n' +
      '            2024-03-02 Signed Up: 97 here, 100 there\n' +
      '            2024-03-05 Plan Chosen: 99 here, 100 there\n' +
      '            fetch the days again with --refetch; what stays short, only the\n' +
      '            vendor can explain\n' +
      `  then: posthaul ${argvOf(fake, out, '--refetch').join(' ')}\n`,
  )
  const again = await runHosted(argvOf(fake, out, '--json'), ENV)
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
    3,
    {
      finished: true,
      error: null,
      reconciled: {
        days: 8,
        other_days: 0,
        last_days: 0,
        zone: 'UTC',
        zone_known: true,
        events: { here: 796, vendor: 800 },
        short: [
          { day: '2024-03-02', event: 'Signed Up', here: 97, vendor: 100 },
          { day: '2024-03-05', event: 'Plan Chosen', here: 99, vendor: 100 },
        ],
        arriving: [],
        untold: [],
        uncertain_parts: 0,
        uncertain_days: 0,
        reason: null,
      },
    },
  ])
})

test('--no-reconcile asks for no counts', async () => {
  const fake = await mixpanel({ lost })
  const ran = await exits(0, runHosted(argvOf(fake, testFolder(), '--no-reconcile', '--json'), ENV))
  expect(reports(fake)).toEqual([])
  expect(JSON.parse(ran.stdout).reconciled).toMatchObject({
    days: null,
    short: null,
    reason: '--no-reconcile',
  })
})

test.each([
  [{ status: 402, body: '{"error":"Your plan does not allow API calls."}' }, '402: Your plan'],
  [{ status: 403, body: '{"error":"no permission for this project"}' }, '403: no permission'],
])('a report that may not be asked (%j) is said, and is no failure', async (refuses, words) => {
  const fake = await mixpanel({ refuses })
  const out = testFolder()
  const ran = await exits(0, runHosted(argvOf(fake, out), ENV))
  expect(unfolded(ran.stderr)).toContain('unchecked whether Mixpanel gave all it has is not known')
  expect(unfolded(ran.stderr)).toContain(words)
  expect(ran.stderr).toContain('next: posthaul transform')
  expect(ran.stderr).not.toContain('service-secret')
  const { reconciled, finished } = JSON.parse((await runHosted(argvOf(fake, out, '--json'), ENV)).stdout)
  expect([finished, reconciled.short, reconciled.reason]).toEqual([
    true,
    null,
    expect.stringContaining(words),
  ])
})

test('an interrupt leaves the export finished, and the same command asks again', async () => {
  const fake = await mixpanel({ refuses: { status: 503, body: 'busy' } })
  const out = testFolder()
  const cli = startCli(argvOf(fake, out), { ...ENV, ...clock.env })
  fake.onRequest = () => {
    if (reports(fake).length === 2) cli.kill('SIGTERM')
  }
  const cut = await exits(143, cli.ended, 'export: done after')
  expect(cut.stderr).toContain('unchecked')
  expect(existsSync(join(out, 'manifest.json'))).toBe(true)
  fake.refuses = undefined
  fake.onRequest = () => {}
  const windows = fake.seen.length - reports(fake).length
  await exits(0, runHosted(argvOf(fake, out), ENV), 'nothing is short in 8 days')
  expect(fake.seen.length - reports(fake).length).toBe(windows)
})

test('kills and a lost file of counts hide nothing, and make up nothing', async () => {
  const fake = await mixpanel()
  const out = testFolder()
  await exportUnderKills({
    argv: argvOf(fake, out),
    env: { ...ENV, ...clock.env },
    fake,
    random: seeded(seed),
    kills: kills({ few: 1, many: 3 }),
  })
  const [first] = readdirSync(join(out, 'counts'))
  rmSync(join(out, 'counts', first!))
  const ran = await exits(0, runHosted(argvOf(fake, out, '--json'), ENV))
  expect(JSON.parse(ran.stdout).reconciled).toMatchObject({
    days: 8,
    events: { here: 800, vendor: 800 },
    short: [],
  })
  expect(readdirSync(join(out, 'counts'))).toContain(first)
})
