import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { type Mapping, NO_MAPPING } from '../mapping/mapping.ts'
import { parseMapping } from '../mapping/mapping-file.ts'
import { enginePreset, type OwnPreset } from '../mapping/own-preset.ts'
import { type Preset, switchesOf } from '../mapping/preset.ts'
import { Engine } from '../pipeline/engine.ts'
import { namePreset, presetOf } from '../pipeline/preset-of.ts'
import { canonicalJson } from '../record/json-values.ts'
import { type MadeLine, RecordMapping, type RecordReject } from '../transform/record-mapping.ts'
import { VERSION } from '../version.ts'
import { leaves } from './test-differences.ts'

/** A case of a preset's fixtures: records, and the events that they become, or why they become none. */
export interface Fixture {
  /** `valid/page-view`. */
  readonly name: string
  /** What it is about, in a sentence. */
  readonly about: string
  /** One record as JSON text, or several. */
  readonly input: string | readonly string[]
  /** The lines of the events, in the order of a dataset; of a valid case. */
  readonly expected?: readonly string[]
  /** The reason of the rejects; of an invalid case. */
  readonly reason?: string
  readonly options?: FixtureOptions
}

/** The options of a transform that a case sets. */
export interface FixtureOptions {
  readonly sourceTimezone?: string
  readonly switches?: readonly string[]
  /** What a mapping file holds. */
  readonly mapping?: object
}

/**
 * What the records of a case became.
 * @internal
 */
export interface FixtureMapped extends Pick<RecordMapping, 'counts' | 'reasons' | 'filtered'> {
  /** The lines of the events, in the order of a dataset. */
  readonly lines: readonly string[]
  /** The same with their places in it. */
  readonly made: readonly MadeLine[]
  readonly rejects: readonly RecordReject[]
}

/**
 * The clock of all cases, in microseconds: what is after it lies in the future.
 * @internal
 */
export const NOW = Date.UTC(2026, 0, 1) * 1000

/** Reads the cases of a folder: each JSON file in its `valid/` and `invalid/`, by name. One of the two may be missing. */
export function readFixtures(folder: string): Fixture[] {
  const kinds = ['valid', 'invalid'].filter((kind) => existsSync(join(folder, kind)))
  const cases = kinds.flatMap((kind) => {
    const names = readdirSync(join(folder, kind)).filter((name) => name.endsWith('.json'))
    return names.sort().map((name) => readFixture(join(folder, kind, name), `${kind}/${name.slice(0, -5)}`))
  })
  if (cases.length > 0) return cases
  throw new PosthaulError(`${folder} has no fixtures: there is no JSON file in valid/ or invalid/`, {
    code: 'config',
    hint: 'write one file a case, as docs/presets.md shows',
  })
}

/**
 * Runs a case against a preset: a name, the path of a file, or what `definePreset` returned. Throws an Error that says member by
 * member what differs. Values are compared as they are written: 1.0 is not 1.
 */
export async function checkFixture(fixture: Fixture, preset: string | OwnPreset): Promise<void> {
  const { name, about } = fixture
  const isNamed = typeof preset === 'string'
  const engine = isNamed ? await presetOf(await namePreset(preset)) : enginePreset(preset, 'the preset')
  const differences = differencesFrom(fixture, engine)
  if (differences.length === 0) return
  throw new Error(`${name}: ${about}\n${differences.map((one) => `  ${one}`).join('\n')}`)
}

/**
 * What a case becomes by a preset, where that is something else than it says.
 * @internal
 */
export function differencesFrom({ input, expected, reason, options }: Fixture, preset: Preset): string[] {
  const { lines, rejects } = mapFixture(preset, [input].flat(), options)
  if (expected === undefined) {
    const isSo = rejects.length > 0 && lines.length === 0 && rejects.every((one) => one.reason === reason)
    const found = rejects.map((reject) => `${reject.reason} (${reject.message})`).join(', ')
    const instead = `found: ${lines.length} events, and ${found || 'no reject'}`
    return isSo ? [] : [`expected: no event, and the reason ${reason}`, instead]
  }
  return [
    ...rejects.map(({ line, reason, message }) => `record ${line} was rejected: ${reason}, ${message}`),
    ...differencesOf(lines, expected),
  ]
}

/**
 * What a preset makes of records, in the order of a dataset and with the events that all of them show.
 * @internal
 */
export function mapFixture(
  preset: Preset,
  input: readonly string[],
  options: FixtureOptions = {},
): FixtureMapped {
  const rejects: RecordReject[] = []
  const mapping = new RecordMapping({
    preset,
    mapping: mappingFor(options),
    ...settingsOf(preset, options),
    rejected: (reject) => rejects.push(reject),
  })
  const made: MadeLine[] = input.flatMap((record, n) => mapping.take(Buffer.from(record), n + 1))
  made.push(...mapping.end())
  made.sort((a, b) => a.instant - b.instant || a.seq - b.seq || a.kind - b.kind || (a.line < b.line ? -1 : 1))
  const { counts, reasons, filtered } = mapping
  return { lines: made.map(({ line }) => line), made, rejects, counts, reasons, filtered }
}

/**
 * What maps the records of a case, one at a time.
 * @internal
 */
export function caseEngine(preset: Preset, options: FixtureOptions = {}): Engine {
  return new Engine(preset, mappingFor(options), { ...settingsOf(preset, options), version: VERSION })
}

function settingsOf(preset: Preset, { switches = [] }: FixtureOptions) {
  return {
    switches: switchesOf(switches, preset.vendor, preset),
    importId: null,
    now: NOW,
  }
}

/**
 * The mapping of a case's options.
 * @internal
 */
export function mappingFor({ mapping, sourceTimezone }: FixtureOptions): Mapping {
  const chosen = mapping ? parseMapping(JSON.stringify(mapping), 'mapping').mapping : NO_MAPPING
  return sourceTimezone === undefined ? chosen : { ...chosen, sourceTimezone }
}

function readFixture(path: string, name: string): Fixture {
  const refuse = (why: string) => new PosthaulError(`${path}: ${why}`, { code: 'config' })
  let value: Partial<Fixture>
  try {
    value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Fixture>
  } catch (cause) {
    throw refuse(`no JSON: ${(cause as Error).message}`)
  }
  const { about, input, expected, reason } = value
  if (typeof about !== 'string' || !(typeof input === 'string' || areTexts(input)))
    throw refuse('a case has about and input: a sentence, and a record as JSON text or a list of such texts')
  if ((expected === undefined) === (reason === undefined))
    throw refuse('a case has expected, or else a reason')
  if (expected !== undefined && !areTexts(expected))
    throw refuse('expected is a list of the lines of the events, each as text')
  return { ...value, name, about, input }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/**
 * What tells lines of events from those that were expected, member by member.
 * @internal
 */
export function differencesOf(lines: readonly string[], expected: readonly string[]): string[] {
  const most = Math.max(lines.length, expected.length)
  const pairs = Array.from({ length: most }, (_, n) => [expected[n], lines[n]] as const)
  return pairs.flatMap(([wanted, found], n) => {
    if (wanted === undefined) return [`event ${n + 1} was not expected: ${found}`]
    if (found === undefined) return [`event ${n + 1} is missing: ${wanted}`]
    return differing(wanted, found).map((difference) => `event ${n + 1}: ${difference}`)
  })
}

/** The version that runs is not a matter of a preset. */
const VERSION_PATH = 'properties.$lib_version'

/** The values that two events have not alike, as they are written. */
function differing(wanted: string, found: string): string[] {
  const [here, there] = [leaves(wanted), leaves(found)]
  const paths = [...new Set([...here.keys(), ...there.keys()])].filter((path) => path !== VERSION_PATH)
  return paths.flatMap((path) => {
    const [own, other] = [here.get(path), there.get(path)]
    // Lists may have other blanks: a record that comes as text keeps its own.
    if (own === other || canonicalJson(own ?? '') === canonicalJson(other ?? '')) return []
    if (own === undefined) return [`${path} was not expected: ${other}`]
    return [other === undefined ? `${path} is missing: ${own}` : `${path}: expected ${own}, found ${other}`]
  })
}
