import type { Inventory, Notes, Tape } from '../../record/index.ts'
import { MIB } from '../../text/index.ts'
import type { RuleNode } from '../compile.ts'
import type { Mapping } from '../mapping.ts'
import type { NotedPart } from '../member-parts.ts'
import type { Preset } from '../preset.ts'
import { fatesOf } from './member-fates.ts'
import { isUntold, tracedPlaces } from './member-places.ts'
import { MemberRules } from './member-rules.ts'
import { membersOf, type RecordMember } from './record-members.ts'
import { propertyPlaces, type TracedMember } from './traced-member.ts'

/** Bytes of records that functions are played again for, at most, to find out what they made of the values. */
const MOST_PLAYED = 64 * MIB

/** What the mapper did to one record. */
export interface RecordTrace {
  /** All members, in the record's order, with those of rows joined to it; without fates where there is no event. */
  readonly members: readonly TracedMember[]
  readonly notes: Notes
}

/** A record that became an event, as the mapper has it. */
export interface MappedRecord {
  /** The counts of this record alone. */
  readonly inventory: Inventory
  readonly parts: readonly NotedPart[]
  /** The properties of the event as JSON. */
  readonly properties: string
  /** The same as they are without the value at [start, end) of the record; undefined when there is no event then. */
  without(start: number, end: number): string | undefined
}

/** Tells what the mapper did to a record, member by member. */
export class RecordTracer {
  readonly #root: RuleNode
  readonly #rules: MemberRules

  constructor(preset: Preset, mapping: Mapping, root: RuleNode) {
    this.#root = root
    this.#rules = new MemberRules(preset, mapping)
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
      const whole = { ...values[index]!, fates: own, to, rules: this.#rules.of(member, own) }
      const parts = (mapped?.parts ?? []).filter((part) => part.whole === member.path)
      return [whole, ...parts.map((part) => this.#part(part, member))]
    })
  }

  /** A part of a member that a function took apart. */
  #part({ path, json, to, fate }: NotedPart, whole: RecordMember): TracedMember {
    const fates = [fate]
    return {
      path: `${whole.path}.${path}`,
      value: json,
      fates,
      to: tracedPlaces(whole, fates, undefined),
      rules: this.#rules.ofPart(whole, to, fates),
    }
  }
}

/**
 * By member, the properties that a preset's function made of it: those that are missing or other without the value. The
 * functions are played again for each such member.
 */
function madeOf(
  members: readonly RecordMember[],
  fates: readonly (readonly string[])[],
  bytes: number,
  { properties, without }: MappedRecord,
): Map<number, string[]> | undefined {
  const asked = [...members.keys()].filter((index) => isUntold(fates[index]!))
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
