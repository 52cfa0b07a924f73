import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import type { People } from '../../src/mapping/mapped.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { type Preset, switchesOf } from '../../src/mapping/preset.ts'
import { mappingFor, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { events } from '../../src/presets/events.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { loadMapping } from '../../src/transform/load-mapping.ts'
import { eventText } from '../helpers/event-text.ts'
import { AT_2026 } from '../helpers/mapper.ts'
import { Collected } from '../inputs/collected.ts'
import { ADDED, plain as base } from '../transform/plain.ts'

const plain: Preset = {
  ...base,
  fields: {
    event: '@event',
    user: '@user',
    time: '@time',
    bag: '@bag',
    'bag.*': '*',
    secret: '@secret',
    '*': '*',
  },
  unpack: ['bag'],
  empty: [],
  anonymousId: () => undefined,
}

function run(
  record: object | string,
  mapping: Partial<Mapping> = {},
  preset: Preset = plain,
  people?: People,
) {
  const mapper = new Mapper(preset, { ...NO_MAPPING, ...mapping }, { ...AT_2026, ...(people && { people }) })
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const mapped = mapper.map(line, 0, line.length)
  return { mapped, text: eventText(mapped) }
}

function propertiesOf(record: object, mapping?: Partial<Mapping>): unknown {
  return JSON.parse(run(record, mapping).text).properties
}

test('a property named distinct_id is not written beside the id in the head', () => {
  const { text } = run({ event: 'E', user: 'u', distinct_id: 'x', bag: {} })
  expect(text.match(/"distinct_id":/g)).toHaveLength(2)
  expect(JSON.parse(text).properties).toEqual({ distinct_id: 'u', $plain_distinct_id: 'x', ...ADDED })
})

test('a property named distinct_id that says the same is said once', () => {
  const properties = propertiesOf({ event: 'E', user: 7, bag: { distinct_id: 7 } })
  expect(properties).toEqual({ distinct_id: '7', ...ADDED })
})

test('names with dollar signs survive being renamed around', () => {
  const mapping = { properties: { rename: { $$a: 'b' }, drop: ['$&'], set: {} } }
  const properties = propertiesOf({ event: 'E', user: 'u', $$a: 1, '$&': 2, $$c: 3 }, mapping)
  expect(properties).toEqual({ distinct_id: 'u', b: 1, $$c: 3, ...ADDED })
})

test('JSON text that is too deep once it is opened rejects the record, and loses nothing silently', () => {
  const deep = `{"a":${'['.repeat(99)}${']'.repeat(99)}}`
  const { mapped, text } = run({ event: 'E', user: 'u', bag: deep, z: 1 })
  expect(mapped).toMatchObject({ status: 'rejected', reason: 'too_deep' })
  expect(text).toBe('')
})

test.each([
  ['{"event":"E","user":"u","plan":1.0,"bag":{"plan":"pro"}}', { plan: 'pro', $plain_plan: 1 }],
  ['{"event":"E","user":"u","bag":{"plan":"pro"},"plan":1.0}', { plan: 'pro', $plain_plan: 1 }],
  ['{"event":"E","user":"u","plan":"pro","bag":{"plan":"pro"}}', { plan: 'pro' }],
  ['{"event":"E","user":"u","plan":null,"bag":{"plan":"pro"}}', { plan: 'pro' }],
])('a field that lost its name keeps its value: %s', (record, expected) => {
  expect(propertiesOf(JSON.parse(record))).toEqual({ distinct_id: 'u', ...expected, ...ADDED })
})

test.each([
  ['bag.team.id', { bag: { team: { id: 't1', size: 3 }, n: 1 } }, { team: { id: 't1', size: 3 }, n: 1 }],
  ['team.id', { team: { id: 't1', size: 3 } }, { team: { id: 't1', size: 3 } }],
  ['team.lead.id', { team: { id: 't2', lead: { id: 't1' } } }, { team: { id: 't2', lead: { id: 't1' } } }],
  ['secret.id', { secret: { id: 't1', size: 3 } }, {}],
  ['bag.team', { bag: { team: 't1' } }, { team: 't1' }],
])('a group key from inside, %s, leaves the value around it as it is', (path, record, expected) => {
  const properties = propertiesOf({ event: 'E', user: 'u', ...record }, { groups: { team: path } })
  expect(properties).toEqual({ distinct_id: 'u', $groups: { team: 't1' }, ...expected, ...ADDED })
})

test.each([
  ['{"first_a":1,"first_":2,"firs":3}', {}, { first_: 2, firs: 3 }, { '+first_a': 1, '+first_': 2 }],
  ['{"fi\\u0072st_a":1}', {}, {}, { '+first_a': 1 }],
  ['{"first_utm_a":1,"first_b":2}', {}, { late: 1 }, { '+first_b': 2 }],
  ['{"first_a":1,"first_b":2}', { drop: ['first_a'] }, {}, { '+first_a': 1, '+first_b': 2 }],
  ['{"first_a":1}', { rename: { first_: 'b' } }, {}, { '+first_a': 1 }],
])('%s: names that begin so, longest beginning first', (traits, properties, expected, once) => {
  const patterned = {
    ...plain,
    fields: {
      ...plain.fields,
      'traits.first_utm_a': 'late',
      'traits.first_*': 'once:+*',
      'traits.first_': ['first_', 'once:+first_'],
      'traits.*': '*',
    },
  }
  const record = `{"event":"E","user":"u","traits":${traits}}`
  const mapping = { properties: { rename: {}, drop: [], set: {}, ...properties } }
  const { $set_once, ...rest } = JSON.parse(run(record, mapping, patterned).text).properties
  expect(rest).toEqual({ distinct_id: 'u', ...expected, ...ADDED })
  expect($set_once).toEqual(once)
})

test('of a visitor who is to be forgotten no link is told', () => {
  const preset: Preset = { ...plain, anonymousId: (record) => record.text('bag') }
  const people = {
    leavesOut: () => false,
    isForgotten: (id: string) => id === 'forgotten',
    isNamedIn: () => false,
  }
  const linkOf = (visitor: string) => {
    const { mapped } = run({ event: 'E', user: 'u', bag: visitor }, {}, preset, people)
    return 'link' in mapped ? mapped.link?.anonymous.text : undefined
  }
  expect([linkOf('known'), linkOf('forgotten')]).toEqual(['known', undefined])
})

const { mapping } = parseMapping(
  'fields: { event: event, distinct_id: user, timestamp: at }\nsource_timezone: Europe/London',
  'm',
)

test.each<[at: string, twice: number, skipped: number]>([
  ['2024-10-27 01:30:00', 1, 0],
  ['2024-03-31 01:30:00', 0, 1],
  // These say their own offset, though it is that of the zone.
  ['2024-10-27T01:30:00+01:00', 0, 0],
  ['2024-03-31T01:30:00Z', 0, 0],
  ['2024-06-01 01:30:00', 0, 0],
])('a time that the clocks had twice, or never, is counted: %s', (at, clock_twice, clock_skipped) => {
  const mapper = new Mapper(events, mapping, AT_2026)
  const line = Buffer.from(JSON.stringify({ event: 'a', user: 'u', at }))
  expect(mapper.map(line, 0, line.length)).toMatchObject({ status: 'event' })
  expect(mapper.takeNotes().mends).toMatchObject({ clock_twice, clock_skipped })
})

const FIXTURES = new URL('../../fixtures/', import.meta.url)

test.each(PRESET_NAMES)('%s: one record counts no member twice with one fate', async (vendor) => {
  const preset = await loadPreset(vendor)
  const twice: string[] = []
  for (const { name, input, options = {} } of readFixtures(fileURLToPath(new URL(vendor, FIXTURES)))) {
    const mapper = new Mapper(preset, mappingFor(options), {
      ...AT_2026,
      switches: switchesOf(options.switches ?? [], vendor, preset),
    })
    for (const record of [input].flat()) {
      const bytes = Buffer.from(record)
      mapper.map(bytes, 0, bytes.length)
      const { duplicate_keys } = mapper.takeNotes()
      const { members } = mapper.takeInventory()
      // A name that an object has twice is two members.
      if (duplicate_keys > 0) continue
      for (const [path, fates] of Object.entries(members))
        for (const [fate, count] of Object.entries(fates))
          if (count !== 1) twice.push(`${name}: ${path}: ${fate}: ${count}`)
    }
  }
  expect(twice).toEqual([])
})

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/warehouse/${name}`, import.meta.url))

/** The records a fixture's table holds, and the events they become. */
async function transform(name: string) {
  const { preset, mapping, columns } = await loadMapping(fixture(`${name}.mapping.yaml`))
  const [input] = await listInputs([fixture(`${name}.csv`)])
  const records = new Collected()
  await readRecords(input!, records, { columns })
  expect(records.rejects).toEqual([])
  const mapper = new Mapper(await loadPreset(preset!), mapping, AT_2026)
  const events = records.lines.map((line) => {
    const bytes = Buffer.from(line)
    const mapped = mapper.map(bytes, 0, bytes.length)
    if (mapped.status !== 'event') throw new Error(mapped.reason)
    return mapped.text
  })
  return { records: records.lines, events }
}

const head = (event: string) => event.slice(0, event.indexOf(',"properties"'))

test('the columns of an Amplitude warehouse are records in the shape of its export', async () => {
  const { records, events } = await transform('amplitude')
  expect(records[2]).toBe(
    '{"device_id":"c0ffee12-7b6a-4d5e-9f01-23456789abcd","event_id":7,"$insert_id":"5b9f2a7e-bbbb-4ccc-9ddd-000000000007","amplitude_id":900100200302,"app":440011,"country":"India","data":{},"event_time":"2024-03-02T00:00:00","event_type":"Viewed, \\"twice\\"","group_properties":{},"groups":{},"session_id":-1,"user_properties":{}}',
  )
  expect(events.slice(0, 2).map(head)).toEqual([
    '{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","timestamp":"2024-03-01T12:34:56.789123Z","event":"$pageview","distinct_id":"user-17"',
    '{"uuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","timestamp":"2024-03-01T12:35:58.001000Z","event":"Order Placed","distinct_id":"7d1c4c52-5f0e-4d5e-8f6f-1a2b3c4d5e6f"',
  ])
  expect(JSON.parse(events[2]!)).toMatchObject({
    event: 'Viewed, "twice"',
    timestamp: '2024-03-02T00:00:00.000000Z',
  })
  expect(events[0]).toContain(
    '"order_id":12345678901234567890,"total":1.0,"items":["tea, green", "say \\"hi\\""]',
  )
  expect(events[0]).toContain('"plan":"pro","email":"ada@example.com"')
  expect(events[0]).toContain('"$groups":{"company":"Acme"}')
  expect(events[0]).toContain('"$amplitude_is_attribution_event":false')
  expect(events[1]).toContain('"$geoip_latitude":48.2082')
  expect(events[1]).toContain('"note":"Grüße, 👋","lines":2')
  for (const event of events) expect(event).not.toContain('_fivetran')
})

test('the columns of a Mixpanel warehouse join the properties, and the ids stay those of the export', async () => {
  const { records, events } = await transform('mixpanel')
  expect(records[2]).toBe(
    '{"event":"Signed up \\"again\\"","properties":{"time":"2024-03-02 08:58:02","distinct_id":"user-18","$insert_id":"hpuDqcvpltpCjBsebtxwadtEBDnFAdycabFb","mp_processing_time_ms":1709369882000,"mp_keyword":"tea","$distinct_id_before_identity":"18df2a7b-anon-2"}}',
  )
  // The uuids are those that the service's own importer makes of the same insert ids.
  expect(events.filter((_, i) => i !== 1).map(head)).toEqual([
    '{"uuid":"65fdb562-3dcd-5dc3-bc74-78ee4b077e17","timestamp":"2024-03-01T12:34:56.000000Z","event":"$pageview","distinct_id":"user-17"',
    '{"uuid":"a4e29744-95f9-50e9-a142-9dae78bf8065","timestamp":"2024-03-02T08:58:02.000000Z","event":"Signed up \\"again\\"","distinct_id":"user-18"',
  ])
  expect(events[0]).toContain('"user_id":"4711","video_id":12345678901234567890,"ratio":1.0')
  expect(events[0]).toContain('"title":"Plans, compared"')
  expect(events[0]).toContain('"$geoip_city_name":"Graz"')
  expect(events[1]).toContain('"seconds":1E+2,"$network_wifi":true')
  expect(events[1]).toContain('"title":"Grüße, 👋"')
  expect(events[1]).toContain('"distinct_id":"c0ffee12-7b6a"')
})
