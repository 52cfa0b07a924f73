import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHILD } from '../../src/mapping/explode.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import type { Fates } from '../../src/record/inventory.ts'
import { eventText } from '../helpers/event-text.ts'
import { cutRecord } from '../helpers/explode.ts'

// Promise 9: of every member of every record it is known what became of it. Each record of each fixture is held against
// its event, by JSON.parse and by the meaning of the words in docs/members.md: nothing here asks a preset's tables.

interface Case {
  readonly input: string | string[]
  readonly options?: { sourceTimezone?: string; switches?: string[]; mapping?: object }
}

type Json = Record<string, unknown>
interface Event {
  readonly event: string
  readonly distinct_id: string
  readonly properties: Json & { $set?: Json; $set_once?: Json }
}

const FIXTURES = new URL('../../fixtures/', import.meta.url)
const NOTHING = [null, '', '(not set)', '(not provided)', '(none)', '(direct)', 'EMPTY', 'Unknown', 'xx']

describe.each(PRESET_NAMES)('every member of the records of %s', (name) => {
  test('has a fate, and each fate is true', async () => {
    const preset = await loadPreset(name)
    let [events, members] = [0, 0]
    for (const { input, options = {} } of casesOf(name, 'valid')) {
      for (const line of [input].flat().flatMap((record) => cutRecord(preset, record).lines)) {
        const { event, inventory } = mapAlone(preset, line, options)
        if (event === undefined) {
          expect(inventory.members, line).toEqual({})
          continue
        }
        events++
        const record = membersOf(parsed(preset.reshape?.(line) ?? line), inventory.members)
        for (const [path, value] of record) {
          members++
          const fates = inventory.members[path]
          expect(Object.keys(fates ?? {}), `no fate of ${path} in ${line}`).not.toEqual([])
          // A list may have a name twice: each fate is one value's.
          const own = record.filter(([one]) => one === path).map(([, one]) => one)
          for (const fate of Object.keys(fates!)) {
            const claim = `${path} is said to be "${fate}": ${line}\n${JSON.stringify(event)}`
            expect(
              own.some((one) => isTrue(fate, path, one, event)),
              claim,
            ).toBe(true)
          }
          const claim = `no fate of ${path} is true of ${JSON.stringify(value)}: ${line}`
          expect(
            Object.keys(fates!).some((fate) => isTrue(fate, path, value, event)),
            claim,
          ).toBe(true)
        }
        const known = new Set(record.map(([path]) => path))
        expect(
          Object.keys(inventory.members).filter((path) => !known.has(path)),
          line,
        ).toEqual([])
      }
    }
    expect(events).toBeGreaterThan(5)
    expect(members).toBeGreaterThan(events)
  })

  test('is counted only where the record became an event', async () => {
    const preset = await loadPreset(name)
    for (const { input, options = {} } of casesOf(name, 'invalid')) {
      const { event, inventory } = mapAlone(preset, [input].flat()[0]!, options)
      if (event === undefined) expect([inventory.members, inventory.properties]).toEqual([{}, {}])
    }
  })
})

function casesOf(name: string, kind: string): Case[] {
  const folder = new URL(`${name}/${kind}/`, FIXTURES)
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case)
}

function mapAlone(
  preset: Awaited<ReturnType<typeof loadPreset>>,
  line: string,
  options: Case['options'] = {},
) {
  const { mapping = {}, sourceTimezone, switches = [] } = options
  const chosen =
    Object.keys(mapping).length > 0 ? parseMapping(JSON.stringify(mapping), 'mapping').mapping : NO_MAPPING
  const mapper = new Mapper(
    preset,
    { ...chosen, ...(sourceTimezone === undefined ? {} : { sourceTimezone }) },
    {
      now: Date.UTC(2026, 0, 1) * 1000,
      version: '9.9.9',
      switches: new Set(switches),
      importId: null,
    },
  )
  const bytes = Buffer.from(line)
  const text = eventText(mapper.map(bytes, 0, bytes.length))
  const event = text === '' ? undefined : (JSON.parse(text) as Event)
  return { event, inventory: mapper.takeInventory() }
}

function parsed(line: string): Json {
  try {
    // What posthaul tells a child is no member of the vendor's record.
    const { [CHILD]: _, ...record } = JSON.parse(line) as Json
    return record
  } catch {
    return {}
  }
}

/** The members of a record by path. An object is looked into where its own fate says that it was opened. */
function membersOf(
  record: Json,
  fates: Readonly<Record<string, Fates>>,
  prefix = '',
): Array<[string, unknown]> {
  return Object.entries(record).flatMap(([name, value]): Array<[string, unknown]> => {
    const path = prefix + name
    const opened = 'opened' in (fates[path] ?? {}) ? objectIn(value) : undefined
    const named = 'opened' in (fates[path] ?? {}) ? namedIn(value) : []
    const parts = named.map(([part, one]): [string, unknown] => [`${path}.${part}`, one])
    return [[path, value], ...(opened ? membersOf(opened, fates, `${path}.`) : []), ...parts]
  })
}

/** The values of a list of names and values: `plan.string_value`; the bare name where all its values are null. */
function namedIn(list: unknown): Array<[string, unknown]> {
  const unfolded = unpacked(list)
  if (!Array.isArray(unfolded)) return []
  return unfolded.flatMap((element): Array<[string, unknown]> => {
    const { key, customVarName = key, value, ...others } = objectIn(element) ?? {}
    if (typeof customVarName !== 'string') return []
    const held = Object.entries({ ...objectIn(value), ...others }).filter(([, one]) => one !== null)
    if (held.length === 0) return [[customVarName, null]]
    return held.map(([kind, one]) => [`${customVarName}.${kind}`, one])
  })
}

/** An object, or the one in a text. */
function objectIn(value: unknown): Json | undefined {
  const inner = typeof value === 'string' && value.startsWith('{') ? parsed(value) : value
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Json) : undefined
}

function isTrue(
  fate: string,
  path: string,
  value: unknown,
  { event, distinct_id, properties }: Event,
): boolean {
  const name = path.split('.').at(-1)!
  const { $set = {}, $set_once = {} } = properties
  const [word, detail = ''] = fate.split(/: (.*)/s)
  if (fate === 'kept') return isSame(properties[name], value)
  if (word === 'renamed') {
    const sent = properties[detail]
    // A number may be text in the record; a value of a list may be one of several in an object.
    return isSame(sent, value) || isNumberIn(sent, value) || isAmong(objectIn(sent) ?? {}, value)
  }
  // An id: without the blanks around it, or the digits of a number.
  if (fate === 'mended')
    return [String(value).trim(), value].includes(
      typeof value === 'number' ? Number(properties[name]) : String(properties[name]),
    )
  if (fate === 'opened') return objectIn(value) !== undefined || namedIn(value).length > 0
  if (detail === '$set' || detail === '$set_once') {
    const set = detail === '$set' ? $set : $set_once
    return objectIn(value) ? Object.keys(set).length > 0 : Array.isArray(value) || isAmong(set, value)
  }
  if (detail.startsWith('$set.')) {
    const sent = $set[detail.slice(5)]
    return isSame(sent, value) || isNumberIn(sent, value)
  }
  if (detail.startsWith('$set_once.')) return isSame($set_once[detail.slice(10)], value)
  if (fate === 'left out: empty') return isEmpty(value)
  // The id that the event has may be in the record twice.
  if (fate === 'left out: preset') return name === 'distinct_id' || !isSame(properties[name], value)
  if (fate === 'left out: outranked') return !isSame(properties[name], value)
  if (fate === 'left out: properties.drop' || fate === 'left out: service') return !(name in properties)
  return isUse(fate, value, { event, distinct_id, properties })
}

function isUse(fate: string, value: unknown, { event, distinct_id, properties }: Event): boolean {
  if (fate === 'used: event') return event !== '' && value !== null && value !== ''
  if (fate === 'used: distinct_id') return distinct_id !== '' && value !== null && value !== ''
  if (fate === 'used: $groups') return Object.keys((properties.$groups ?? {}) as Json).length > 0
  if (fate === 'used: properties') return Object.keys(properties).length > 1
  return /^used: (timestamp|uuid|anonymous_id)$/.test(fate) && value !== null && value !== ''
}

function isEmpty(value: unknown): boolean {
  return NOTHING.some((one) => one === value) || /^(\{\}|\[\])$/.test(JSON.stringify(unpacked(value)))
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(unpacked(b))
}

/** What a text of JSON holds: presets open such text where they look into it. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function isAmong(object: Json, value: unknown): boolean {
  return Object.values(object).some(
    (one) => isSame(one, value) || isTimeOf(one, value) || isNumberIn(one, value),
  )
}

/** A number in text, as the number that it is. */
function isNumberIn(one: unknown, text: unknown): boolean {
  return typeof one === 'number' && String(one) === text
}

/** A number of microseconds, moved as the time that it is. */
function isTimeOf(text: unknown, micros: unknown): boolean {
  return (
    typeof text === 'string' && /T.*Z$/.test(text) && Date.parse(text) === Math.floor(Number(micros) / 1000)
  )
}
