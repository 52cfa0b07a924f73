import { grown } from '../record/bytes.ts'
import { type Key, keys } from '../record/keys.ts'
import type { ParentRule, Rule, RuleNode } from './compile.ts'
import { CHILD } from './explode.ts'
import { type Into, LEFT_OUT, type MemberKind, sentFate } from './fates.ts'
import type { MemberCounts } from './member-counts.ts'

/** What becomes of the members with one name: a rule whose names are all looked up. */
export interface Step extends MemberKind {
  readonly emits: readonly StepEmit[]
  readonly rank: number
  /** Index in `Steps.children`; -1 for a rule without rules for the value's own members. */
  readonly child: number
  readonly whole: boolean
  readonly label: string
  /** True when no rule knows the member, or the service has no use for it: it is left out of the event, and counted. */
  readonly unknown: boolean
  /** Where the member is counted; -1 for one that is not, see `isCounted`. */
  readonly place: number
}

export interface StepEmit {
  readonly into: Into
  readonly key: Key
  /** True when the member keeps its name: it may be copied as it is. */
  readonly own: boolean
  readonly rank: number
}

/** The rules for the members of one object, by key: each name is looked up once, not once for every record. */
export class Steps {
  readonly children: readonly Steps[]
  /** For the walk: the last member seen for each child. */
  readonly seen: Int32Array
  /** Slots of the object itself, when functions may take its members from there. */
  readonly handed: readonly number[]
  readonly #node: RuleNode
  readonly #counts: MemberCounts
  /** By key: index in #steps, 0 for one not looked up yet. */
  #places = new Int32Array(1024)
  readonly #steps: Array<Step | undefined> = []

  constructor(node: RuleNode, counts: MemberCounts) {
    this.#node = node
    this.#counts = counts
    this.handed = node.handed
    this.children = node.parents.map(({ child }) => new Steps(child, counts))
    this.seen = new Int32Array(this.children.length)
    this.forget()
  }

  of(key: Key): Step {
    const place = key < this.#places.length ? this.#places[key]! : 0
    return place === 0 ? this.#resolve(key) : this.#steps[place]!
  }

  /** To be called when `keys.generation` has changed, and with it what keys mean. */
  forget(): void {
    this.#places.fill(0)
    // Index 0 means that a name is not looked up yet.
    this.#steps.length = 1
    for (const child of this.children) child.forget()
  }

  #resolve(key: Key): Step {
    const { named, patterns, rest } = this.#node
    const name = keys.text(key)
    const rule = named.get(name) ?? patterns.find(({ head }) => name.startsWith(head))?.rule ?? rest
    const step = this.#stepOf(rule, key, name)
    if (key >= this.#places.length)
      this.#places = grown(this.#places, Math.max(this.#places.length * 2, key + 1))
    this.#places[key] = this.#steps.length
    this.#steps.push(step)
    return step
  }

  #stepOf(rule: Rule, own: Key, name: string): Step {
    const emits = rule.emits.map(({ into, prefix, rank, key = keys.ofText(prefix + name) }) => {
      return { into, key, own: key === own, rank }
    })
    const kind: MemberKind = {
      path: this.#node.prefix + name,
      name,
      emits,
      fates: emits.map(({ into, key, own }) => sentFate(into, keys.text(key), own)),
      slots: rule.slots,
      leftOut: rule.leftOut,
    }
    // Spelled out, what is read for every member first: an object made by spreading is slower to read.
    return {
      emits,
      slots: rule.slots,
      child: this.#node.parents.indexOf(rule as ParentRule),
      label: rule.label,
      place: isCounted(kind) ? this.#counts.open(kind) : -1,
      unknown: (this.#node.leavesRestOut && rule === this.#node.rest) || rule.leftOut === LEFT_OUT.service,
      rank: rule.rank,
      whole: rule.whole,
      path: kind.path,
      name,
      fates: kind.fates,
      leftOut: rule.leftOut,
    }
  }
}

/** False for a member that goes with the object that it is in, and for what a child was told, which isn't the record's. */
export function isCounted({ leftOut, slots, path }: Pick<MemberKind, 'leftOut' | 'slots' | 'path'>): boolean {
  return slots.length > 0 ? path !== CHILD : leftOut !== null
}
