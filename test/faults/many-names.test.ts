import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import type { EventsManifest } from '../../src/store/manifest.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * More names on each of the first two days than are told apart, and three on the third: counted together, nothing of it
 * may be lost, sent with another name or proven by half.
 */
const NAMES = 10_100
const DAYS = ['2024-03-01', '2024-03-02', '2024-03-03']
const FAST = ['--approved', '--max-events-per-minute', '10000000']

const folder = makeFolder()
const raw = join(folder, 'raw.ndjson')
const dataset = join(folder, 'events')
const sandbox = await fileSandbox()

function record(day: number, event: string, n: number): string {
  const time = Date.parse(DAYS[day]!) / 1000 + n
  return JSON.stringify({
    event,
    properties: { time, distinct_id: `user-${n % 50}`, $insert_id: `${day}-${n}-${event}` },
  })
}

beforeAll(() => {
  const many = (day: number) => Array.from({ length: NAMES }, (_, n) => record(day, `Opened ${n}`, n))
  const few = [0, 1, 2].flatMap((day) =>
    ['Signed up', 'Paid', 'Left'].flatMap((event, n) => [record(day, event, n), record(day, event, n + 3)]),
  )
  // The names to keep come last.
  writeFileSync(raw, `${[...many(0), ...many(1), ...few].join('\n')}\n`)
})

function run(...argv: string[]) {
  return runHosted(argv, sandboxEnv(sandbox))
}

test('10,100 names a day: counted together, all sent, and proven', async () => {
  await exits(EXIT.done, run('transform', '--preset', 'mixpanel', '--in', raw, '--out', dataset))
  const manifest = JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8')) as EventsManifest
  expect(Object.keys(manifest.names)).toHaveLength(10_000)
  expect(manifest.names).toMatchObject({ 'Signed up': 6, Paid: 6, Left: 6, 'Opened 0': 2, 'Opened 10': 2 })
  // 9,997 of the others are told apart, each with the events of both days.
  expect(manifest.other_names).toBe(2 * (NAMES - 9_997))
  expect(manifest.days).toEqual({ [DAYS[0]!]: NAMES + 6, [DAYS[1]!]: NAMES + 6, [DAYS[2]!]: 6 })
  const [, ...lines] = readFileSync(join(dataset, 'arrival.ndjson'), 'utf8').trimEnd().split('\n')
  const cells = lines.map((line) => JSON.parse(line) as { day: string; event: string | null; count: number })
  expect(cells.map(({ day, event, count }) => [day, event, count])).toEqual([
    [DAYS[0], null, NAMES + 6],
    [DAYS[1], null, NAMES + 6],
    [DAYS[2], 'Left', 2],
    [DAYS[2], 'Paid', 2],
    [DAYS[2], 'Signed up', 2],
  ])

  const checked = await exits(EXIT.done, run('check', dataset))
  const told = '10,000 names are told apart; 206 events of other names are counted together'
  expect(unfolded(checked.stdout)).toContain(told)
  const own = JSON.parse((await run('check', '--json', dataset)).stdout)
  expect([Object.keys(own.names).length, own.other_names, own.events]).toEqual([10_000, 206, 2 * NAMES + 18])

  await exits(EXIT.done, run('import', '--dataset', dataset, ...FAST))
  const proven = await exits(EXIT.done, run('verify', dataset))
  expect(unfolded(proven.stdout + proven.stderr)).toContain(
    'names: 2 days with too many event names are compared as a whole, not name by name',
  )
  const proof = JSON.parse((await run('verify', '--json', dataset)).stdout)
  expect(proof).toMatchObject({
    equal: true,
    events: { here: 2 * NAMES + 18, service: 2 * NAMES + 18, missing: 0, unknown: 0 },
    inputs: [{ days: 3, whole_days: 2 }],
  })
})

test('an event among those counted together that is another in the service is found', async () => {
  const other = join(folder, 'other')
  // The first day alone.
  const lines = readFileSync(raw, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"$insert_id":"0-'))
  const last = `0-${NAMES - 1}-Opened ${NAMES - 1}`
  writeFileSync(`${other}.ndjson`, lines.join('\n').replace(last, 'another'))
  await exits(EXIT.done, run('transform', '--preset', 'mixpanel', '--in', `${other}.ndjson`, '--out', other))
  const found = await exits(EXIT.rejects, run('verify', '--json', other))
  const { equal, events, differences } = JSON.parse(found.stdout)
  expect([equal, events.missing, events.unknown]).toEqual([false, 1, 1])
  expect(differences).toMatchObject([{ day: DAYS[0], event: null, missing: 1, unknown: 1 }])
})
