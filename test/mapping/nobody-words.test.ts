import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type FixtureOptions, mapFixture, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'

const NOON = '2024-03-01T12:00:00Z'
const FIXTURES = new URL('../../fixtures/', import.meta.url)
/** A null in each dialect, and words of libraries that know no user. */
const NULLS = ['\\N', 'NULL', 'null', 'None', 'NaN', 'undefined', 'nil']
const WORDS = ['anonymous', 'Guest', 'unknown', '0', '-1', '00000000-0000-0000-0000-000000000000']
/** Identity events, and the property that names the other id. */
const NAMED: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}
// Its records are events of the service already: there a word is what the service takes it for.
const VENDORS = PRESET_NAMES.filter((name) => name !== 'posthog')

type Json = Record<string, unknown> | unknown[]
interface Line {
  readonly event: string
  readonly distinct_id: string
  readonly properties: Record<string, unknown>
}

describe.each(VENDORS)('%s', (vendor) => {
  test('takes no word that stands for nobody for a person', async () => {
    const preset = await loadPreset(vendor)
    let tried = 0
    for (const { word, options, records } of trialsOf(vendor)) {
      tried += records.length
      for (const line of mapFixture(preset, records, options).lines) {
        const event = JSON.parse(line) as Line
        // A word that a tool may use for an id stays where no other id is there, and is linked to nobody.
        if (NULLS.includes(word)) expect(bare(event.distinct_id), line).not.toBe(word)
        if (event.event in NAMED) expect(idsOf(event), line).not.toContain(word)
      }
    }
    expect(tried).toBeGreaterThan(12)
  })
})

test.each([...NULLS, ...WORDS])('%j is passed over for the next id', async (word) => {
  const call = { type: 'track', event: 'Bought', userId: word, anonymousId: 'a-1', timestamp: NOON }
  expect(await senderOf('segment', call)).toBe('a-1')
  const row = {
    event: 'Bought',
    properties: { time: 1709294400, distinct_id: word, $user_id: word, $device_id: 'd-1' },
  }
  expect(await senderOf('mixpanel', row)).toBe('d-1')
  const line = { event_type: 'Bought', user_id: word, device_id: 'd-1', event_time: '2024-03-01 12:00:00.0' }
  expect(await senderOf('amplitude', line)).toBe('d-1')
})

test.each(NULLS)('%j in a time or a group is as good as empty', async (word) => {
  const late = { event: 'a', distinct_id: 'u', at: word, received: NOON, company: word, note: word }
  const options = { mapping: { fields: { timestamp: ['at', 'received'] }, groups: { company: 'company' } } }
  const { lines } = mapFixture(await loadPreset('events'), [JSON.stringify(late)], options)
  const { properties } = JSON.parse(lines[0]!) as Line
  expect(lines[0]).toContain('"timestamp":"2024-03-01T12:00:00')
  expect(properties).not.toHaveProperty('$groups')
  expect(properties).toMatchObject({ note: word })
  const call = { type: 'group', userId: 'u', groupId: word, timestamp: '2024-03-01T12:00:00Z' }
  const { rejects } = mapFixture(await loadPreset('segment'), [JSON.stringify(call)])
  expect(rejects).toMatchObject([{ reason: 'group_key_missing' }])
})

test.each(['"NULL"', "'null'", '" None "', ' "nan" ', '\u0085null', '\ufeffnull'])(
  '%j says nothing, quoted or between blanks, wherever a plain word says nothing',
  async (word) => {
    const call = { type: 'track', event: 'Bought', userId: word, timestamp: '2024-03-01T12:00:00Z' }
    expect(await senderOf('segment', { ...call, anonymousId: 'a-1' })).toBe('a-1')
    const { rejects } = mapFixture(await loadPreset('segment'), [JSON.stringify(call)])
    expect(rejects).toMatchObject([{ reason: 'distinct_id_missing' }])
    const row = { event: 'a', distinct_id: 'u', at: word, received: '2024-03-01T12:00:00Z', company: word }
    const options = { mapping: { fields: { timestamp: ['at', 'received'] }, groups: { company: 'company' } } }
    const { lines } = mapFixture(await loadPreset('events'), [JSON.stringify(row)], options)
    expect(lines[0]).toContain('"timestamp":"2024-03-01T12:00:00')
    expect(lines[0]).not.toContain('$groups')
  },
)

test.each([...NULLS, '"NULL"'])('%j is no id of an event and of no session', async (word) => {
  const row = { event: 'a', distinct_id: 'u', timestamp: '2024-03-01T12:00:00Z', order: word, visit: word }
  const fields = { uuid: 'order', session_id: ['visit', 'began'], session_start: 'order' }
  const rows = [1, 2].map((n) => JSON.stringify({ ...row, began: '1709294000', n }))
  const { lines } = mapFixture(await loadPreset('events'), rows, { mapping: { fields } })
  const [one, two] = lines.map((line) => JSON.parse(line) as Line & { readonly uuid: string })
  expect(one!.uuid).not.toBe(two!.uuid)
  expect(one!.properties).toHaveProperty('$session_id')
  const track = (title: string) => {
    const properties = { time: 1709294400, distinct_id: 'u', $insert_id: word, title }
    return JSON.stringify({ event: 'Bought', properties })
  }
  const tracked = mapFixture(await loadPreset('mixpanel'), [track('a'), track('b')])
  expect(new Set(tracked.lines.map((line) => line.slice(0, 45))).size).toBe(2)
})

test('true and false as JSON has them are no ids either, unless there is no other', async () => {
  const call = { type: 'track', event: 'Bought', userId: false, timestamp: '2024-03-01T12:00:00Z' }
  expect(await senderOf('segment', { ...call, anonymousId: 'a-1' })).toBe('a-1')
  expect(await senderOf('segment', call)).toBe('false')
})

test('an event of the service that names a word links nobody, and stays where the service links nobody either', async () => {
  const posthog = await loadPreset('posthog')
  const identify = (word: string) => {
    const properties = { $anon_distinct_id: word, $set: { plan: 'pro' } }
    const event = { event: '$identify', distinct_id: 'u1', timestamp: '2024-03-01T12:00:00Z', properties }
    return mapFixture(posthog, [JSON.stringify(event)])
  }
  for (const word of ['null', 'None', 'anonymous', 'GUEST', '0']) expect(identify(word).lines).toHaveLength(1)
  for (const word of ['\\N', 'NULL', 'nil', 'unknown', 'system']) {
    expect(identify(word).rejects).toMatchObject([{ reason: 'identity_of_nobody' }])
  }
})

interface WordTrial {
  readonly word: string
  readonly options: FixtureOptions | undefined
  readonly records: string[]
}

/** The changed records of all fixtures that have a word and their options in common: to compile rules costs more than to map. */
function trialsOf(vendor: string): Iterable<WordTrial> {
  const trials = new Map<string, WordTrial>()
  for (const { name, input, options, expected } of readFixtures(fileURLToPath(new URL(vendor, FIXTURES)))) {
    if (!name.startsWith('valid/')) continue
    const people = new Set(expected!.flatMap((line) => idsOf(JSON.parse(line) as Line)))
    for (const { json, word } of [input]
      .flat()
      .flatMap((text) => changed(JSON.parse(text) as Json, people))) {
      const key = JSON.stringify([word, options])
      const trial = trials.get(key) ?? { word, options, records: [] }
      trials.set(key, trial)
      trial.records.push(JSON.stringify(json))
    }
  }
  return trials.values()
}

async function senderOf(vendor: string, record: object): Promise<string> {
  const { lines } = mapFixture(await loadPreset(vendor), [JSON.stringify(record)])
  return (JSON.parse(lines[0]!) as Line).distinct_id
}

function idsOf({ event, distinct_id, properties }: Line): string[] {
  const other = properties[NAMED[event] ?? '']
  return typeof other === 'string' ? [bare(distinct_id), other] : [bare(distinct_id)]
}

/** Some vendors' ids get a prefix. */
function bare(id: string): string {
  return id.replace(/^(?:umami|sa):/, '')
}

/** The record with each word in place of each value that is an id of its people, one at a time and all at once. */
function changed(
  record: Json,
  people: ReadonlySet<string>,
): Array<{ readonly json: Json; readonly word: string }> {
  const places: string[] = []
  const visit = (value: unknown, at: string) => {
    if (isId(value, people)) places.push(at)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, `${at}\n${key}`)
  }
  visit(record, '')
  const sets = places.length > 1 ? [...places.map((one) => [one]), places] : [places]
  const used = sets.filter((set) => set.length > 0)
  return ['\\N', 'NULL', 'None', 'anonymous', '0'].flatMap((word) =>
    used.map((set) => ({ json: put(record, set, word), word })),
  )
}

/** Some vendors have numbers for ids, and prefixes before them. */
function isId(value: unknown, people: ReadonlySet<string>): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  return people.has(String(value)) || people.has(String(value).replace('$device:', ''))
}

function put(record: Json, places: readonly string[], word: string): Json {
  const copy = structuredClone(record)
  for (const place of places) {
    const path = place.split('\n').slice(1)
    const last = path.pop()!
    const parent = path.reduce<Json>((at, key) => (at as Record<string, Json>)[key]!, copy)
    ;(parent as Record<string, unknown>)[last] = word
  }
  return copy
}
