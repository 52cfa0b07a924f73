import { keys } from '../record/keys.ts'
import { type FinalNames, personScope } from './compile.ts'
import { BESIDES, LEFT_OUT, renamedFate, sentFate } from './fates.ts'
import type { Mapping } from './mapping.ts'
import type { MapperParts, MemberCounts } from './member-counts.ts'
import type { Part } from './preset.ts'
import { type SlotView, USE } from './slot-view.ts'

const SET = 'set:'

export interface NotedPart extends Part {
  readonly whole: string
  readonly fate: string
}

/** Accounts for parts of members that functions take apart: lists of names and values, each part by its name. */
export class MemberParts {
  /** Those of the record under way. */
  noted: NotedPart[] = []
  readonly #view: SlotView
  readonly #counts: MemberCounts
  readonly #mapping: Mapping
  readonly #finals: FinalNames
  /** Values that are left out, as JSON text. */
  readonly #empty: ReadonlySet<string>
  /** By place of the whole member and path of the part: the part's own place. */
  readonly #places = new Map<number, Map<string, number>>()
  #generation = keys.generation

  constructor({ view, counts, mapping }: MapperParts, finals: FinalNames, empty: ReadonlySet<string>) {
    this.#view = view
    this.#counts = counts
    this.#mapping = mapping
    this.#finals = finals
    this.#empty = empty
  }

  begin(): void {
    if (this.noted.length > 0) this.noted = []
  }

  /** Says what becomes of a part of a slot's value. */
  note(slot: string, part: Part): void {
    const whole = this.#view.usedSlotAs(slot, USE.opened)?.place ?? -1
    if (whole < 0) return
    // Places are void when names were let go.
    if (this.#generation !== keys.generation) this.#places.clear()
    this.#generation = keys.generation
    const path = this.#counts.pathOf(whole)
    const parts = this.#places.get(whole) ?? new Map<string, number>()
    this.#places.set(whole, parts)
    let place = parts.get(part.path)
    if (place === undefined) {
      const kind = { path: `${path}.${part.path}`, name: part.path, emits: [], fates: [], slots: [] }
      place = this.#counts.open({ ...kind, leftOut: null })
      parts.set(part.path, place)
    }
    const fate = this.#fateOf(part)
    this.#counts.except(place, BESIDES, fate)
    this.noted.push({ ...part, whole: path, fate })
  }

  #fateOf({ json, to, outranked = false }: Part): string {
    if (to === undefined) return outranked ? LEFT_OUT.outranked : LEFT_OUT.preset
    if (this.#empty.has(json)) return LEFT_OUT.empty
    if (to.startsWith(SET)) {
      const scope = personScope('set', this.#mapping)
      return scope === undefined ? LEFT_OUT.person : sentFate(scope, to.slice(SET.length), false)
    }
    const final = this.#finals.of(to)
    return final === null ? LEFT_OUT.dropped : renamedFate(final.name)
  }
}
