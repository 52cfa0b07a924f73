import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { writeParquet } from '../helpers/parquet.ts'
import { unfolded } from '../helpers/unfolded.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/init')

type Event = Record<string, unknown> & { properties: Record<string, unknown> }

/** The events of a dataset, in order. */
function eventsIn(folder: string): Event[] {
  return readdirSync(folder)
    .filter((name) => /^\d.*\.ndjson$/.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Event)
}

/** Takes a file from `init` through `transform` without an edit. Returns the events and the mapping file. */
async function walk(file: string) {
  const folder = testFolder()
  const [map, out] = [join(folder, 'mapping.yaml'), join(folder, 'events')]
  for (const argv of [
    ['init', file, '--out', map],
    ['transform', '--map', map, '--in', file, '--out', out],
  ]) {
    const ran = await runHosted(argv)
    expect([argv[0], ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([argv[0], 0, ''])
  }
  return { events: eventsIn(out), yaml: readFileSync(map, 'utf8') }
}

test('a web shop with dates of the United States and money', async () => {
  const { events, yaml } = await walk(join(FIXTURES, 'web-shop.csv'))
  expect(events).toHaveLength(40)
  expect(yaml).toContain('time_format: "MM/DD/YYYY hh:mm A"')
  expect(yaml).toContain('40 of 40 times of Order date carry no zone: UTC?')
  // The number of the order is another one in each row, so it is the event's id, which is asked.
  expect(yaml).toContain('uuid: "Order ID"')
  expect(yaml).toContain('is another one in each record: is it')
  const refund = events.find(({ properties }) => properties.Total === 1111.93)
  expect(refund).toMatchObject({
    event: 'Refunded',
    distinct_id: 'C003',
    timestamp: '2024-04-22T04:39:00.000000Z',
    properties: { Total: 1111.93, Items: 4, Gift: true, $current_url: 'https://shop.example.com/p/3' },
  })
  expect(events.map(({ properties }) => properties.Notes)).toContain('He said "ok", then\nleft: # really')
})

test('the log of an app with milliseconds and JSON text', async () => {
  const { events } = await walk(join(FIXTURES, 'app-log.csv'))
  const own = events.filter(({ event }) => event !== '$identify')
  expect(own).toHaveLength(30)
  expect(own[1]).toMatchObject({
    event: 'screen_view',
    distinct_id: 'u1',
    timestamp: '2024-03-01T12:01:00.000000Z',
    properties: { screen: 'cart', ms: 11, app_version: '1.1.0', is_beta: true },
  })
  // Without a user the device is the person, and becomes one with its first user.
  expect(own[0]!.distinct_id).toBe('d0')
  expect(events.filter(({ event }) => event === '$identify').length).toBeGreaterThan(0)
})

test('a table of semicolons, with days first and a comma before cents', async () => {
  const { events } = await walk(join(FIXTURES, 'betraege.csv'))
  expect(events).toHaveLength(30)
  expect(events.find(({ distinct_id, event }) => distinct_id === 'K-1' && event === 'Kauf')).toMatchObject({
    timestamp: '2023-02-02T01:15:00.000000Z',
    properties: { Betrag: 1201.01, PLZ: '1001' },
  })
  expect(events[0]!.properties.PLZ).toBe('01000')
})

test('a customer who is known late, and a visitor before', async () => {
  const { events, yaml } = await walk(join(FIXTURES, 'visitors.csv'))
  expect(yaml).toContain('distinct_id: ["Customer ID", Visitor]')
  expect(yaml).toMatch(/anonymous_id: Visitor .*\n {2}# \? 28 of 40 records have no Customer ID, but Visitor/)
  const own = events.filter(({ event }) => event !== '$identify')
  expect(own).toHaveLength(40)
  expect(own.filter(({ distinct_id }) => distinct_id === 'v000ab')).toHaveLength(2)
  const linked = events.filter(({ event }) => event === '$identify')
  expect(linked.map(({ distinct_id, properties }) => [distinct_id, properties.$anon_distinct_id])).toEqual([
    ['C-0000', 'v000ab'],
    ['C-0001', 'v002ab'],
    ['C-0002', 'v004ab'],
    ['C-0003', 'v006ab'],
  ])
})

test('nested objects', async () => {
  const { events } = await walk(join(FIXTURES, 'nested.ndjson'))
  const own = events.filter(({ event }) => event !== '$groupidentify')
  expect(own).toHaveLength(30)
  expect(own[0]).toMatchObject({
    event: 'Viewed',
    distinct_id: 'user-0',
    timestamp: '2024-03-01T10:00:00.000000Z',
    properties: { payload: { sku: 'S0', price: 0, big: '9007199254740993' }, $groups: { company: 'org-0' } },
  })
})

test('a table with the index that pandas writes', async () => {
  const { events } = await walk(join(FIXTURES, 'pandas.csv'))
  expect(events).toHaveLength(30)
  const [, second] = events.filter(({ properties }) => Number(properties.value) < 1)
  expect(second).toMatchObject({ event: 'logout', distinct_id: 'u1', properties: { value: 0.5 } })
  expect(Object.keys(second!.properties)).not.toContain('')
})

test('a mapping file is never written over, and the findings are one object', async () => {
  const folder = testFolder()
  const map = join(folder, 'mapping.yaml')
  writeFileSync(map, 'preset: events\n')
  const file = join(FIXTURES, 'pandas.csv')
  await exits(2, runCommand(['init', file, '--out', map]), 'is there already, and was left as it is')
  expect(readFileSync(map, 'utf8')).toBe('preset: events\n')
  const json = await exits(0, runCommand(['init', file, '--json']))
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: 1,
    command: 'init',
    out: null,
    preset: 'events',
    sample: { records: 30, whole: true },
    missing: [],
    trial: { events: 30, rejected: 0 },
    mapping: expect.stringContaining('distinct_id: user'),
  })
})

test('the columns of Parquet keep their types', async () => {
  const folder = testFolder()
  const file = join(folder, 'rows.parquet')
  await writeParquet(
    file,
    `SELECT 'signup' AS action, 7 AS member_id, TIMESTAMP '2024-03-01 12:00:00' AS happened_at, {'plan': 'pro'} AS extra`,
  )
  const ran = await runCommand(['init', file])
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('Tried on 1 of them: 1 become events.')])
  expect(ran.stdout).toMatch(/distinct_id: member_id .*\n(?:.*\n)*? {2}timestamp: happened_at/)
})

test('what nothing names is FILL_IN, and the exit code says so', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'data.csv'), 'plan,n\npro,1\n')
  const map = join(folder, 'mapping.yaml')
  await exits(3, runCommand(['init', join(folder, 'data.csv'), '--out', map]), "missing   the person's id")
  expect(readFileSync(map, 'utf8')).toContain('event: FILL_IN')
})

test('an empty file and a missing one are refused in words', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'empty.csv'), '')
  for (const [file, words] of [
    ['empty.csv', 'holds no records'],
    ['gone.csv', 'is not there'],
  ] as const) {
    const ran = await runCommand(['init', join(folder, file)])
    expect([file, ran.code, ran.stdout, unfolded(ran.stderr)]).toEqual([
      file,
      2,
      '',
      expect.stringContaining(words),
    ])
  }
})
