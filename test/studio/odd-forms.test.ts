import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { firstOf } from './first-of.ts'

const event = (at: number) => ({
  event: 'open',
  distinct_id: `u${at}`,
  timestamp: `2024-03-01T10:00:0${at}Z`,
})
const byId = Object.fromEntries([1, 2, 3].map((at) => [`-N${at}`, event(at)]))
const lines = (records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')

test.each([
  ['at the top', byId, "jq -c 'to_entries[] | {key} + .value'"],
  ['in a member', { version: 3, log: byId }, `jq -c '.["log"] | to_entries[] | {key} + .value'`],
])('events by their ids are asked about, %s', async (_, content, remedy) => {
  for (const text of [JSON.stringify(content), JSON.stringify(content, null, 2)]) {
    const { asked, missing } = await firstOf({ 'x.json': text })
    expect(missing).toEqual(['event', 'distinct_id', 'timestamp'])
    expect(asked).toMatch(/^3 objects.* look like events, by ids such as -N1, -N2, -N3/)
    expect(asked).toContain(remedy)
  }
})

test.each([
  ['by index', (values: readonly string[]) => ({ ...values })],
  ['as lists', (values: readonly string[]) => values],
])('a table by columns is asked about, %s', async (_, column) => {
  const [first, second] = [event(1), event(2)]
  const names = ['event', 'distinct_id', 'timestamp'] as const
  const table = Object.fromEntries(names.map((name) => [name, column([first[name], second[name]])]))
  const { asked, missing } = await firstOf({ 'x.json': JSON.stringify(table) })
  expect(missing).toEqual(names)
  expect(asked).toContain('the values stand by columns')
})

test.each([
  [
    {
      ...event(1),
      person: { plan: 'pro', since: '2024-01-01T00:00:00Z' },
      device: { plan: 'x', since: '2024-01-01T00:00:00Z' },
    },
  ],
  [{ id: 'evt_1', data: { object: { id: 'ch_1', created: 1_709_287_200, customer: 'c1' } }, ...event(1) }],
  [{ ...event(1), context: { a: { x: 1 }, b: { x: 2 } } }],
  [{ ...event(1), content: { customer: { ...event(2), id: 'c' }, plan: { ...event(3), id: 'p' } } }],
])('an event with objects in it is one event: %j', async (record) => {
  const { asked, trial } = await firstOf(lines([record, record]))
  expect(asked).not.toMatch(/look like events|are columns/)
  expect(trial).toMatchObject({ events: 2 })
})

test('extended JSON of MongoDB: values that say their type are asked about', async () => {
  const record = (at: number) => ({
    _id: { $oid: `65e1a1a00000000000000000${at}` },
    seats: { $numberInt: '3' },
    event: 'buy',
    userId: { $numberLong: `1234567890${at}` },
    at: { $date: `2024-03-01T10:00:0${at}.000Z` },
  })
  const { yaml, trial, asked } = await firstOf(lines([record(0), record(1), record(2)]))
  expect(parseMapping(yaml, 'm').mapping.fields).toMatchObject({
    timestamp: ['at.$date'],
    distinct_id: ['userId.$numberLong'],
    uuid: ['_id.$oid'],
  })
  expect(trial).toMatchObject({ events: 3, rejected: 0 })
  expect(asked).toMatch(/^seats\.\$numberInt, .* in MongoDB's JSON/m)
})

test("DynamoDB's JSON: a name is the one before the type", async () => {
  const items = [1, 2].map((at) => ({
    Item: { event: { S: 'open' }, uid: { S: `u${at}` }, ts: { N: `170928720${at}` }, size: { N: '3' } },
  }))
  const { yaml, trial, asked } = await firstOf({ 'x.json': lines(items) })
  expect(parseMapping(yaml, 'm').mapping.fields).toMatchObject({
    event: ['Item.event.S'],
    distinct_id: ['Item.uid.S'],
    timestamp: ['Item.ts.N'],
  })
  expect(trial).toMatchObject({ events: 2 })
  expect(asked).toMatch(/^Item\.size\.N, as "3" is in DynamoDB's JSON/m)
})

const GA4 = 'event_timestamp,event_name,user_pseudo_id'

test.each([
  [
    'taken apart',
    `${GA4},event_params_key,event_params_value\n1709287200123456,page_view,1.1,page_title,Home\n1709287200123456,page_view,1.1,ga_session_id,1\n`,
    /2 of 2 records \(100%\) are rejected/,
  ],
  [
    'taken apart, with dots',
    `${GA4},event_params.key,event_params.value\n1709287200123456,page_view,1.1,page_title,Home\n1709287200123456,page_view,1.1,ga_session_id,1\n`,
    /2 of 2 records \(100%\) are rejected/,
  ],
])('parameters of GA4 that are %s are said', async (_, content, words) => {
  const { asked, preset } = await firstOf(content)
  expect(preset).toBe('ga4')
  expect(asked).toMatch(words)
})

test('of two columns of a group the id is its key, and the other is asked about', async () => {
  const rows = [1, 2, 3, 4].map(
    (at) => `open,u${at},2024-03-01T10:00:0${at}Z,${at < 3 ? 'Acme,c1' : 'Globex,c2'}\n`,
  )
  const { yaml, asked, findings } = await firstOf(
    `event,user_id,at,company_name,company_id\n${rows.join('')}`,
  )
  expect(parseMapping(yaml, 'm').mapping.groups).toEqual({ company: 'company_id' })
  expect(asked).toContain('or is it company_name, as "Acme"?')
  expect(findings.find(({ name }) => name === 'company_name')?.role).toBeNull()
})

test('people in JSON are said to be that, with the line that makes $set of them', async () => {
  const people = ['ana', 'bo'].map((name) => ({
    email: `${name}@x.example`,
    name,
    created_at: '2021-03-01T10:00:00Z',
  }))
  const { asked, missing } = await firstOf(lines(people))
  expect(missing).toEqual(['event'])
  expect(asked).toContain('distinct_id: .email, timestamp: .created_at, "$set": .')
})

test.each([
  ['730980001', true],
  ['1709287201', false],
  ['1104537599', true],
  ['1104537600000', false],
])('a number that is a day before 2005 is asked about: %s', async (time, isAsked) => {
  const { asked } = await firstOf(`event,user_id,timestamp\na,u1,${time}\nb,u2,${time}\n`)
  expect(asked.includes('if they count from 1970')).toBe(isAsked)
})

const DUMPED = 'id\tevent\tuser_id\tat\n'
test.each([
  ['escapes of a dump', `${DUMPED}1\tsign\\tup\tu1\t2024-03-01 10:00:00\n`, /Do backslashes escape/],
  [
    'an escaped delimiter',
    `${DUMPED}1\tsign\\\tup\tu1\t2024-03-01\n2\ta\tu1\t2024-03-01\n`,
    /Do backslashes escape/,
  ],
  ['a path of Windows', `${DUMPED}1\tc:\\temp\\dir\tu1\t2024-03-01 10:00:00\n`, /^(?!.*backslashes)/s],
  [
    "Kafka's keys before JSON",
    'u1\t{"event":"a","b":1,"c":2}\nu2\t{"event":"a"}\n',
    /\{.*which no column is called/,
  ],
])('%s are asked about', async (_, text, asked) => {
  expect((await firstOf({ 'x.tsv': text })).asked).toMatch(asked)
})

test('folders that say the value of a column are asked about, where no record has it', async () => {
  const { asked } = await firstOf({
    'dt=2024-03-01/country=AT/x.ndjson': lines([{ ...event(1), dt: '2024-03-01' }]),
    'dt=2024-03-01/country=DE/x.ndjson': lines([{ ...event(2), dt: '2024-03-01' }]),
  })
  expect(asked).toContain('in folders such as country=AT, and no record has country: it is not read')
  expect(asked).not.toContain('dt=')
})

test.each([
  ['val', 'event,user_id,ts,val', ['1.234', '2.500', '10.125'], 'event;user_id;ts;val', ['1,5', '2,5']],
  [
    'ts',
    'event,user_id,val,ts',
    ['03/04/2024', '05/06/2024'],
    'event,user_id,val,ts',
    ['13/04/2024', '31/12/2023'],
  ],
])(
  'a file that does not tell how its %s is written is named, where another tells',
  async (name, a, ours, b, theirs) => {
    const table = (header: string, cells: readonly string[]) =>
      [
        header,
        ...cells.map((cell, n) => ['a', `u${n}`, 1_709_287_200, cell].join(header.includes(';') ? ';' : ',')),
      ].join('\n')
    const { lines: asked } = await firstOf({ 'g1.csv': table(a, ours), 'g2.csv': table(b, theirs) })
    expect(asked.join('\n')).toMatch(new RegExp(`${name} is read as .*nothing in g1.csv does`))
    const again = await firstOf({ 'g2.csv': table(b, theirs), 'g3.csv': table(b, theirs) })
    expect(again.asked).not.toContain('nothing in')
  },
)

test.each<[string, readonly unknown[], unknown]>([
  ['decimals', ['1.50', '2'], 'number'],
  ['money', ['$1.50', '$1,002'], { type: 'number', decimal: '.', currency: '$' }],
  ['booleans', ['true', 'false'], 'boolean'],
  ['JSON', ['{"a":1}', '[1]'], 'json'],
  ['numbers of JSON', [1, 2], undefined],
  ['text beside numbers of JSON', ['1', 2], undefined],
  ['text beside decimals', ['1.50', 'x'], undefined],
])('text in JSON that is all of one type: %s', async (_, values, type) => {
  const { yaml, asked } = await firstOf(lines(values.map((v, at) => ({ ...event(at), v }))))
  expect(parse(yaml).types?.v).toEqual(type)
  expect(/Does your app send such values as text\?/.test(asked)).toBe(type !== undefined)
})

test.each<[string, string, readonly unknown[], number]>([
  ['Fivetran', '_fivetran_deleted', [false, true, null], 2],
  ['Airbyte', '_ab_cdc_deleted_at', [null, '2024-03-02T00:00:00Z', ''], 2],
  ['Stitch', '_sdc_deleted_at', ['2024-03-02T00:00:00Z', null, null], 2],
  ['Debezium, unwrapped', '__deleted', ['false', 'true', 'false'], 2],
  ['Debezium, and an update', 'op', ['c', 'd', 'u'], 2],
  ['Delta Lake', '_change_type', ['insert', 'update_preimage', 'update_postimage'], 2],
  ["Snowflake's streams", 'METADATA$ACTION', ['INSERT', 'DELETE', 'INSERT'], 2],
  ['a snapshot of dbt', 'dbt_valid_to', [null, '2024-03-02 00:00:00', null], 2],
  ['an app itself: only asked', 'deleted_at', [null, '2024-03-02T00:00:00Z', null], 3],
  ['an app, whose events are called so', 'op', ['sum', 'd', 'c'], 3],
  ['an app that deletes nothing', 'is_deleted', [false, false, false], 3],
])('rows that are deleted, as written by %s', async (_, name, values, events) => {
  const records = values.map((value, at) => ({ ...event(at), [name]: value }))
  const rows = values.map((value, at) => Object.values({ ...event(at), value: value ?? '' }).join(','))
  for (const text of [lines(records), `event,distinct_id,timestamp,${name}\n${rows.join('\n')}\n`]) {
    const { yaml, trial, asked } = await firstOf(text)
    expect(trial).toMatchObject({ events, rejected: 0, filtered: 3 - events })
    // Kinds of change that only later records have stay too.
    if (name === 'op' && events < 3) expect(yaml).toMatch(/op: \[.*"r", "u", "i"\]/)
    expect(/as deleted or outdated/.test(asked)).toBe(events < 3 || name === 'deleted_at')
  }
})

test.each([
  ['5 listopada 2024', '6 listopada 2024', true],
  ['5. listopad 2024', '6. list. 2024', true],
  ['5 listopada 2024', '6 grudnia 2024', false],
  ['5 listopadu 2024', '6 listopadu 2024', false],
])('a month that is another one in Croatian is asked about: %s, %s', async (one, other, isAsked) => {
  const rows = [one, other].map((time, at) => `open,u${at},${time},${time}\n`).join('')
  const { lines: questions, trial, yaml } = await firstOf(`event,distinct_id,timestamp,seen_at\n${rows}`)
  expect(trial).toMatchObject({ events: 2 })
  expect(questions.filter((line) => line.includes('October in Croatian')).length).toBe(isAsked ? 2 : 0)
  expect(parse(yaml).columns?.seen_at === undefined).toBe(isAsked)
})
