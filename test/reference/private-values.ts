import { createHmac } from 'node:crypto'
import type { Mapping } from '../../src/mapping/mapping.ts'
import { asText, type Json, members, objectOf } from './json.ts'

/** Properties that hold properties of persons and groups. */
const HOLDERS = ['$set', '$set_once', '$group_set']

/** Hashes of what `properties.hash` names: docs/mapping-files.md, "Private values". */
export class PrivateValues {
  readonly hidesIds: boolean
  readonly #names: ReadonlySet<string>
  readonly #key: string

  constructor({ hash, properties: { rename } }: Mapping, vendor: string, key: string) {
    this.#key = key
    this.hidesIds = hash.includes('distinct_id')
    const named = hash
      .filter((name) => name !== 'distinct_id')
      .flatMap((name) => [name, Object.hasOwn(rename, name) ? rename[name]! : name])
    const kept = this.hidesIds ? ['$user_id', '$device_id', '$distinct_id'] : []
    // A value whose name another one has is kept under the vendor's.
    this.#names = new Set(
      [...named, ...kept].flatMap((name) => [name, `$${vendor}_${name.replace(/^\$/, '')}`]),
    )
  }

  id(id: string): string {
    return this.hidesIds ? this.#hash(id) : id
  }

  /** A property of an event, or of its person. `ids` are those of the record; `linked` is the property that names another one. */
  hidden(name: string, json: Json, ids: readonly string[], linked: string | undefined): Json {
    const text = asText(json)
    if (json === 'null' || text === '') return json
    return this.#names.has(name) || (this.hidesIds && (ids.includes(text) || name === linked))
      ? `"${this.#hash(text)}"`
      : json
  }

  /** The same of an event's property, which may hold properties of its person or of a group. */
  hiddenInside(name: string, json: Json, ids: readonly string[], linked: string | undefined): Json {
    if (!HOLDERS.includes(name)) return this.hidden(name, json, ids, linked)
    return this.hiddenObject(json, ids, linked)
  }

  hiddenObject(json: Json, ids: readonly string[], linked: string | undefined): Json {
    const before = json[0] === '{' ? members(json) : []
    const after = before.map(([name, value]) => [name, this.hidden(name, value, ids, linked)] as const)
    return after.every(([, value], n) => value === before[n]![1]) ? json : objectOf(after)
  }

  #hash(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex')
  }
}
