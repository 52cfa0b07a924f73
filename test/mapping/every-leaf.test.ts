import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { FixtureOptions } from '../../src/jobs/preset/fixture-kit.ts'
import { mappingFor, readFixtures } from '../../src/jobs/preset/fixture-kit.ts'
import { Exploder } from '../../src/mapping/explode.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { switchesOf } from '../../src/mapping/switches.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'

// Every value of every record is in an event, a link or a group, or the account of the members says that it is not. Each
// text and number of each fixture is replaced by one that occurs nowhere else, and looked for in what is made.
const FIXTURES = new URL('../../fixtures/', import.meta.url)

type Path = ReadonlyArray<string | number>

/** The object or array in a text; undefined for other values. */
function inText(value: unknown): object | undefined {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  try {
    return JSON.parse(value) as object
  } catch {
    return undefined
  }
}

function leavesOf(value: unknown, path: Path = []): Path[] {
  const held = inText(value)
  if (held) return leavesOf(held, path)
  if (typeof value === 'string' || typeof value === 'number') return [path]
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}

/** The record with another leaf. */
function withLeaf(value: unknown, [key, ...rest]: Path, leaf: (old: unknown) => unknown): unknown {
  if (key === undefined) return leaf(value)
  const held = inText(value)
  if (held) return JSON.stringify(withLeaf(held, [key, ...rest], leaf))
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? withLeaf(one, rest, leaf) : one))
  const object = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(object).map(([name, inner]) => [name, name === key ? withLeaf(inner, rest, leaf) : inner]),
  )
}

interface Outcome {
  /** The events, links and groups as JSON, with and without what they are told apart by. */
  readonly text: string
  readonly told: string
  /** Rejects keep their record, and what is filtered is counted by its reason. */
  readonly isCounted: boolean
  readonly noted: string
}

interface Trial {
  run(record: string): Outcome
  /** What the account says of the members of a record. To take it costs as much as to map. */
  membersOf(record: string): Readonly<Record<string, object>>
}

/** JSON without the line, and with bytes as text. */
function told(mapped: object): string {
  const texts = Object.entries(mapped).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('latin1') : value,
  ])
  return JSON.stringify({ ...Object.fromEntries(texts), line: undefined })
}

function trialOf(preset: Preset, options: FixtureOptions): Trial {
  const mapper = new Mapper(preset, mappingFor(options), {
    now: Date.UTC(2026, 0, 1) * 1000,
    version: '9.9.9',
    switches: switchesOf(options.switches ?? [], preset.vendor, preset),
    groupEventName: '$groupidentify',
    importId: null,
  })
  const exploder = preset.explode && new Exploder(preset.explode, mapper.notes.mends)
  const run = (record: string): Outcome => {
    const made: string[] = []
    let isCounted = false
    const map = (bytes: Buffer, start: number, end: number) => {
      const one = mapper.map(bytes, start, end)
      if (one.status !== 'event') isCounted = true
      else made.push(one.text, told(one))
    }
    const bytes = Buffer.from(record)
    const refused = () => {
      isCounted = true
    }
    const exploded = exploder?.explode(bytes, 0, bytes.length, { child: map, refused })
    if (exploded === undefined || exploded.status === 'whole') map(bytes, 0, bytes.length)
    else if (exploded.status !== 'children') isCounted = true
    const { unusable, ignored_members } = mapper.takeNotes()
    const text = made.join()
    return {
      text,
      told: text.replaceAll(/"uuid":"[^"]*"/g, ''),
      isCounted,
      noted: JSON.stringify([unusable, ignored_members]),
    }
  }
  return {
    run,
    membersOf: (record) => {
      mapper.takeInventory()
      run(record)
      return mapper.takeInventory().members
    },
  }
}

/** True if the account says of the member, or of one that it is in, that it is left out, or what it was used for. */
function isNamed(members: Readonly<Record<string, object>>, path: Path): boolean {
  const names = path.filter((key) => typeof key === 'string')
  return Object.entries(members).some(([known, fates]) => {
    const isOwn = known === names.join('.') || known.endsWith(`.${names.at(-1)}`)
    const isAround = names.join('.').startsWith(`${known}.`)
    const words = Object.keys(fates)
    if ((isOwn || isAround) && words.some((word) => word.startsWith('left out'))) return true
    return isOwn && words.some((word) => /^used: (?!properties)/.test(word))
  })
}

/** Values that are nowhere by design, and why: the first or the last name of their paths. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // The account has the id as that of the call, `messageId`. The table's name is that of the file.
  'segment-warehouse': ['id', 'ID', '$table'],
  // Where the visit's session begins: nothing else, and none begins a day before its event.
  matomo: ['firstActionTimestamp'],
  // True leaves the row out; all else is a person's.
  'simple-analytics': ['is_robot'],
  // How to read the value's text, which has the number too.
  umami: ['number_value', 'data_type'],
  // Of other records, which posthaul joined: they are events of their own.
  // Then addresses of schemas, whose names the entities have; and what was typed, which the notes count.
  snowplow: ['first_delivery', 'session_start', 'schema', 'unstruct_event.data.data.value'],
}

function isKnown(vendor: string, path: Path): boolean {
  const names = [path[0], path.at(-1), path.join('.')].map(String)
  return names.some((name) => KNOWN[vendor]?.includes(name))
}

describe.each(PRESET_NAMES)('%s', (vendor) => {
  const cases = readFixtures(fileURLToPath(new URL(vendor, FIXTURES))).filter(({ name }) =>
    name.startsWith('valid/'),
  )

  test.each(cases)('every value of $name is in what is made, or named', async ({ input, options = {} }) => {
    const trial = trialOf(await loadPreset(vendor), options)
    const lost: string[] = []
    for (const record of [input].flat()) {
      const parsed: unknown = JSON.parse(record)
      const before = trial.run(JSON.stringify(parsed))
      for (const [n, path] of leavesOf(parsed).entries()) {
        const mark = String(73_133_700 + n)
        let isNumber = false
        const changed = withLeaf(parsed, path, (old) => {
          isNumber = typeof old === 'number'
          return isNumber ? Number(mark) : `zq${mark}x`
        })
        const text = JSON.stringify(changed)
        const after = trial.run(text)
        if (after.text.includes(mark) || after.isCounted || after.noted !== before.noted) continue
        // A number may become a time or an amount, and an id is hashed into the uuid.
        if (
          (isNumber && after.told !== before.told) ||
          (after.text !== before.text && after.told === before.told)
        )
          continue
        // The name of an empty value: the account tells it.
        const members = trial.membersOf(text)
        if (Object.keys(members).some((known) => known.includes(mark))) continue
        if (isNamed(members, path) || isKnown(vendor, path)) continue
        lost.push(path.join('.'))
      }
    }
    expect(lost).toEqual([])
  })
})
