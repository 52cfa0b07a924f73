import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { Exploder } from '../../src/mapping/explode.ts'
import { OPENED } from '../../src/mapping/fates.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { type Preset, switchesOf } from '../../src/mapping/preset.ts'
import { type FixtureOptions, mappingFor, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { buildTables } from '../../src/pipeline/side/build.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import type { Fates } from '../../src/record/inventory.ts'
import { noMends } from '../../src/record/mend.ts'
import type { MemberTrace, PartTrace, Trace } from '../../src/studio/trace.ts'
import { Tracer } from '../../src/studio/tracer.ts'
import { testFolder } from '../helpers/folder.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)
const NOW = Date.UTC(2026, 0, 1) * 1000

function optionsFor(preset: Preset, { switches = [] }: FixtureOptions) {
  const chosen = switchesOf(switches, preset.vendor, preset)
  return { now: NOW, version: '1', switches: chosen, importId: null }
}

function tracerFor(preset: Preset, options: FixtureOptions = {}): Tracer {
  return new Tracer(new Engine(preset, mappingFor(options), optionsFor(preset, options)))
}

/** One record by a preset and what a mapping file holds. */
async function traceOf(name: string, record: object | string, mapping?: object): Promise<Trace> {
  const tracer = tracerFor(await loadPreset(name), mapping === undefined ? {} : { mapping })
  return tracer.trace(Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)))
}

async function partOf(...args: Parameters<typeof traceOf>): Promise<PartTrace> {
  return (await traceOf(...args)).parts[0]!
}

function memberAt({ members }: PartTrace, path: string): MemberTrace {
  return members.find((one) => one.path === path)!
}

/** What a transform counts of a record. */
function inventoryOf(preset: Preset, mapper: Mapper, record: Buffer): Record<string, Fates> {
  const map = (bytes: Buffer, start: number, end: number) => void mapper.map(bytes, start, end)
  const exploder = preset.explode && new Exploder(preset.explode, noMends())
  const exploded = exploder?.explode(record, 0, record.length, { child: map, refused: () => {} })
  if ((exploded?.status ?? 'whole') === 'whole') map(record, 0, record.length)
  return mapper.takeInventory().members
}

/** The kinds of fate by path: an inventory may count one twice, where a table and a function send a value alike. */
function kindsOf(fates: ReadonlyArray<readonly [path: string, fates: readonly string[]]>): object {
  const kinds = new Map<string, Set<string>>()
  for (const [path, own] of fates) kinds.set(path, new Set([...(kinds.get(path) ?? []), ...own].sort()))
  return new Map([...kinds].filter(([, { size }]) => size > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The paths of a record's members that are no objects. */
function leavesOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return isObject && Object.keys(inner).length > 0 ? leavesOf(inner, `${prefix}${name}.`) : [prefix + name]
  })
}

interface Traced {
  readonly about: string
  readonly record: string
  readonly trace: Trace
  readonly inventory: Record<string, Fates>
}

/** All records of a preset's fixtures. */
function traced(vendor: string, preset: Preset): Traced[] {
  return readFixtures(fileURLToPath(new URL(vendor, FIXTURES))).flatMap(({ name, input, options = {} }) => {
    const tracer = tracerFor(preset, options)
    const mapper = new Mapper(preset, mappingFor(options), optionsFor(preset, options))
    return [input].flat().map((record) => ({
      about: `${name}: ${record}`,
      record,
      trace: tracer.trace(Buffer.from(record)),
      inventory: inventoryOf(preset, mapper, Buffer.from(record)),
    }))
  })
}

test.each(PRESET_NAMES)('%s: tells the fates that a transform counts, and every place', async (vendor) => {
  const preset = await loadPreset(vendor)
  for (const { about, record, trace, inventory } of traced(vendor, preset)) {
    const told = trace.parts.flatMap(({ members }) => members)
    expect(kindsOf(told.map(({ path, fates }) => [path, fates])), about).toEqual(
      kindsOf(Object.entries(inventory).map(([path, fates]) => [path, Object.keys(fates)])),
    )
    for (const { event, members, child } of trace.parts) {
      // A reshaped record has other members; a record of several events is told of by its children.
      if (preset.reshape === undefined && child === null) assertEachIsTold(record, members, about)
      const places = new Set(event?.places.map(({ place }) => place))
      const held = members.flatMap(({ to }) => to).filter((place) => place !== 'link')
      expect(
        held.filter((place) => !isHeld(places, place)),
        `${about}\n${event?.line}`,
      ).toEqual([])
    }
  }
})

/** Each value of a record is a member, or is in one that goes somewhere whole. */
function assertEachIsTold(record: string, members: readonly MemberTrace[], about: string): void {
  if (members.length === 0) return
  const whole = members.filter(({ fates }) => !fates.includes(OPENED)).map(({ path }) => `${path}.`)
  const paths = new Set(members.map(({ path }) => path))
  const untold = leavesOf(JSON.parse(record)).filter(
    (leaf) => !paths.has(leaf) && !whole.some((path) => leaf.startsWith(path)),
  )
  expect(untold, about).toEqual([])
}

function isHeld(places: ReadonlySet<string>, place: string): boolean {
  return places.has(place) || [...places].some((one) => one.startsWith(`${place}.`))
}

describe('a trace', () => {
  const page = {
    event: '$mp_web_page_view',
    properties: {
      time: 1700000000,
      distinct_id: 'u1',
      $insert_id: 'x1',
      $browser: 'Chrome',
      $city: 'Rome',
      plan: 'pro',
      token: 't',
      nothing: '',
    },
  }

  test('says which rule sent a member where', async () => {
    const part = await partOf('mixpanel', page)
    expect(part).toMatchObject({ outcome: 'event', source_event: '$mp_web_page_view', distinct_id: 'u1' })
    expect(memberAt(part, 'properties.$city')).toEqual({
      path: 'properties.$city',
      value: '"Rome"',
      cell: null,
      fates: ['person: $set.$geoip_city_name', 'renamed: $geoip_city_name'],
      to: ['properties.$set.$geoip_city_name', 'properties.$geoip_city_name'],
      rules: ['preset mixpanel: properties.$city'],
    })
    expect(memberAt(part, 'properties.plan')).toMatchObject({
      to: ['properties.plan'],
      rules: ['no rule names it'],
    })
    expect(memberAt(part, 'properties.token')).toMatchObject({ fates: ['left out: preset'], to: [] })
    expect(memberAt(part, 'properties.nothing')).toMatchObject({ fates: ['left out: empty'], to: [] })
  })

  test('says what of the event is from where', async () => {
    const { event } = await partOf('mixpanel', page)
    const origins = Object.fromEntries(
      event!.places.map(({ place, from, origin }) => [place, origin ?? from]),
    )
    expect(origins).toMatchObject({
      uuid: ['properties.$insert_id'],
      event: ['event'],
      timestamp: ['properties.time'],
      distinct_id: ['properties.distinct_id'],
      'properties.distinct_id': ['properties.distinct_id'],
      'properties.$set.$browser': ['properties.$browser'],
      'properties.$lib': 'posthaul, on every event',
    })
    expect(event).toMatchObject({ uuid_from: 'id', uuid_members: ['properties.$insert_id'] })
  })

  test('names the rules of the mapping file', async () => {
    const part = await partOf('mixpanel', page, {
      properties: { rename: { plan: 'tier' }, drop: ['$browser'], set: { site: 'shop' } },
      groups: { company: 'properties.plan' },
    })
    expect(memberAt(part, 'properties.plan')).toMatchObject({
      fates: ['renamed: tier', 'used: $groups'],
      to: ['properties.tier', 'properties.$groups'],
      rules: ['mapping file: groups.company', 'mapping file: properties.rename.plan'],
    })
    expect(memberAt(part, 'properties.$browser').rules[0]).toBe('mapping file: properties.drop.$browser')
    expect(part.event!.groups).toEqual([{ type: 'company', key: 'pro' }])
    const site = part.event!.places.find(({ place }) => place === 'properties.site')
    expect(site).toMatchObject({ value: '"shop"', from: [], origin: 'mapping file: properties.set.site' })
  })

  test('tells of each value in a list of names and values, with the rules for it', async () => {
    const element = (key: string, value: string) => ({ key, value: { int_value: value } })
    const row = {
      event_name: 'scroll',
      event_timestamp: '1709296496789123',
      user_pseudo_id: 'u1',
      event_params: [element('twice', '1'), element('twice', '2'), element('secret', '3')],
    }
    const part = await partOf('ga4', row, { properties: { drop: ['secret'] } })
    const told = part.members.filter(({ path }) => path.startsWith('event_params.'))
    expect(told).toMatchObject([
      { path: 'event_params.twice.int_value', value: '1', to: ['properties.$ga4_twice'] },
      { path: 'event_params.twice.int_value', value: '2', to: ['properties.twice'] },
      { path: 'event_params.secret.int_value', value: '3', to: [], fates: ['left out: properties.drop'] },
    ])
    expect(told[2]!.rules[0]).toBe('mapping file: properties.drop.secret')
    const twice = part.event!.places.find(({ place }) => place === 'properties.twice')
    expect(twice).toMatchObject({ value: '2', from: ['event_params.twice.int_value'] })
  })

  test('finds out what a function made of a member', async () => {
    const { members, event } = await partOf('mixpanel', {
      event: '$mp_page_leave',
      properties: { ...page.properties, $max_scroll_percentage: 50 },
    })
    expect(event!.event).toBe('$pageleave')
    expect(members.find(({ path }) => path === 'properties.$max_scroll_percentage')!.to).toContain(
      'properties.$prev_pageview_max_scroll_percentage',
    )
  })

  test('tells own uuids, ids and contents apart', async () => {
    const uuid = '0190b3a2-7c4e-7d3a-9f00-0123456789ab'
    const event = { event: 'e', distinct_id: 'u', timestamp: '2024-01-01T00:00:00Z' }
    expect((await partOf('posthog', { ...event, uuid })).event).toMatchObject({
      uuid,
      uuid_from: 'uuid',
      uuid_members: ['uuid'],
    })
    expect((await partOf('posthog', event)).event).toMatchObject({ uuid_from: 'content', uuid_members: [] })
  })

  test('shows a link between ids, mends, and names that come twice', async () => {
    const { link, mends, duplicate_keys, members } = await partOf(
      'mixpanel',
      '{"event":"a","properties":{"time":1700000000,"distinct_id":" u1 ","$user_id":"u1","$device_id":"d1","x":1,"x":2}}',
    )
    expect(link).toEqual({ anonymous_id: 'd1', user_id: 'u1' })
    expect([mends, duplicate_keys]).toEqual([{ id_trimmed: 1 }, 1])
    expect(members.filter(({ path }) => path === 'properties.x')).toMatchObject([
      { value: '1', fates: ['left out: duplicate'], to: [] },
      { value: '2', fates: ['kept'], to: ['properties.x'] },
    ])
  })

  test('gives a reject its reason, and its members no fates', async () => {
    const part = await partOf('mixpanel', { event: 'a', properties: { distinct_id: 'u1', plan: 'pro' } })
    expect(part).toMatchObject({
      outcome: 'rejected',
      reason: 'timestamp_missing',
      event: null,
      source_event: 'a',
    })
    expect(part.message).toMatch(/time/)
    expect(memberAt(part, 'properties.plan')).toMatchObject({ fates: [], to: [], value: '"pro"' })
  })

  test('tells of a line that is no record', async () => {
    expect(await traceOf('mixpanel', '{"event":')).toMatchObject({
      record: '{"event":',
      parts: [{ outcome: 'rejected', reason: 'bad_json', members: [] }],
    })
  })

  test('tells of each child of a record that holds several, and of one that holds none', async () => {
    const visit = {
      idSite: 1,
      idVisit: 7,
      visitorId: 'v1',
      '(export)': { timezone: 'UTC' },
      actionDetails: [
        { type: 'action', url: 'https://a.example/', timestamp: 1700000000, pageId: 1 },
        3,
        { type: 'goal', timestamp: 1700000000 },
      ],
    }
    const { parts, whole } = await traceOf('matomo', visit)
    expect(whole).toBeNull()
    expect(parts).toMatchObject([
      { child: 1, outcome: 'event', event: { event: '$pageview' } },
      { child: 2, outcome: 'rejected', reason: 'child_not_an_object' },
      { child: 3, outcome: 'filtered', reason: 'goal' },
    ])
    expect(await traceOf('matomo', { ...visit, actionDetails: [] })).toMatchObject({
      parts: [],
      whole: { outcome: 'filtered', reason: 'no_children' },
    })
  })

  test('shows the members of a row that was joined', async () => {
    const [preset, folder] = [await loadPreset('heap'), testFolder()]
    const [table, path] = [
      preset.sideTables!.find(({ as }) => as === 'joined_user')!,
      join(folder, 'users.ndjson'),
    ]
    writeFileSync(path, '{"user_id":2,"identity":"anna"}\n')
    const inputs = await listInputs([path])
    const { signal: stop } = new AbortController()
    const tables = await buildTables([{ table, inputs }], { folder, stop })
    const tracer = new Tracer(new Engine(preset, NO_MAPPING, optionsFor(preset, {}), tables))
    const { parts } = tracer.trace(
      Buffer.from('{"event_id":1,"user_id":2,"time":"2024-01-01 00:00:00","event_table_name":"a"}'),
    )
    expect(parts[0]!.members.map(({ path }) => path).join(' ')).toContain('joined_user')
  })
})
