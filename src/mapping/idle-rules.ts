import { parsedOrNone } from '../text/json.ts'
import { KIB } from '../text/units.ts'
import type { Mapping } from './mapping.ts'
import { pathSegments, quotedSegment, valueAt } from './member-path.ts'

/** Larger records are not parsed: the largest would take gigabytes. A rule whose name is in one is taken for matched. */
const MAX_RECORD_BYTES = 64 * KIB
/** Rules that are searched for in the bytes of a record before it is parsed. */
const MOST_SEARCHED = 100
/** Characters that JSON always writes as they are. */
const PLAIN = /^[ !#-.0-[\]-~]*$/

/**
 * Finds the rules of a mapping file that no record matches: most likely their names are mistyped, and what they should
 * drop, rename or group stays as it is. In doubt it says nothing: a name counts as found anywhere in a record, and a
 * name with a dollar may be the preset's.
 */
export class IdleRules {
  /** Name -> the rules that need it. */
  readonly #names = new Map<string, string[]>()
  /** Rule -> the paths of which one must lead to a value. */
  readonly #paths = new Map<string, string[][]>()
  /** Rule -> a member of the records whose name is the whole of a path, dots and all. */
  readonly #flat = new Map<string, string>()
  /** So many records may still be parsed. */
  #parses: number
  #isUnsure = false
  #pattern: { readonly left: number; readonly of: RegExp } | undefined

  /** `parses`: after so many records that had to be parsed nothing is said: a whole input takes too long then. */
  constructor(
    { explode, events, properties, hash, groups, types = {}, fields, joinsTime, filter }: Mapping,
    parses = Number.POSITIVE_INFINITY,
  ) {
    this.#parses = parses
    if (explode !== undefined) this.#paths.set(`explode "${explode}"`, [[explode]])
    for (const [rule, names] of Object.entries({
      'events.rename': Object.keys(events.rename),
      'events.drop': events.drop,
      'events.keep': events.keep ?? [],
      'properties.rename': Object.keys(properties.rename),
      'properties.drop': properties.drop,
      'properties.hash': hash.filter((name) => name !== 'distinct_id'),
    })) {
      // A name can be in the list any number of times.
      for (const name of new Set(names)) {
        if (name.startsWith('$')) continue
        this.#names.set(name, [...(this.#names.get(name) ?? []), `${rule} "${name}"`])
      }
    }
    for (const [type, path] of Object.entries(groups))
      this.#paths.set(`groups.${type} "${path}"`, [pathSegments(path)])
    for (const path of Object.keys(types)) this.#paths.set(`types "${path}"`, [pathSegments(path)])
    for (const path of Object.keys(filter.where))
      this.#paths.set(`filter.where "${path}"`, [pathSegments(path)])
    for (const [field, paths] of Object.entries(fields)) {
      if (paths.length === 0) continue
      const split = paths.map(pathSegments)
      if (field === 'timestamp' && joinsTime)
        for (const [i, path] of paths.entries()) this.#paths.set(`fields.time "${path}"`, [split[i]!])
      else this.#paths.set(`fields.${field} "${paths.join('", "')}"`, split)
    }
  }

  /** The rules that nothing matched so far, in the order of a mapping file, with what may be wrong. */
  get idle(): string[] {
    if (this.#isUnsure) return []
    return [...this.#idleNames(), ...[...this.#paths.keys()].map((rule) => this.#told(rule))]
  }

  /** The rules alone; null where nobody has looked at all records. */
  get known(): string[] | null {
    return this.#isUnsure ? null : [...this.#idleNames(), ...this.#paths.keys()]
  }

  #idleNames(): Set<string> {
    return new Set([...this.#names.values()].flat())
  }

  /** Looks at a record; costs nothing once every rule has matched, and little while none of their names is in it. */
  see(bytes: Buffer, start: number, end: number): void {
    const left = this.#names.size + this.#paths.size
    if (left === 0 || this.#isUnsure) return
    const line = bytes.subarray(start, end)
    const isMany = left > MOST_SEARCHED
    if (end - start > MAX_RECORD_BYTES) {
      if (isMany) this.#isUnsure = true
      else this.#passOver(line)
    } else if (isMany || this.#left.test(line.toString('latin1'))) this.#look(line)
  }

  #passOver(line: Buffer): void {
    const text = line.toString('latin1')
    for (const name of this.#names.keys()) if (patternOf([name]).test(text)) this.#names.delete(name)
    for (const [rule, paths] of this.#paths)
      if (patternOf(namesIn(paths)).test(text)) this.#paths.delete(rule)
  }

  /** What finds a name that is left in the bytes of a record. */
  get #left(): RegExp {
    const left = this.#names.size + this.#paths.size
    if (this.#pattern?.left !== left) {
      const names = [...this.#names.keys(), ...[...this.#paths.values()].flatMap(namesIn)]
      this.#pattern = { left, of: patternOf(names) }
    }
    return this.#pattern.of
  }

  #look(line: Buffer): void {
    this.#isUnsure = this.#parses-- <= 0
    if (this.#isUnsure) return
    const record = parsedOrNone(line.toString('utf8'))
    if (record === undefined) return
    for (const [rule, paths] of this.#paths) {
      if (paths.some((path) => valueAt(record, path) !== undefined)) this.#paths.delete(rule)
      const flat = paths.map((path) => path.join('.')).find((name) => valueAt(record, [name]) !== undefined)
      if (flat?.includes('.')) this.#flat.set(rule, flat)
    }
    this.#findNames(record)
  }

  #told(rule: string): string {
    const name = this.#flat.get(rule)
    if (name === undefined) return rule
    return `${rule} (one member is called so, dots and all: write it in quotes, '${quotedSegment(name)}')`
  }

  #findNames(record: unknown): void {
    // Not by recursion: the record may be nested too deep, which is checked later.
    const open = [record]
    while (open.length > 0) {
      const value = open.pop()
      if (typeof value === 'string') {
        this.#names.delete(value)
        if (/^\s*[[{]/.test(value)) open.push(parsedOrNone(value))
      } else if (typeof value === 'object' && value !== null) {
        if (!Array.isArray(value)) for (const key of Object.keys(value)) this.#names.delete(key)
        for (const member of Object.values(value)) open.push(member)
      }
    }
  }
}

/** What a record with a value at one of the paths must have: places in arrays are written nowhere. */
function namesIn(paths: readonly string[][]): string[] {
  const last = (path: readonly string[]) => path.findLast((name) => !/^\d+$/.test(name)) ?? path.at(-1)!
  return paths.flatMap((path) => [last(path), path.join('.')])
}

/**
 * Finds, in the bytes of a line as latin1, where one of the names may be a whole text, within JSON in text too. A name that
 * JSON can write with escapes may be anywhere in a line that has some.
 */
function patternOf(names: readonly string[]): RegExp {
  const texts = names.map((name) =>
    Buffer.from(name)
      .toString('latin1')
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  const whole = `"(?:${texts.join('|')})["\\\\]`
  return new RegExp(names.every((name) => PLAIN.test(name)) ? whole : `${whole}|\\\\`)
}
