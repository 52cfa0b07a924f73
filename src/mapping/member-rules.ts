import { members as cutMembers } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { patternFor, type Rule, type RuleNode } from './compile.ts'
import { HASHED, LEFT_OUT } from './fates.ts'
import { mappedRules, targetList } from './mapped-rules.ts'
import type { MappedField, Mapping } from './mapping.ts'
import { quotedSegment } from './member-path.ts'
import type { Preset } from './preset.ts'
import { isCounted } from './steps.ts'

/** Tells where the rules stand that a member of a record falls under. */
export class MemberRules {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #rows: ReadonlyMap<string, readonly string[]>
  /** Path -> what the mapping file, or the preset in its place, reads it for. */
  readonly #read = new Map<string, string[]>()

  constructor(preset: Preset, mapping: Mapping) {
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

  /** The rules of one member, those of the mapping file first; `fates` as the record's event gave it. */
  of({ path, name, prefix }: RecordMember, fates: readonly string[]): string[] {
    const row = this.#rows.has(path) ? path : patternFor(this.#rows, prefix, name)
    const targets = (this.#rows.get(row) ?? ['*']).map((target) => target.replace('*', () => name))
    const own = [
      ...(this.#read.get(prefix + quotedSegment(name)) ?? []),
      ...this.#overlays(targets, name, fates),
    ]
    return [...new Set([...own, ...this.#presetRule(row, own.length > 0)])]
  }

  /** The same of a part of a member that a function put into `to`, or nowhere. */
  ofPart(whole: RecordMember, to: string | undefined, fates: readonly string[]): string[] {
    const own = to === undefined ? [] : this.#overlays([to], to, fates)
    return [...new Set([...own, ...this.of(whole, [])])]
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

/** A member of a record, with the compiled rule that it falls under. */
export interface RecordMember {
  readonly path: string
  /** The last piece of the path, which may have dots of its own. */
  readonly name: string
  /** The span of the value. */
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

/** Objects of properties whose own members are places. */
export const HOLDERS = ['$set', '$set_once']

/** A name of the record and its value. */
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
