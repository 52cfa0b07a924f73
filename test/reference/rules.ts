import type { Mapping } from '../../src/mapping/mapping.ts'
import { pathSegments, quotedSegment } from '../../src/mapping/member-path.ts'
import type { Preset } from '../../src/mapping/preset.ts'

/** Where a value can go: the event's properties, its person's, or those of the person that keep their first value. */
export type Into = 'property' | 'set' | 'once'

/** One place that a value goes to. Of two values for one name the lower rank wins. */
export interface Emit {
  readonly into: Into
  readonly name: string
  readonly rank: number
  /** True where the value keeps its own name, or has the one that the user gave it: when it loses that, it needs another. */
  readonly isOwnName: boolean
}

/** What becomes of one member of a record. */
export interface Rule {
  readonly emits: readonly Emit[]
  readonly slots: readonly string[]
  /** Place in the table: of two members that fill one slot the lower one wins. */
  readonly rank: number
  /** Path of its members with a dot at its end, where rules look at them. */
  readonly below: string | undefined
  /** True where the value goes to its places though rules look into it: these only fill slots. */
  readonly isWhole: boolean
  /** True where text that holds an object or an array is read as that. */
  readonly opens: boolean
}

/** The slot of a property named distinct_id: that name is the event's own id. */
export const FOREIGN = '~distinct_id'

export function fieldSlot(field: string, n = 0): string {
  return `~${field}:${n}`
}

/** Functions of presets see the names of slots; all of them are in the table. */
const isSlot = (target: string) => target[0] === '@'
const listOf = (target: string | readonly string[]): readonly string[] =>
  typeof target === 'string' ? [target] : target

/** A preset's table and a mapping file's paths together: what becomes of a member, by the object it is in and its name. */
export class Rules {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #table = new Map<string, readonly string[]>()
  readonly #paths: readonly string[]
  /** Of each path and its parents, the place in the table where it is met first. */
  readonly #places = new Map<string, number>()
  /** Paths of the values whose members the preset tells apart, and of those that any rule looks into. */
  readonly #divided: ReadonlySet<string>
  readonly #lookedInto: ReadonlySet<string>
  /** Beginnings of names that have a pattern, by the path of their object. */
  readonly #heads = new Map<string, string[]>()

  constructor(preset: Preset, mapping: Mapping, fields: Mapping['fields']) {
    this.#preset = preset
    this.#mapping = mapping
    for (const [path, target] of Object.entries(preset.fields)) {
      this.#table.set(path, listOf(target))
      const [, prefix = '', head] = /^(.*\.)?([^.]+)\*$/.exec(path) ?? []
      if (head !== undefined) this.#heads.set(prefix, [...(this.#heads.get(prefix) ?? []), head])
    }
    for (const [field, paths] of Object.entries(fields)) {
      // A field that rows of one's own have is no property besides, where only one path can be it.
      const isTaken =
        Object.hasOwn(preset.takes ?? {}, field) && paths.length === 1 && !paths[0]!.startsWith('$set.')
      for (const [n, path] of paths.entries()) this.#read(path, fieldSlot(field, n), isTaken)
    }
    for (const [type, path] of Object.entries(mapping.groups))
      this.#read(path, fieldSlot(`group:${type}`), false)
    for (const path of Object.keys(mapping.filter.where)) this.#read(path, fieldSlot(`where:${path}`), false)
    for (const path of Object.keys(mapping.types ?? {})) this.#read(path, fieldSlot(`type:${path}`), false)
    this.#paths = [...this.#table.keys()]
    for (const [place, path] of this.#paths.entries())
      for (const one of [...parentsOf(path), path]) if (!this.#places.has(one)) this.#places.set(one, place)
    this.#divided = new Set(Object.keys(preset.fields).flatMap(parentsOf))
    this.#lookedInto = new Set(this.#paths.flatMap(parentsOf))
  }

  /** The rule of a member. `prefix` is the path of its object, with a dot at its end. `isSilent`: that one is copied whole. */
  of(prefix: string, name: string, isSilent: boolean): Rule {
    const path = prefix + quotedSegment(name)
    const isDivided = this.#divided.has(path)
    const given = this.#table.get(path) ?? (isDivided ? ['*'] : isSilent ? [] : this.#given(prefix, name))
    const targets = given.filter((one) => !isSilent || isSlot(one))
    const ranked = this.#table.has(path) ? path : this.#pattern(prefix, name)
    const rank = this.#table.has(ranked) ? this.#places.get(ranked)! : this.#paths.length
    const isLookedInto = this.#lookedInto.has(path)
    return {
      emits: targets.flatMap((target) => this.#emits(target, rank, name)),
      slots: targets.flatMap((target) =>
        isSlot(target) ? target.slice(1) : this.#isForeign(target, name) ? FOREIGN : [],
      ),
      rank,
      below: isLookedInto ? `${path}.` : undefined,
      isWhole: !isDivided,
      opens:
        isLookedInto ||
        (this.#preset.unpack ?? []).includes(path) ||
        Object.values(this.#mapping.groups).includes(path),
    }
  }

  /** The place in the table of the first path that is below a member: objects are looked into in this order. */
  placeOf(below: string): number {
    return this.#places.get(below.slice(0, -1))!
  }

  /** A property's name after the mapping file; undefined for one that is dropped. */
  final(name: string): string | undefined {
    const { rename, drop } = this.#mapping.properties
    if (drop.includes(name)) return undefined
    const final = Object.hasOwn(rename, name) ? rename[name]! : name
    // The service would make another event of it.
    return final === '$heatmap_data' || (final === '$unset' && this.#mapping.personProperties !== 'set')
      ? undefined
      : final
  }

  /** Where person properties go: undefined for nowhere. */
  scope(into: Into): Into | undefined {
    const choice = this.#mapping.personProperties
    return into === 'property' || choice === 'set' ? into : choice === 'set_once' ? 'once' : undefined
  }

  #read(path: string, slot: string, isTaken: boolean): void {
    const name = pathSegments(path).at(-1)!
    const prefix = path.slice(0, path.length - quotedSegment(name).length)
    const before = this.#table.get(path) ?? this.#given(prefix, name)
    this.#table.set(path, [...(isTaken ? before.filter(isSlot) : before), `@${slot}`])
  }

  /** The targets of the longest pattern that a name fits. */
  #given(prefix: string, name: string): readonly string[] {
    return this.#table.get(this.#pattern(prefix, name)) ?? ['*']
  }

  #pattern(prefix: string, name: string): string {
    const heads = (this.#heads.get(prefix) ?? []).filter((head) => name.startsWith(head))
    return `${prefix}${heads.sort((a, b) => b.length - a.length)[0] ?? ''}*`
  }

  #isForeign(target: string, own: string): boolean {
    return !/^(?:set|once):/.test(target) && this.final(nameIn(target, own)) === 'distinct_id'
  }

  #emits(target: string, place: number, source: string): Emit[] {
    if (isSlot(target)) return []
    const [, scope, given] = /^(set:|once:)?(.*)$/s.exec(target)!
    const name = nameIn(given!, source)
    const into = this.scope(scope === 'set:' ? 'set' : scope === 'once:' ? 'once' : 'property')
    const final = scope === undefined ? this.final(name) : name
    if (into === undefined || final === undefined || (scope === undefined && final === 'distinct_id'))
      return []
    // In one place of the table: first names of the table, then those that the user renames, in order, then the others.
    const renamed = Object.keys(this.#mapping.properties.rename)
    const within =
      name !== source ? 0 : renamed.includes(name) ? 1 + renamed.indexOf(name) : 1 + renamed.length
    return [{ into, name: final, rank: place * (renamed.length + 2) + within, isOwnName: within > 0 }]
  }
}

/** The name that a target gives; `own` is the member's, which may look like a target itself. */
function nameIn(target: string, own: string): string {
  return target.endsWith('*') ? target.slice(0, -1) + own : target
}

/** Paths of the objects that a path leads through. */
function parentsOf(path: string): string[] {
  const names = pathSegments(path).map(quotedSegment)
  return names.slice(1).map((_, n) => names.slice(0, n + 1).join('.'))
}
