import { ByteWriter } from '../record/byte-writer.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Members } from '../record/members.ts'
import { MOST_IMPORT_IDS } from '../record/notes.ts'

/** The origin of what every event has, in the trace of a record. */
export const ON_EVERY = 'posthaul, on every event'

/** A property that every event gets unless it has one with that name. */
export interface Constant {
  readonly key: Key
  readonly json: Buffer
  /** True for a property of the library, which belongs with our `$lib` only. */
  readonly ofLibrary: boolean
}

export interface Provenance {
  readonly vendor: string
  readonly version: string
  readonly importId: string | null
}

/** The source of every event, and the order not to derive a location from the importer's address. */
export function constantsOf({ vendor, version, importId }: Provenance): readonly Constant[] {
  return [
    constant('$geoip_disable', 'true'),
    ...(importId === null ? [] : [constant(IMPORT_ID, JSON.stringify(importId))]),
    constant('$lib', '"posthaul"'),
    constant('$lib_version', JSON.stringify(version)),
    constant('analytics_source', JSON.stringify(vendor)),
  ]
}

/**
 * All of them written out, for events that have none, as most do: copying is faster than adding each. `fixed`, what a mapping
 * file sets by name as JSON text, wins over them; the names of `own` are the event's, and are never in it.
 */
export function tailOf(
  constants: readonly Constant[],
  fixed: Readonly<Record<string, string>> = {},
  own: readonly Key[] = [],
): ByteWriter {
  const members = new Members()
  const named = Object.hasOwn(fixed, '$lib')
  for (const { key, json, ofLibrary } of constants)
    if (!(named && ofLibrary)) members.put(key, json, 0, json.length)
  for (const [name, text] of Object.entries(fixed)) {
    const [key, json] = [keyOf(name), Buffer.from(text)]
    if (!own.includes(key)) members.put(key, json, 0, json.length)
  }
  const writer = new ByteWriter(1024)
  members.write(writer)
  return writer
}

function constant(name: string, json: string): Constant {
  return { key: keyOf(name), json: Buffer.from(json), ofLibrary: name === '$lib_version' }
}

export function hasAny(properties: Members, constants: readonly Constant[]): boolean {
  for (let i = 0; i < constants.length; i++) if (properties.has(constants[i]!.key)) return true
  return false
}

/** Tells an import's events apart from all others in the project; the service's own importer uses the same name. */
const IMPORT_ID = '$import_job_id'

const IMPORT_KEY = keyOf(IMPORT_ID)

// A query sees a property as the JSON text that the service keeps, without its quotes: what JSON escapes looks different.
const ESCAPED = /["\\\p{Cc}\u2028\u2029]/u

/** True if a query finds the events that carry this id. */
export function isQueryable(id: string): boolean {
  return id !== '' && !ESCAPED.test(id)
}

/**
 * Counts the id of another importer than `own`, which stays: the event may have come this way before. The mapping file
 * can set one too.
 */
export function countImporter(properties: Members, own: string | null, counts: Record<string, number>): void {
  const json = properties.json(IMPORT_KEY)
  if (json === undefined) return
  const text = json.startsWith('"') ? (JSON.parse(json) as string) : ''
  if (text === own) return
  // Under '' those that a query can't tell.
  const id = isQueryable(text) ? text : ''
  if (id in counts || Object.keys(counts).length <= MOST_IMPORT_IDS) counts[id] = (counts[id] ?? 0) + 1
}
