import { describe, expect, test } from 'vitest'
import { rows, startHarness, uuid } from '../harness.ts'

interface QueryBody {
  columns: string[]
  types: [string, string][]
  results: unknown[][]
  hasMore: boolean
  limit: number
}

const event = (n: number, more: object = {}) => ({
  uuid: uuid(n),
  event: n % 2 ? 'odd' : 'even',
  distinct_id: `u${n % 3}`,
  timestamp: `2024-03-0${1 + (n % 2)}T10:00:00.00${n % 10}Z`,
  properties: { n, plan: 'pro', 'a/b': { c: "it's" }, $groups: { organization: 'acme' } },
  ...more,
})

test('counts by day and event', async () => {
  const { send, query } = await startHarness()
  await send([1, 2, 3, 4, 4, 3].map((n) => event(n)))
  const answer = await query(
    'SELECT toDate(timestamp) AS day, event, count(DISTINCT uuid) AS n, count() FROM events GROUP BY day, event ORDER BY day',
  )
  expect([answer.status, answer.json()]).toEqual([
    200,
    expect.objectContaining({
      columns: ['day', 'event', 'n', 'count()'],
      types: [['day', 'Date'], ['event', 'String'], ['n', 'Int64'], ['count()', 'Int64']], // biome-ignore format: one a column
      results: [
        ['2024-03-01', 'even', 2, 3],
        ['2024-03-02', 'odd', 2, 3],
      ],
      hasMore: false,
      limit: 100,
      offset: 0,
    }),
  ])
})

test('a duplicate is seen until it is merged, a while after it arrived', async () => {
  let now = Date.UTC(2024, 5, 1)
  const { sandbox, send, query } = await startHarness({ now: () => now })
  const sql = 'SELECT count(), count(DISTINCT uuid), any(properties.n) FROM events'
  const asked = async () => ((await query(sql)).json() as QueryBody).results[0]
  await send([event(1)])
  await send([event(1)])
  expect(await asked()).toEqual([2, 1, '1'])
  expect(await rows(sandbox, sql)).toEqual([[1, 1, '1']])
  now += 60_000 + 1
  expect(await asked()).toEqual([1, 1, '1'])
  await send([event(1)])
  expect(await asked()).toEqual([2, 1, '1'])
})

test('times are those of the project where a query does not say otherwise', async () => {
  const { sandbox, send, get } = await startHarness({ timeZone: 'America/Los_Angeles' })
  expect((await get('/api/projects/1/')).json()).toMatchObject({ timezone: 'America/Los_Angeles' })
  await send([{ ...event(1), timestamp: '2024-03-01T02:30:00.001999Z' }])
  for (const [expression, expected] of [
    ['timestamp', '2024-03-01T02:30:00.001000Z'],
    ['toDate(timestamp)', '2024-02-29'],
    ["toDate(toTimeZone(timestamp, 'UTC'))", '2024-03-01'],
    ["toString(toTimeZone(timestamp, 'UTC'))", '2024-03-01 02:30:00.001'],
    ['toString(toStartOfMonth(timestamp))', '2024-02-01'],
    ['toUnixTimestamp(timestamp)', 1_709_260_200],
    ["timestamp >= '2024-03-01'", false],
    ["timestamp >= toDateTime('2024-03-01 00:00:00', 'UTC')", true],
    ["timestamp >= toDateTime64('2024-03-01 00:00:00.000000', 6, 'UTC')", true],
    ['timestamp < now()', true],
  ] as const) {
    expect.soft(await rows(sandbox, `SELECT ${expression} FROM events`), expression).toEqual([[expected]])
  }
})

describe('expressions', () => {
  const table: [string, unknown][] = [
    ['properties.n', '1'],
    ['e.properties.plan', 'pro'],
    ["properties['plan']", 'pro'],
    ['properties.`a/b`.c', "it's"],
    ['properties."a/b".c', "it's"],
    ['properties.$groups.organization', 'acme'],
    ['properties.missing', null],
    ['$group_0', 'acme'],
    ["JSONExtractString(properties, 'a/b', 'c')", "it's"],
    ["JSONExtractInt(properties, 'n')", 1],
    ["JSONHas(properties, 'nope')", false],
    ["'it\\'s' || 'a''b'", "it'sa'b"],
    ['uuid', uuid(1)],
    ['timestamp', '2024-03-02T10:00:00.001000Z'],
    ['toStartOfDay(timestamp)', '2024-03-02T00:00:00Z'],
    ['toStartOfMonth(timestamp)', '2024-03-01'],
    ['toStartOfWeek(timestamp)', '2024-02-25'],
    ['toStartOfWeek(timestamp, 1)', '2024-02-26'],
    ['toYYYYMM(timestamp)', 202403],
    ["timestamp >= toDateTime('2024-03-02 10:00:00')", true],
    ["timestamp < '2024-03-02T10:00:00.001000Z'", false],
    ["toDateTime('2024-03-02 10:00:00', 'Europe/Berlin')", '2024-03-02T09:00:00Z'],
    [
      "(timestamp, uuid) > (toDateTime64('2024-03-02 10:00:00', 6), toUUID('{u}'))".replace('{u}', uuid(1)),
      true,
    ],
    ['timestamp < now()', true],
    ['toUnixTimestamp(timestamp)', 1_709_373_600],
    ['isNull(properties.x)', true],
    ["multiIf(1 = 2, 'a', 2 = 2, 'b', 'c')", 'b'],
    ["if(event = 'odd', 1, 0)", 1],
    ['timestamp + toIntervalDay(1)', '2024-03-03T10:00:00.001000Z'],
    ['historical_migration', false],
    ['toString(toDate(timestamp))', '2024-03-02'],
    ['properties.constructor', null],
  ]

  test('mean what the service means', async () => {
    const { sandbox, send } = await startHarness()
    await send([event(1)])
    for (const [expression, expected] of table) {
      const result = await rows(sandbox, `SELECT ${expression} FROM events AS e`)
      expect.soft(result, expression).toEqual([[expected]])
    }
  })

  test('of the service alone are run, or refused', async () => {
    const { sandbox, send, query } = await startHarness()
    await send([1, 2, 3, 4, 6].map((n) => event(n)))
    for (const [expression, expected] of [
      ["count() FILTER (WHERE event = 'odd')", 2],
      ['count(DISTINCT event, distinct_id)', 5],
      ["CASE WHEN count() > 3 THEN 'many' WHEN count() > 2 THEN 'some' ELSE 'few' END", 'many'],
      ['max(9007199254740993)', '9007199254740993'],
    ] as const) {
      expect.soft(await rows(sandbox, `SELECT ${expression} FROM events`), expression).toEqual([[expected]])
    }
    for (const sql of [
      'SELECT event FROM events SAMPLE 0.1',
      'SELECT event FROM events LIMIT 1 BY event',
      'SELECT windowFunnel(10)(timestamp, event) FROM events',
      'SELECT count() FROM events WHERE person_id IN COHORT 3',
    ]) {
      expect.soft((await query(sql)).status, sql).toBe(400)
    }
  })

  test('aggregates', async () => {
    const { sandbox, send } = await startHarness()
    await send([1, 2, 3, 4].map((n) => event(n)))
    const sql = `SELECT uniq(distinct_id), countIf(event = 'odd'), min(timestamp), sum(toFloat(properties.n)),
      groupArray(event) FROM events`
    expect(await rows(sandbox, sql)).toEqual([
      [3, 2, '2024-03-01T10:00:00.002000Z', 10, ['odd', 'even', 'odd', 'even']],
    ])
  })
})

describe('rows', () => {
  test('are a hundred without a limit and fifty thousand at most', async () => {
    const { sandbox, send, query } = await startHarness()
    // Each beside each: more rows than the limit.
    const batch = Array.from({ length: 224 }, (_, n) => ({ event: 'a', distinct_id: 'u', uuid: uuid(n) }))
    await send(batch)
    const pairs = 'SELECT one.uuid FROM events AS one JOIN events AS other ON one.event = other.event'
    const ask = async (rest: string, select = 'SELECT uuid FROM events') => {
      const { results, hasMore, limit } = (await query(`${select} ${rest}`)).json() as QueryBody
      return [results.length, hasMore, limit]
    }
    expect(await ask('-- all of them')).toEqual([100, true, 100])
    expect(await ask('LIMIT 3;')).toEqual([3, true, 3])
    expect(await ask('LIMIT 1000000', pairs)).toEqual([50_000, true, 50_000])
    expect(await ask('WHERE uuid IN (SELECT uuid FROM events LIMIT 5)')).toEqual([5, false, 100])
    expect(await rows(sandbox, pairs)).toHaveLength(224 * 224)
  })
})

test('lists of texts find what they name, however many a query has', async () => {
  const { sandbox, send, query } = await startHarness()
  await send(Array.from({ length: 2000 }, (_, n) => event(n)))
  const list = (some: readonly unknown[]) => `(${some.map((one) => `'${one}'`).join(', ')})`
  const uuids = (from: number, count: number) =>
    list(Array.from({ length: count }, (_, n) => uuid(from + n * 2)))
  // Those of a name that isn't theirs are not found.
  const places = Array.from({ length: 60 }, (_, n) => {
    const name = n < 50 ? 'even' : 'odd'
    return `(timestamp < toDateTime64('2024-03-09 00:00:00', 6, 'UTC') AND event = '${name}' AND toString(uuid) IN ${uuids(n * 30, 13)})`
  })
  const many = await query(`SELECT count(DISTINCT toString(uuid)) FROM events WHERE ${places.join(' OR ')}`)
  expect([many.status, (many.json() as QueryBody).results]).toEqual([200, [[50 * 13]]])
  for (const [where, count] of [
    [`toString(uuid) IN ${uuids(0, 40)}`, 40],
    [`toString(uuid) IN ${uuids(0, 900)}`, 900],
    [`event NOT IN ${list(['odd', 'x'])} AND distinct_id in ${list(['u0'])}`, 334],
    [`NOT event IN ${list(['odd'])}`, 1000],
    [`concat('x', event) IN ${list(['xodd'])}`, 1000],
    [`'x' || event IN ${list(['xodd'])}`, 1000],
    [`uuid IN ${list([uuid(1).toUpperCase()])}`, 1],
    [`(event, distinct_id) IN (('odd', 'u1'))`, 334],
    [`event IN (SELECT 'odd')`, 1000],
  ] as const)
    expect([where, await rows(sandbox, `SELECT count() FROM events WHERE ${where}`)]).toEqual([
      where,
      [[count]],
    ])
})

describe('refused with 400', () => {
  test('OFFSET, by a personal key', async () => {
    const { query } = await startHarness()
    const answer = await query('SELECT uuid FROM events LIMIT 20 OFFSET 20')
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('OFFSET is not supported')])
  })

  const statements = [
    'SELEC 1',
    'SELECT nope FROM events',
    'SELECT 1 FROM nowhere',
    "SELECT 'open",
    'SELECT 1; SELECT 2',
    '',
    'INSERT INTO events VALUES (1)',
    'DROP VIEW events',
    'CREATE TABLE mine AS SELECT 1',
    'CREATE OR REPLACE TEMP TABLE persons AS SELECT 1',
    "ATTACH 'x.db'",
    "COPY events TO 'x.csv'",
    'SET threads = 1',
    'PRAGMA database_list',
    'SELECT * FROM sandbox_log',
    'SELECT * FROM "sandbox_log"',
    'SELECT * FROM duckdb_settings()',
    "SELECT * FROM read_csv('/etc/hostname')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM '/etc/hostname'",
    "SELECT * FROM glob('/*')",
    "SELECT getenv('HOME')",
    'SELECT {placeholder}',
    'SELECT count(',
  ]

  test('what is wrong, writes or looks outside', async () => {
    const { query } = await startHarness()
    for (const sql of statements) {
      const answer = await query(sql)
      expect.soft(answer.status, sql).toBe(400)
      expect
        .soft(answer.json(), sql)
        .toMatchObject({ type: 'validation_error', detail: expect.stringMatching(/\S/) })
    }
    expect((await query('SELECT count() FROM events')).status).toBe(200)
  })

  test('a body without a query, or of another kind', async () => {
    const { sandbox } = await startHarness()
    const send = async (body: string) => {
      const headers = { authorization: `Bearer ${sandbox.personalKey}` }
      const response = await fetch(`${sandbox.url}/api/projects/1/query/`, { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { attr: string }).attr]
    }
    expect(await send('{}')).toEqual([400, 'query'])
    expect(await send('nonsense')).toEqual([400, 'query'])
    expect(await send('{"query":{"kind":"PathsQuery","query":"x"}}')).toEqual([400, 'query'])
  })
})

describe('a group is on an event', () => {
  const SQL =
    'SELECT $group_0, properties.$group_0, properties.$groups.organization FROM events ORDER BY uuid'
  const events = [
    event(1, { timestamp: '2024-03-05T00:00:00.500Z' }),
    event(2, { timestamp: '2024-03-01T00:00:00Z' }),
    event(3, { timestamp: '2024-03-05T00:00:00Z' }),
  ]

  test('from the second of its type on', async () => {
    const { sandbox, send } = await startHarness()
    await send(events)
    const seen = ['acme', 'acme', 'acme']
    expect(await rows(sandbox, SQL)).toEqual([seen, ['', 'acme', 'acme'], seen])
  })

  test('always, if its type has no time', async () => {
    const { sandbox, send } = await startHarness({ groupCreatedAt: 'null' })
    await send(events)
    expect(await rows(sandbox, 'SELECT DISTINCT $group_0 FROM events')).toEqual([['acme']])
  })

  test('never, if it has no person or its type is a sixth', async () => {
    const { sandbox, send } = await startHarness()
    const grouped = ($groups: object, more: object = {}) => ({
      event: 'a',
      distinct_id: 'u',
      properties: { $groups, ...more },
    })
    await send([
      grouped({ club: 'x' }, { $process_person_profile: false, $group_0: 'x' }),
      grouped({ a: 1, b: 'b', c: 'c', d: 'd', e: 'e', f: 'f' }),
    ])
    const columns = [0, 1, 2, 3, 4].flatMap((n) => [`$group_${n}`, `properties.$group_${n}`]).join(', ')
    expect(await rows(sandbox, `SELECT ${columns} FROM events ORDER BY $group_0`)).toEqual([
      ['', null, '', null, '', null, '', null, '', null],
      ['1', '1', 'b', 'b', 'c', 'c', 'd', 'd', 'e', 'e'],
    ])
    expect(await rows(sandbox, 'SELECT properties.$groups.f FROM events ORDER BY 1')).toEqual([['f'], [null]])
  })
})
