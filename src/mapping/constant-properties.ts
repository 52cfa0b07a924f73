import { ByteWriter } from '../record/byte-writer.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Members } from '../record/members.ts'
import { IMPORT_ID } from './import-id.ts'

/** A property that every event gets unless it has one with that name. */
export interface Constant {
  readonly key: Key
  readonly json: Buffer
  /** True for a property of the library, which belongs with our `$lib` only. */
  readonly ofLibrary: boolean
}

/** What the constants say. */
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

/** All of them written out, for events that have none, as most do: copying is faster than adding each. */
export function tailOf(constants: readonly Constant[]): ByteWriter {
  const members = new Members()
  for (const { key, json } of constants) members.put(key, json, 0, json.length)
  const writer = new ByteWriter(1024)
  members.write(writer)
  return writer
}

function constant(name: string, json: string): Constant {
  return { key: keyOf(name), json: Buffer.from(json), ofLibrary: name === '$lib_version' }
}
