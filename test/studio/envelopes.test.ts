import { expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { firstOf } from './first-of.ts'

const uuid = (at: number) => `018f3c6e-1c2b-7a10-9f00-0123456789a${at}`
const names = ['uuid', 'event', 'distinct_id', 'timestamp', 'properties']
const row = (at: number) => [
  uuid(at),
  '$pageview',
  `u${at}`,
  `2024-03-01T10:00:0${at}Z`,
  JSON.stringify({ n: at }),
]
const rows = [0, 1, 2].map(row)
const objects = rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])))
const named = names.map((name) => ({ name, type: 'String' }))

test.each([
  [
    'a body of the batch API',
    'batch',
    { api_key: 'phc_A1b2C3d4', historical_migration: true, batch: objects },
  ],
  [
    'a page of the events API',
    'results',
    { next: null, results: objects.map(({ uuid: id, ...rest }) => ({ id, ...rest })) },
  ],
  ['an answer of HogQL', 'results', { columns: names, results: rows, types: [['uuid', 'UUID']], limit: 3 }],
  ['JSON of ClickHouse', 'data', { meta: named, data: objects, rows: 3, statistics: { elapsed: 0.1 } }],
  ['JSONCompact of ClickHouse', 'data', { meta: named, data: rows, rows: 3 }],
])('%s is known, cut, and has the events alone', async (_, list, body) => {
  for (const text of [JSON.stringify(body), JSON.stringify(body, null, 1)]) {
    const { yaml, preset, trial, questions } = await firstOf({ 'x.json': text })
    expect({ preset, explode: parseMapping(yaml, 'm').mapping.explode, questions }).toEqual({
      preset: 'posthog',
      explode: list,
      questions: [],
    })
    expect(trial).toMatchObject({ read: 3, events: 3, rejected: 0 })
    expect(trial!.examples.length).toBeGreaterThan(0)
    expect(Object.keys(trial!.notes.ignored_members)).not.toContain('batch')
    expect(yaml).not.toContain('phc_A1b2')
  }
})

test('what stands beside the list of one answer is asked about; of many records it is kept, but for keys and cursors', async () => {
  const actions = [
    { name: 'open', at: '2024-03-01T10:00:00Z' },
    { name: 'close', at: '2024-03-01T10:05:00Z' },
  ]
  const visit = (at: number) => ({ user_id: `u${at}`, plan: 'pro', next: 'x', apiToken: 'a1b2', actions })
  const one = await firstOf({ 'a.json': JSON.stringify(visit(1)), 'b.json': JSON.stringify(visit(2)) })
  expect(parseMapping(one.yaml, 'm').mapping).not.toHaveProperty('explodeWith')
  expect(one.questions.map(({ text }) => text).join()).toContain('"explode_with: [user_id, plan]"')
  const many = await firstOf({ 'a.ndjson': [1, 2, 3].map((at) => JSON.stringify(visit(at))).join('\n') })
  const { explodeWith, fields } = parseMapping(many.yaml, 'm').mapping
  expect({ explodeWith, person: fields.distinct_id }).toEqual({
    explodeWith: ['user_id', 'plan'],
    person: ['user_id'],
  })
})

test("PostHog's export as CSV is known by its columns, and each goes to its place", async () => {
  const cells = (at: number) =>
    `${uuid(at)},$pageview,https://app.example/${at},${at},pro,a@x.example,2024-05-01 10:00:0${at}.000000+00:00,u${at},,2,$pageview,u${at}`
  const header =
    '*.uuid,*.event,*.properties.$current_url,*.properties.n,*.properties.$set.plan,*.person.properties.email,*.timestamp,*.distinct_id,*.elements_chain,*.team_id,event,person'
  const { yaml, preset, trial, questions } = await firstOf({
    'export.csv': [header, cells(1), cells(2)].join('\n'),
  })
  expect({ preset, questions }).toEqual({ preset: 'posthog', questions: [] })
  expect(trial).toMatchObject({ events: 2, rejected: 0 })
  expect(parseMapping(yaml, 'm').columns.columns).toMatchObject({
    '*.uuid': { path: ['uuid'] },
    '*.properties.n': { path: ['properties', 'n'], type: 'number' },
    '*.properties.$set.plan': { path: ['properties', '$set', 'plan'] },
    '*.person.properties.email': { path: ['person_properties', 'email'] },
    '*.elements_chain': { path: ['elements_chain'] },
    '*.team_id': null,
    event: null,
    person: null,
  })
})

test.each([
  ['writeKey', 'a1b2c3d4e5'],
  ['note', 'sk_live_51H8xYz'],
  ['auth', 'eyJhbGciOiJI.eyJzdWIiOiIx.abc'],
  ['user_password', 'x'],
])('a secret called %s reaches no event', async (name, value) => {
  const record = (at: number) => ({
    event: 'buy',
    user_id: `u${at % 2}`,
    time: `2024-03-01T10:00:0${at}Z`,
    token_count: 5,
    currency_token: 'BTC',
    [name]: value,
  })
  const lines = [1, 2, 3].map((at) => JSON.stringify(record(at)))
  const { yaml, questions } = await firstOf(lines.join('\n'))
  expect(parseMapping(yaml, 'm').mapping.properties.drop).toEqual([name])
  expect(questions.some(({ text }) => text.startsWith(`${name} looks like a key`))).toBe(true)
  const header = Object.keys(record(1)).join(',')
  const rows = [1, 2, 3].map((at) => Object.values(record(at)).join(','))
  const table = await firstOf([header, ...rows].join('\n'))
  expect(parseMapping(table.yaml, 'm').columns.columns).toMatchObject({ [name]: null })
  expect(parseMapping(table.yaml, 'm').columns.columns).not.toHaveProperty('currency_token')
})

test('an id of each element of a list is proposed as the event’s, and members below it are seen as deep', async () => {
  const element = (at: number) => ({
    id: `evt_1O${at}`,
    type: 'invoice.paid',
    created: 1_709_287_200 + at,
    data: { object: { customer: `cus_P${at % 2}` } },
  })
  const { yaml } = await firstOf({
    'x.json': JSON.stringify({ object: 'list', data: [0, 1, 2, 3].map(element) }),
  })
  expect(parseMapping(yaml, 'm').mapping.fields).toMatchObject({
    uuid: ['data.id'],
    distinct_id: ['data.data.object.customer'],
  })
})

test('a secret deep in an object is left out under a preset by the property that carries it, and nothing beside it', async () => {
  const call = (at: number) => ({
    type: 'track',
    event: 'Paid',
    userId: `u${at}`,
    messageId: `m${at}`,
    timestamp: `2024-03-01T10:00:0${at}Z`,
    properties: { n: at, auth: { scheme: 'x', token: 'sk_live_abcdefgh12345678' } },
    context: {
      device: { id: `d${at}`, token: `ff15bc0c20c4aa6cd50854ff165fd265c838e540${at}` },
      custom: { deep: { list: [{ ok: 1 }, { api_key: 'phc_abcdefgh12345678' }] } },
      locale: 'de',
    },
  })
  const { yaml, questions } = await firstOf([1, 2, 3].map((at) => JSON.stringify(call(at))).join('\n'))
  const { preset, mapping } = parseMapping(yaml, 'm')
  expect(preset).toBe('segment')
  expect([...mapping.properties.drop].sort()).toEqual(['auth', 'context_custom', 'context_device_token'])
  expect(questions.map(({ text }) => text.split(' ')[0])).toEqual(
    expect.arrayContaining([
      'properties.auth.token',
      'context.device.token',
      'context.custom.deep.list.api_key',
    ]),
  )
  // What the preset leaves out is not asked about.
  const event = (at: number) => ({
    event: 'Paid',
    distinct_id: `u${at}`,
    timestamp: `2024-03-01T10:00:0${at}Z`,
    properties: { n: at, a: { b: { c: { d: 'Bearer abcdefghijkl' } } } },
    request: { headers: { authorization: 'Bearer abcdefghijkl' } },
  })
  const own = await firstOf([1, 2, 3].map((at) => JSON.stringify(event(at))).join('\n'))
  expect(parseMapping(own.yaml, 'm').mapping.properties.drop).toEqual(['a'])
})
