import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FixtureOptions, mappingFor } from '../../src/library/fixture-kit.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { loadPreset, PRESET_NAMES } from '../../src/mapping/presets/index.ts'
import { switchesOf } from '../../src/mapping/switches.ts'
import { history } from '../bench/generate/history.ts'
import { cutRecord } from '../helpers/explode.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

// A mapper remembers what it did with the records of a shape. One that remembers must make the same of every record as one
// that walks each: fixtures of all presets and made-up histories, many of them bent, and mapped in rounds in which shapes
// come again.

const RECORDS = kills({ few: 10_000, many: 1_000_000 })
const ROUND = 500
/** Records that a round chooses from. */
const POOL = 40

const seed = seedOf('same shape')
const random = seeded(seed)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!

/** Where a record is bent: at a member whose value is a scalar or empty. */
const MEMBER = /"((?:[^"\\]|\\.)+)":("(?:[^"\\]|\\.)*"|[-\d.eE+]+|null|true|false|\{\}|\[\])/g
const SAME_SHAPE = ['"x"', '"other text"', '7', '-1.50', '1e300', 'true', '["a"]', '"Größe"', '"a\\nb"']
const OTHER_SHAPE = [
  ...[
    'null',
    '""',
    '"(not set)"',
    '"EMPTY"',
    '"(none)"',
    '{}',
    '[]',
    '[[]]',
    '[null,"a"]',
    '{"a":{"b":[1]}}',
  ],
  ...['1e999', '12345678901234567890', '"\\ud800"', '{"a":"\\udfff"}', '"{\\"a\\":1}"', '"[1]"', '0', '"0"'],
  ...['{"$distinct_ids":["a","b"]}', '{"company":"Acme"}', '{"plan":null}', '"2024-03-01T00:00:00Z"'],
]

test('a mapper that remembers shapes makes the same of every record as one that does not', async () => {
  const sources = await Promise.all(PRESET_NAMES.map(sourceOf))
  for (let done = 0; done < RECORDS; done += ROUND) {
    const { preset, records, options } = pick(sources)
    const chosen = pick(options)
    const [remembering, walking] = [mapperOf(preset, chosen), mapperOf(preset, chosen, 0)]
    const pool = Array.from({ length: POOL }, () => bent(pick(records)))
    for (let i = 0; i < ROUND; i++) {
      const record = nearly(pick(pool))
      const made = mapOne(remembering, record)
      if (made !== mapOne(walking, record)) expect(made, record).toBe(mapOne(walking, record))
    }
    expect(taken(remembering), preset.vendor).toEqual(taken(walking))
  }
})

async function sourceOf(name: (typeof PRESET_NAMES)[number]) {
  const preset = await loadPreset(name)
  const folder = new URL(`../../fixtures/${name}/valid/`, import.meta.url)
  const cases = readdirSync(folder).map(
    (file) =>
      JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
        input: string | string[]
        options?: FixtureOptions
      },
  )
  const records = cases.flatMap(({ input }) => [input].flat()).flatMap((one) => cutRecord(preset, one).lines)
  if (name === 'mixpanel' || name === 'amplitude') records.push(...history(name, 400, seed, 'varied'))
  return { preset, records, options: cases.map(({ options }) => options ?? {}) }
}

function mapperOf(preset: Preset, options: FixtureOptions, shapes?: number): Mapper {
  const given = {
    now: Date.UTC(2026, 0, 1) * 1000,
    version: '9.9.9',
    switches: switchesOf(options.switches ?? [], preset.vendor, preset),
    groupEventName: '$groupidentify',
    importId: null,
  }
  return new Mapper(preset, mappingFor(options), given, shapes)
}

/** All that a record becomes, as text. */
function mapOne(mapper: Mapper, record: string): string {
  const bytes = Buffer.from(record)
  mapper.out.length = 0
  const made = mapper.map(bytes, 0, bytes.length)
  return JSON.stringify(made) + mapper.out.bytes.toString('utf8', 0, mapper.out.length)
}

function taken(mapper: Mapper): string {
  return JSON.stringify([mapper.takeNotes(), mapper.takeInventory()])
}

/** A record with up to three faults. */
function bent(record: string): string {
  let made = record
  for (let faults = Math.floor(random() * 4); faults > 0; faults--) {
    const kind = random()
    if (kind < 0.6) made = withOther(made, () => pick(OTHER_SHAPE))
    else made = replaced(made, (name, value) => pick(spellings(name, value)))
  }
  return made
}

/** A record of the same shape, or one that differs from it in blanks alone. */
function nearly(record: string): string {
  const kind = random()
  if (kind < 0.4) return record
  if (kind < 0.8) return withOther(record, () => pick(SAME_SHAPE))
  return replaced(record, (name, value) => pick([` "${name}":${value}`, `"${name}":${value} `]))
}

function withOther(record: string, value: () => string): string {
  return replaced(record, (name) => `"${name}":${value()}`)
}

/** A member otherwise: twice, with an escape in its name, with blanks, in an object, after another member. */
function spellings(name: string, value: string): string[] {
  const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`
  return [
    `"${name}":${value},"${name}":${pick(OTHER_SHAPE)}`,
    `"${name}":${pick(OTHER_SHAPE)},"${name}":${value}`,
    name.startsWith('\\') ? `"${name}":${value}` : `"${escaped}":${value}`,
    `"${name}" : ${value} `,
    ` "${name}":${value}`,
    `"${name}":{"${name}":${value}}`,
    `"$os":"x","${name}":${value},"title":"t","$set":{"a":1}`,
  ]
}

/** The record with one of its members replaced. */
function replaced(record: string, by: (name: string, value: string) => string): string {
  const found = [...record.matchAll(MEMBER)]
  if (found.length === 0) return record
  const { index, 0: whole, 1: name, 2: value } = pick(found)
  return record.slice(0, index) + by(name!, value!) + record.slice(index + whole.length)
}
