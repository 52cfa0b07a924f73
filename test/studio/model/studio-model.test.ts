import { describe, expect, test } from 'vitest'
import { parseMapping } from '../../../src/mapping/mapping-file.ts'
import { Engine } from '../../../src/pipeline/engine.ts'
import { mixpanel } from '../../../src/presets/mixpanel.ts'
import { buildModel } from '../../../src/studio/model/studio-model.ts'
import { listRecords } from '../../../src/studio/record-book.ts'
import type { SampleRecord } from '../../../src/studio/studio-sample.ts'

const NOW = Date.UTC(2026, 0, 1) * 1000
const DAY = 86_400

/** A raw event of Mixpanel, `day` days after the first of March 2024. */
function raw(event: string, day: number, properties: object = {}): object {
  return {
    event,
    properties: {
      time: 1_709_280_000 + day * DAY,
      distinct_id: 'u1',
      $insert_id: `${event}-${day}`,
      ...properties,
    },
  }
}

function modelOf(records: ReadonlyArray<object | string>, yaml = '') {
  const { mapping } = parseMapping(yaml, 'mapping.yaml')
  const engine = new Engine(mixpanel, mapping, {
    now: NOW,
    version: '9.9.9',
    switches: new Set(),
    importId: null,
  })
  const sample = records.map((record): SampleRecord => {
    const bytes = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
    return { bytes, refused: null, file: 'raw.ndjson', line: 1 }
  })
  const { made, model } = buildModel({
    records: sample,
    engine,
    preset: mixpanel,
    mapping,
    presetName: 'mixpanel',
    revision: '1',
    youngSince: NOW - 2 * DAY * 1_000_000,
    forgets: false,
    unjoined: [],
  })
  const list = (query: Parameters<typeof listRecords>[2]) => listRecords({ records: sample }, { made }, query)
  return { ...model, list }
}

const RECORDS = [
  raw('$mp_web_page_view', 0, { plan: 'pro' }),
  raw('$mp_web_page_view', 1, { plan: '' }),
  raw('Order', 1, { plan: 'free', total: 12 }),
  raw('Order', 1, { $insert_id: 'x', time: 'yesterday' }),
  raw('Ping', 2, { total: 1 }),
]

test('all names and members are there, and a search finds records that are far behind the first', () => {
  const many = Array.from({ length: 5000 }, (_, at) => raw(`event ${at}`, 0, { [`detail ${at}`]: at }))
  const model = modelOf([...many, ...many.slice(0, 7), raw('Order', 1)], 'events:\n  drop: [event 4999]\n')
  expect(model.events).toHaveLength(5001)
  expect(model.events[0]).toMatchObject({ count: 2 })
  expect(model.events.filter(({ fate }) => fate !== 'unmapped')).toMatchObject([
    { source: 'event 4999', fate: 'dropped' },
  ])
  expect(model.properties.length).toBeGreaterThan(5000)
  expect(model.properties.find(({ path }) => path === 'properties.detail 4998')).toMatchObject({
    ...{ fate: 'kept', filled: 1, records: 5008 },
  })
  expect(model.list({})).toMatchObject({ total: 5008, records: { length: 100 } })
  expect(model.list({ text: '"event 4998"' })).toMatchObject({ total: 1, records: [{ number: 4998 }] })
  expect(model.list({ event: 'event 4998', outcome: 'rejected' }).total).toBe(0)
})

describe('the model of a sample', () => {
  test('tells of each event of the source what becomes of it, and by which rule', () => {
    const { events, counts } = modelOf(RECORDS, 'events:\n  drop: [Ping]\n')
    expect(counts).toEqual({ records: 5, made: 5, events: 3, rejected: 1, filtered: 1 })
    expect(events).toMatchObject([
      { source: '$mp_web_page_view', fate: 'mapped', names: ['$pageview'], rule: 'preset mixpanel', sent: 2 },
      { source: 'Order', fate: 'unmapped', names: ['Order'], rule: null, sent: 1, rejected: 1, record: 2 },
      {
        source: 'Ping',
        fate: 'dropped',
        names: [],
        rule: 'events.drop of the mapping file names it',
        filtered: 1,
      },
    ])
    const renamed = modelOf(RECORDS, 'events:\n  rename: { Order: order_placed }\n').events
    expect(renamed.find(({ source }) => source === 'Order')).toMatchObject({
      fate: 'mapped',
      names: ['order_placed'],
      rule: 'events.rename',
    })
  })

  test('counts how full a property is, with its fate, also of records that are not sent', () => {
    const { properties } = modelOf(RECORDS, 'properties:\n  rename: { plan: tier }\n')
    const plan = properties.find(({ path }) => path === 'properties.plan')
    expect(plan).toMatchObject({
      filled: 2,
      records: 5,
      fate: 'renamed',
      fates: { 'renamed: tier': 2 },
      to: ['tier'],
      editable: 'plan',
      example: '"pro"',
    })
    const time = properties.find(({ path }) => path === 'properties.time')
    expect(time).toMatchObject({ filled: 5, fate: 'used', fates: { 'not sent': 1 }, editable: null })
    const dropped = modelOf(RECORDS, 'properties:\n  drop: [plan]\n').properties
    expect(dropped.find(({ path }) => path === 'properties.plan')).toMatchObject({
      fate: 'left out',
      editable: 'plan',
    })
  })

  test('a mapping by which every record is rejected shows the members all the same', () => {
    const { properties, counts, rejects } = modelOf(RECORDS, 'fields:\n  timestamp: event\n')
    expect(counts.events).toBe(0)
    expect(rejects[0]).toMatchObject({ reason: 'timestamp_unparsable', count: 5 })
    expect(properties.find(({ path }) => path === 'properties.plan')).toMatchObject({ fate: 'not sent' })
  })

  test('rejects have their reason and examples, and there is a day for each that has events', () => {
    const { rejects, days, idleRules } = modelOf(RECORDS, 'events:\n  drop: [Pnig]\n')
    expect(rejects).toMatchObject([{ reason: 'timestamp_unparsable', count: 1, examples: [{ record: 3 }] }])
    expect(days).toEqual(['2024-03-01', '2024-03-02', '2024-03-03'])
    expect(idleRules).toEqual(['events.drop "Pnig"'])
  })

  test('a line that is no record, and names like those of objects, break nothing', () => {
    const odd = '{"event":"__proto__","properties":{"time":1709280000,"distinct_id":"u","__proto__":"x"}}'
    const { events, rejects, properties } = modelOf(['{nonsense', odd])
    expect(events.map(({ source }) => source)).toEqual([null, '__proto__'])
    expect(rejects).toHaveLength(1)
    expect(properties.map(({ path }) => path)).toContain('properties.__proto__')
  })

  test('says what the service will bill, cut and round', () => {
    const yesterday = NOW / 1_000_000 - DAY
    const { forecast } = modelOf([
      raw('n'.repeat(300), 0),
      raw('big', 0, { n: 1 }),
      raw('young', 0, { time: yesterday }),
      JSON.stringify(raw('big', 1)).replace('"distinct_id"', '"order":12345678901234567890,"distinct_id"'),
    ])
    expect(forecast.map(({ code, count }) => [code, count])).toEqual([
      ['event_names_cut', 1],
      ['big_integers', 1],
      ['young_events', 1],
      ['billed', 4],
    ])
    expect(forecast.find(({ code }) => code === 'young_events')).toMatchObject({
      names: ['young'],
      record: 2,
    })
  })

  test('says what can’t be read from 30 November on, in the words of check', () => {
    const deep = JSON.parse('[[[[[[[[[1]]]]]]]]]')
    const { forecast } = modelOf([
      raw('deep', 0, { deep }),
      raw('ai', 0, { $ai_input: 'x', $window_id: 3 }),
      raw('$feature_flag_called', 0),
    ])
    expect(forecast.map(({ code, count, names = [] }) => [code, count, names])).toEqual([
      ['unreadable_properties', 1, ['deep']],
      ['text_properties', 1, ['$window_id']],
      ['dropped_properties', 1, ['$ai_input']],
      ['exposures', 1, []],
      ['billed', 3, []],
    ])
    expect(forecast[0]).toMatchObject({
      text: expect.stringContaining('arrays nested more than 8 deep in deep in 1 event'),
      remedy: expect.stringContaining('deep: text'),
    })
  })
})
