import { ByteWriter } from '../record/byte-writer.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Members } from '../record/members.ts'

/** A property that every event gets unless it has one of that name. */
export interface Constant {
  readonly key: Key
  readonly json: Buffer
  /** Says something of the library, so it goes with our `$lib` only. */
  readonly ofLibrary: boolean
}

/** What every event says of where it comes from, and that its address is not to be looked up again. */
export function constantsOf(vendor: string, version: string): readonly Constant[] {
  return [
    constant('$geoip_disable', 'true'),
    constant('$lib', '"posthaul"'),
    constant('$lib_version', JSON.stringify(version)),
    constant('analytics_source', JSON.stringify(vendor)),
  ]
}

/** All of them as the members of an event that has none: most events are so, and written faster so. */
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
