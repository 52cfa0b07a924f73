import type { Inventory } from '../record/inventory.ts'
import { members as cutMembers } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import type { Notes } from '../record/notes.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { groupedBy } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import { patternFor, type Rule, type RuleNode } from './compile.ts'
import { HASHED, KEPT, LEFT_OUT, MENDED } from './fates.ts'
import { mappedRules, targetList } from './mapped-rules.ts'
import type { MappedField, Mapping } from './mapping.ts'
import type { NotedPart } from './member-parts.ts'
import { quotedSegment } from './member-path.ts'
import type { Preset } from './preset.ts'
import { isCounted } from './walk.ts'

/** Bytes of records that functions are played again for, at most, to find out what they made of the values. */
const MOST_PLAYED = 64 * MIB

export interface RecordTrace {
  /** All members, in the record's order, with those of rows joined to it; without fates where there is no event. */
  readonly members: readonly TracedMember[]
  readonly notes: Notes
}

export interface MappedRecord {
  readonly inventory: Inventory
  readonly parts: readonly NotedPart[]
  /** The properties of the event as JSON. */
  readonly properties: string
  /** The same as they are without the value at [start, end) of the record; undefined when there is no event then. */
  without(start: number, end: number): string | undefined
}

/** Tells what the mapper did to a record, member by member, and where the rules stand that each falls under. */
export class RecordTracer {
  readonly #root: RuleNode
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #rows: ReadonlyMap<string, readonly string[]>
  /** Path -> what the mapping file, or the preset in its place, reads it for. */
  readonly #read = new Map<string, string[]>()

  constructor(preset: Preset, mapping: Mapping, root: RuleNode) {
    this.#root = root
    this.#preset = preset
    this.#mapping = mapping
    this.#rows = new Map(Object.entries(preset.fields).map(([path, target]) => [path, targetList(target)]))
    const fields = { ...preset.takes, ...mapping.fields }
    for (const { path, label } of mappedRules(preset, { ...mapping, fields })) {
      const field = /^fields\.(.*)$/s.exec(label)?.[1] as MappedField | 'time' | undefined
      const isOwn = field === undefined || field === 'time' || mapping.fields[field] !== undefined
      const from = isOwn ? 'mapping file' : `preset ${preset.vendor}`
      this.#read.set(path, [...(this.#read.get(path) ?? []), `${from}: ${label}`])
    }
  }

  /** The members of the record on a tape. `mapped`: undefined when it became no event. */
  membersOf(tape: Tape, bytes: Buffer, mapped: MappedRecord | undefined): TracedMember[] {
    const found = membersOf(tape, this.#root)
    const values = found.map(({ path, start, end }) => ({ path, value: bytes.toString('utf8', start, end) }))
    const fates = mapped ? fatesOf(values, mapped.inventory) : values.map(() => [])
    const made = mapped && madeOf(found, fates, bytes.length, mapped)
    return found.flatMap((member, index): TracedMember[] => {
      const own = fates[index]!
      const to = tracedPlaces(member, own, made?.get(index))
      const whole = { ...values[index]!, fates: own, to, rules: this.#rulesOf(member, own) }
      const parts = (mapped?.parts ?? []).filter((part) => part.whole === member.path)
      return [whole, ...parts.map((part) => this.#part(part, member))]
    })
  }

  /** A part of a member that a function took apart. */
  #part({ path, json, to, fate }: NotedPart, whole: RecordMember): TracedMember {
    const fates = [fate]
    const own = to === undefined ? [] : this.#overlays([to], to, fates)
    return {
      path: `${whole.path}.${path}`,
      value: json,
      fates,
      to: tracedPlaces(whole, fates, undefined),
      rules: [...new Set([...own, ...this.#rulesOf(whole, [])])],
    }
  }

  /** The rules of one member, those of the mapping file first; `fates` as the record's event gave it. */
  #rulesOf({ path, name, prefix }: RecordMember, fates: readonly string[]): string[] {
    const row = this.#rows.has(path) ? path : patternFor(this.#rows, prefix, name)
    const targets = (this.#rows.get(row) ?? ['*']).map((target) => target.replace('*', () => name))
    const own = [
      ...(this.#read.get(prefix + quotedSegment(name)) ?? []),
      ...this.#overlays(targets, name, fates),
    ]
    return [...new Set([...own, ...this.#presetRule(row, own.length > 0)])]
  }

  /** What the mapping file does to the properties that the preset's row makes. */
  #overlays(targets: readonly string[], name: string, fates: readonly string[]): string[] {
    const { rename, drop, set } = this.#mapping.properties
    const found: string[] = []
    for (const target of targets) {
      if (/^(?:@|set:|once:)/.test(target)) continue
      if (drop.includes(target)) found.push(`mapping file: properties.drop.${target}`)
      else if (Object.hasOwn(rename, target)) found.push(`mapping file: properties.rename.${target}`)
    }
    if (fates.includes(LEFT_OUT.replaced)) {
      const target = targets.find((one) => Object.hasOwn(set, one)) ?? name
      found.push(`mapping file: properties.set.${target}`)
    }
    if (fates.includes(HASHED)) found.push('mapping file: properties.hash')
    if (fates.includes(LEFT_OUT.person)) found.push(`person properties: ${this.#mapping.personProperties}`)
    return found
  }

  #presetRule(row: string, hasOwn: boolean): string[] {
    const { vendor } = this.#preset
    const isNamed = !/(?:^|\.)\*$/.test(row)
    if (isNamed) return [`preset ${vendor}: ${row}`]
    if (hasOwn) return []
    const targets = this.#rows.get(row)
    return [targets?.length === 0 ? `${NO_RULE}: preset ${vendor} leaves out ${row}` : NO_RULE]
  }
}

/**
 * By member, the properties that a preset's function made of it. All else of a trace the mapper notes as it maps: what each
 * value was read for, and which rule sent it where. What a function makes of the values that it reads can't be noted: of two
 * that it read before it wrote two properties, no order of reads and writes tells which went where, and a value that only
 * decides what is written is in none. So the function is asked: played again without the value, the properties that are
 * missing or other then are those.
 */
function madeOf(
  members: readonly RecordMember[],
  fates: readonly (readonly string[])[],
  bytes: number,
  { properties, without }: MappedRecord,
): Map<number, string[]> | undefined {
  const asked = [...members.keys()].filter((index) => fates[index]!.some((fate) => UNTOLD.has(fate)))
  if (asked.length * bytes > MOST_PLAYED) return undefined
  const before = propertyPlaces(properties)
  const made = new Map<number, string[]>()
  for (const index of asked) {
    const other = without(members[index]!.start, members[index]!.end)
    if (other === undefined) continue
    const after = new Map(propertyPlaces(other))
    made.set(
      index,
      before.filter(([place, value]) => after.get(place) !== value).map(([place]) => place),
    )
  }
  return made
}

const HOLLOW = new Set(['null', '""', '{}', '[]'])

/**
 * The fates of each member of one record, from the inventory of that record alone. An inventory goes by paths: of members
 * that share one, because an object has a name twice, the last gets what the path's value became.
 */
function fatesOf(
  members: ReadonlyArray<Pick<TracedMember, 'path' | 'value'>>,
  { members: known, other_members: others }: Pick<Inventory, 'members' | 'other_members'>,
): string[][] {
  const places = groupedBy(members.keys(), (index) => members[index]!.path)
  const fates: string[][] = members.map(() => [])
  for (const [path, indexes] of places) {
    // Paths of more than 400 characters are counted together.
    const all = Object.keys(Object.hasOwn(known, path) ? known[path]! : others)
    const repeated = all.includes(LEFT_OUT.duplicate)
    if (indexes.length === 1 || !repeated) {
      for (const index of indexes) fates[index] = all
      continue
    }
    const isEmpty = (index: number) => all.includes(LEFT_OUT.empty) && HOLLOW.has(members[index]!.value)
    const last = indexes.findLast((index) => !isEmpty(index))
    const told: string[] = [LEFT_OUT.duplicate, ...(indexes.some(isEmpty) ? [LEFT_OUT.empty] : [])]
    for (const index of indexes) {
      if (index === last) fates[index] = all.filter((fate) => !told.includes(fate))
      else fates[index] = [isEmpty(index) ? LEFT_OUT.empty : LEFT_OUT.duplicate]
    }
  }
  return fates
}

const PREFIX: Readonly<Record<string, string>> = {
  property: 'properties.',
  set: 'properties.$set.',
  once: 'properties.$set_once.',
}

/** Fates that say that something was made of a value, and not what. */
const UNTOLD: ReadonlySet<string> = new Set(['used: properties', 'person: $set', 'person: $set_once'])

/**
 * The places of an event that a member's value went to, as its fates tell. `made`: places that change with the value, for
 * fates that don't.
 */
function tracedPlaces(
  { name, rule }: { readonly name: string; readonly rule: Rule },
  fates: readonly string[],
  made: readonly string[] | undefined,
): string[] {
  const places = fates.flatMap((fate): readonly string[] => {
    if (fate === KEPT) return [`properties.${name}`]
    const renamed = /^renamed: (.*)$/s.exec(fate)?.[1]
    if (renamed !== undefined) return [`properties.${renamed}`]
    const person = /^person: (\$set(?:_once)?\..*)$/s.exec(fate)?.[1]
    if (person !== undefined) return [`properties.${person}`]
    if (fate === MENDED || fate === HASHED) return emitted(rule, name)
    if (UNTOLD.has(fate))
      return (
        made ?? [fate === 'used: properties' ? 'properties' : `properties.${fate.slice('person: '.length)}`]
      )
    const used = /^used: (.*)$/s.exec(fate)?.[1]
    if (used === undefined) return []
    // The link between two ids, which is no part of the event.
    return [used === 'anonymous_id' ? 'link' : used.startsWith('$') ? `properties.${used}` : used]
  })
  return [...new Set(places)]
}

function emitted({ emits }: Rule, name: string): string[] {
  return emits.map(({ into, key, prefix }) => {
    return `${PREFIX[into]}${key === undefined ? prefix + name : keys.text(key)}`
  })
}

/** A member of a record, with the compiled rule that it falls under. */
export interface RecordMember {
  readonly path: string
  /** The last piece of the path, which may have dots of its own. */
  readonly name: string
  readonly start: number
  readonly end: number
  readonly rule: Rule
  /** Path of the object that it is in, with a dot after it; '' for the record itself. */
  readonly prefix: string
}

/**
 * The members of a scanned record that a transform counts, in the record's order: those of an object that goes somewhere
 * whole are left out, unless a rule asks for one of them. The walk is that of mapping/walk.ts, without its speed.
 */
export function membersOf(tape: Tape, root: RuleNode): RecordMember[] {
  const found: RecordMember[] = []
  const object = ({ named, patterns, rest, prefix }: RuleNode, from: number, to: number): void => {
    const last = new Map<number, number>()
    for (let i = from; i < to; i = tape.next(i)) last.set(tape.key(i), i)
    for (let i = from; i < to; i = tape.next(i)) {
      const name = keys.text(tape.key(i))
      const rule = named.get(name) ?? patterns.find(({ head }) => name.startsWith(head))?.rule ?? rest
      const path = prefix + name
      if (isCounted({ path, slots: rule.slots, leftOut: rule.leftOut }))
        found.push({ path, name, start: tape.start(i), end: tape.end(i), rule, prefix })
      // Of two objects with one name only the last is opened.
      if (rule.child && tape.kind(i) === KIND.object && last.get(tape.key(i)) === i)
        object(rule.child, i + 1, tape.next(i))
    }
  }
  object(root, 0, tape.count)
  return found
}

export const HOLDERS = ['$set', '$set_once']

export interface TracedMember {
  /** `properties.plan`. Of an object that a preset reshapes or text that it opens, the path in the result. */
  readonly path: string
  /** JSON as the record has it; of a value in a list of names and values, as the preset reads it: a number without quotes. */
  readonly value: string
  /** The words of docs/members.md; more than one where the value goes to several places. None unless there is an event. */
  readonly fates: readonly string[]
  /** Places of the event that hold the value or were made from it; `link` for the link between two ids. */
  readonly to: readonly string[]
  /** Where the rules stand: `preset mixpanel: properties.$browser`, `mapping file: properties.rename.plan`. */
  readonly rules: readonly string[]
}

/** What is said of a member that only the rule for all others meets. */
export const NO_RULE = 'no rule names it'

/** The places of an event's properties with their values as JSON, in their order. */
export function propertyPlaces(properties: string): Array<readonly [place: string, value: string]> {
  return cutMembers(properties).flatMap(([property, json]): Array<readonly [string, string]> => {
    const place = `properties.${property}`
    if (!HOLDERS.includes(property) || !json.startsWith('{')) return [[place, json]]
    return cutMembers(json).map(([inner, own]) => [`${place}.${inner}`, own])
  })
}
