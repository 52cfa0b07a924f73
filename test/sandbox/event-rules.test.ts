import { expect, test } from 'vitest'
import { rows, startHarness } from './harness.ts'

const PROJECT = '/api/projects/1'
const event = (name: string, distinct_id = 'u', properties: object = {}) => ({
  event: name,
  distinct_id,
  properties,
})
const names = 'SELECT event FROM events ORDER BY event'

test('a filter that is set through the API drops from then on, but not as a dry run', async () => {
  const { sandbox, send, get, ask } = await startHarness()
  expect((await get(`${PROJECT}/event_filter/`)).status).toBe(204)
  const filter_tree = {
    type: 'and',
    children: [
      { type: 'condition', field: 'event_name', operator: 'contains', value: 'test' },
      { type: 'not', child: { type: 'condition', field: 'distinct_id', operator: 'exact', value: 'boss' } },
    ],
  }
  await ask(`${PROJECT}/event_filter/`, { mode: 'dry_run', filter_tree })
  await send([event('test-1')])
  const set = await ask(`${PROJECT}/event_filter/`, { mode: 'live' })
  expect(set.json()).toMatchObject({ mode: 'live', filter_tree })
  expect((await get(`${PROJECT}/event_filter/`)).json()).toMatchObject({ mode: 'live', filter_tree })
  await send([event('test-2'), event('test-3', 'boss'), event('other')])
  expect(await rows(sandbox, names)).toEqual([['other'], ['test-1'], ['test-3']])
  expect((await ask(`${PROJECT}/event_filter/`, { mode: 'on' })).status).toBe(400)
  // Without a condition nothing is dropped, whatever the groups say.
  const none = { type: 'not', child: { type: 'or', children: [] } }
  await ask(`${PROJECT}/event_filter/`, { mode: 'live', filter_tree: none })
  await send([event('test-4')])
  expect(await rows(sandbox, names)).toHaveLength(4)
})

test('restrictions drop, hold, or keep a person away', async () => {
  const { sandbox, send, get } = await startHarness({
    eventRules: {
      restrictions: [
        { restriction_type: 'drop_event_from_ingestion', event_names: ['a'], distinct_ids: ['u', 'v'] },
        { restriction_type: 'redirect_to_dlq', session_ids: ['s'] },
        { restriction_type: 'skip_person_processing', distinct_ids: ['w'] },
        {
          restriction_type: 'drop_event_from_ingestion',
          event_names: ['b'],
          pipelines: ['session_recordings'],
        },
      ],
    },
  })
  await send([
    event('a'),
    event('a', 'w', { $set: { x: 1 } }),
    event('b'),
    event('c', 'u', { $session_id: 's' }),
    event('d', 'u', { $set: { x: 1 } }),
  ])
  expect(await rows(sandbox, names)).toEqual([['a'], ['b'], ['d']])
  expect(await rows(sandbox, 'SELECT count() FROM persons')).toEqual([[1]])
  expect((await get(`${PROJECT}/event_ingestion_restrictions/`)).json()).toMatchObject([
    {
      restriction_type: 'drop_event_from_ingestion',
      event_names: ['a'],
      event_uuids: [],
      pipelines: ['analytics'],
    },
    {},
    {},
    {},
  ])
})

test('an enforced definition drops what lacks a required property or has it in another type, and warns', async () => {
  const { sandbox, send, get } = await startHarness({
    eventRules: {
      enforced: { buy: { price: 'Numeric', at: 'DateTime', ok: 'Boolean', more: 'Object', id: 'String' } },
    },
  })
  const whole = { price: ' 1.5 ', at: '2024-01-01', ok: 'true', more: {}, id: 1 }
  await send([
    event('buy', 'whole', whole),
    event('buy', 'lacks', { ...whole, id: undefined }),
    event('buy', 'price', { ...whole, price: true }),
    event('buy', 'at', { ...whole, at: 'soon' }),
    event('buy', 'ok', { ...whole, ok: 'yes' }),
    event('buy', 'more', { ...whole, more: 'x' }),
    event('other'),
  ])
  expect(await rows(sandbox, 'SELECT distinct_id FROM events ORDER BY distinct_id')).toEqual([
    ['u'],
    ['whole'],
  ])
  expect((await get(`${PROJECT}/ingestion_warnings_v2/`)).json()).toContainEqual(
    expect.objectContaining({ type: 'schema_validation_failed', severity: 'error', count: 5 }),
  )
  expect((await get(`${PROJECT}/event_definitions/`)).json()).toMatchObject({
    results: [{ name: 'buy', enforcement_mode: 'reject' }],
  })
})

const transformation = (template: string, inputs: Record<string, unknown> = {}, ...names: string[]) => ({
  name: template,
  template: { id: `template-${template}` },
  ...(names.length > 0 && { filters: { events: names.map((id) => ({ id })) } }),
  inputs: Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, { value }])),
})

test.each(['table', 'json'] as const)(
  'transformations of templates run in their order, %s; others are only listed',
  async (storage) => {
    const { sandbox, send, get } = await startHarness({
      storage,
      eventRules: {
        transformations: [
          { name: 'Own code', filters: {} },
          { ...transformation('drop-events'), enabled: false },
          transformation('drop-events', {}, 'test', 'ping'),
          transformation('filter-properties', { propertiesToFilter: ' mail, $set.mail, a.b.c,none.x ' }, 'a'),
        ],
      },
    })
    const full = {
      mail: 'm',
      a: { b: { c: 1, d: 2 } },
      plan: 'pro',
      $set: { mail: 'm', plan: 'pro' },
    }
    await send([
      event('test'),
      event('ping', 'u', full),
      event('a', 'u', full),
      event('b', 'v', { mail: 'm' }),
    ])
    const stored = await rows(sandbox, 'SELECT event, properties FROM events ORDER BY event')
    const [a, b] = stored.map(([, text]) => JSON.parse(String(text)))
    expect(stored.map(([name]) => name)).toEqual(['a', 'b'])
    expect(a).toMatchObject({ a: { b: { c: null, d: 2 } }, mail: null, plan: 'pro' })
    expect(b).toMatchObject({ mail: 'm' })
    expect(await rows(sandbox, 'SELECT properties.mail, properties.plan FROM persons')).toContainEqual([
      null,
      'pro',
    ])
    const noted = storage === 'table' ? [expect.stringMatching(/^filter-properties \(0{8}-/)] : undefined
    expect(a.$transformations_succeeded).toEqual(noted)
    const warnings = (await get(`${PROJECT}/ingestion_warnings_v2/`)).json()
    expect(warnings).toMatchObject([{ type: 'event_dropped_by_transformation', severity: 'info', count: 2 }])
    const { results } = (await get(`${PROJECT}/hog_functions/`)).json() as { results: object[] }
    expect(results).toHaveLength(4)
    expect(JSON.stringify(results)).not.toContain('inputs')
  },
)

test('each needs its scope', async () => {
  const { get } = await startHarness({ personalKeys: [{ key: 'phx_few', scopes: ['project:read'] }] })
  const statuses = async (key?: string) =>
    Promise.all(
      ['event_filter', 'event_ingestion_restrictions', 'event_definitions', 'hog_functions'].map(
        async (path) => (await get(`${PROJECT}/${path}/`, key)).status,
      ),
    )
  expect(await statuses()).toEqual([204, 200, 200, 200])
  expect(await statuses('phx_few')).toEqual([403, 200, 403, 403])
})
