import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { FastClock } from '../faults/kit/clock.ts'
import { CommandHost, runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'

/*
 * The report's table of counts: the vendor counts one event more than it gives, and of one name on one day some records are
 * rejected, some filtered, some there twice.
 */
const DAYS = '2024-03-01 2024-03-02 2024-03-03 2024-03-04 2024-03-05 2024-03-06 2024-03-07'.split(' ')
const at = (day: number, n: number) => Date.parse(DAYS[day]!) + n * 60_000
const view = (day: number, n: number, more: object = {}): MixpanelEvent => {
  const properties = {
    time: at(day, n),
    distinct_id: `u${n % 3}`,
    $insert_id: `id-${day}-${n}`,
    plan: 'pro',
    ...more,
  }
  return { event: 'View', properties }
}
// Of the third day 20 records: 2 that nobody sent, 3 that the mapping leaves out, 1 whose twin came at another second.
const events = [
  ...DAYS.flatMap((_, day) => (day === 2 ? [] : Array.from({ length: 4 }, (_, n) => view(day, n)))),
  ...Array.from({ length: 14 }, (_, n) => view(2, n)),
  view(2, 3, { time: at(2, 3) + 1000, price: 1 }),
  view(2, 20, { distinct_id: 'undefined' }),
  view(2, 21, { distinct_id: 'null' }),
  ...[30, 31, 32].map((n) => view(2, n, { plan: 'test' })),
  { event: 'Paid', properties: { time: at(2, 40), distinct_id: 'u1', $insert_id: 'paid', plan: 'pro' } },
]
const lost = ({ properties }: MixpanelEvent) => properties.$insert_id === 'id-4-1'

const COLUMNS = [
  ...['vendor counts', 'of these exported', 'records', 'events made'],
  ...['rejected', 'filtered', 'duplicates', 'in PostHog'],
]

const folder = makeFolder()
const clock = new FastClock(5)
const host = new CommandHost(clock.env)
const fake = new FakeMixpanel({ events, lost })
let sandbox: Sandbox
beforeAll(async () => {
  ;[sandbox] = await Promise.all([startSandbox(), fake.start()])
  const span = ['--from', DAYS[0]!, '--to', '2024-03-08', '--out', 'raw', '--base-url', fake.url]
  await exits(3, host.run(['export', 'mixpanel', ...span], env(), folder))
  writeFileSync(
    join(folder, 'mapping.yaml'),
    'preset: mixpanel\nfilter:\n  from: 2024-03-01T00:02:00Z\n  where: { properties.plan: pro }\nevents:\n  rename: { Paid: paid }\n',
  )
  await exits(3, run('transform', '--map', 'mapping.yaml', '--in', 'raw', '--out', 'events'))
})
afterAll(() => Promise.all([host.close(), sandbox.close(), fake.close()]))

function env() {
  return { ...sandboxEnv(sandbox), ...MIXPANEL_ENV }
}

function run(...argv: string[]) {
  return runHosted(argv, env(), folder)
}

/** The rows of the tables of counts, and the sentences above them. */
async function counts(): Promise<{ rows: string[][]; said: string[] }> {
  await exits(0, run('report', 'events', '--out', 'report.html'))
  const html = readFileSync(join(folder, 'report.html'), 'utf8')
  const section = html.slice(html.indexOf('id="counts"'), html.indexOf('id="left-out"'))
  const textOf = (text: string) => text.replaceAll(/<[^>]+>/g, '').replaceAll('&#39;', "'")
  const cellsOf = (row: string) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => textOf(cell!))
  return {
    rows: [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => cellsOf(row!)),
    said: [...section.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line]) => textOf(line!)),
  }
}

test('the counts beside the datasets add up to their manifests', () => {
  readSoundDataset(join(folder, 'events'))
})

test('by day and by name: what the vendor counts, what became of it, and what PostHog has', async () => {
  const fast = ['--approved', '--max-events-per-minute', '1000000']
  await exits(0, run('import', '--dataset', 'events', ...fast, '--verify'))
  const { rows, said } = await counts()
  expect(rows).toEqual([
    ['day', ...COLUMNS],
    ['≠ 2024-03-05', '4', '3', '3', '3', '0', '0', '0', '3'],
    ['2024-03-01', '4', '4', '4', '2', '0', '2', '0', '2'],
    ['2024-03-02', '4', '4', '4', '4', '0', '0', '0', '4'],
    ['2024-03-03', '21', '21', '21', '16', '2', '3', '1', '15'],
    ['2024-03-04', '4', '4', '4', '4', '0', '0', '0', '4'],
    ['2024-03-06', '4', '4', '4', '4', '0', '0', '0', '4'],
    ['2024-03-07', '4', '4', '4', '4', '0', '0', '0', '4'],
    ['name', ...COLUMNS],
    ['≠ View', '44', '43', '40', '36', '2', '2', '1', '35'],
    ['Paid', '1', '1', '1', '1', '0', '0', '0', '1'],
    // Their member was looked at before their name.
    ['not known', '', '', '3', '0', '0', '3', '', ''],
  ])
  expect(said).toEqual([
    'The vendor counts other numbers than were exported on 1 day: 2024-03-05 (1 more).',
    'The vendor counts other numbers than were exported for 1 name: View (1 more).',
  ])
})

test('counts that are gone leave their columns empty, and that is said', async () => {
  rmSync(join(folder, 'raw', 'vendor-counts.json'))
  rmSync(join(folder, 'events', 'outcomes.json'))
  const { rows, said } = await counts()
  expect(rows.slice(0, 2)).toEqual([
    ['day', ...COLUMNS],
    ['2024-03-01', '', '', '4', '', '', '', '', '2'],
  ])
  expect(said).toEqual([
    expect.stringContaining('What the vendor counts is not known for raw: no vendor-counts.json'),
    expect.stringContaining(
      'What became of the records of events by day is not known: it has no outcomes.json',
    ),
  ])
})
