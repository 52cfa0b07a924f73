import { type Key, keys } from '../record/keys.ts'
import type { Emit, ParentRule, Rule, RuleNode } from './compile.ts'

/** What becomes of the members with one name: a rule whose names are all looked up. */
export interface Step {
  readonly slots: readonly number[]
  readonly emits: readonly StepEmit[]
  readonly rank: number
  /** Index in `Steps.children`; -1 for a rule without rules for the value's own members. */
  readonly child: number
  readonly whole: boolean
  readonly label: string
  /** True when no rule knows the member: it is left out of the event, and counted. */
  readonly unknown: boolean
}

export interface StepEmit {
  readonly into: Emit['into']
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
  readonly #node: RuleNode
  /** By key: index in #steps, 0 for one not looked up yet. */
  #places = new Int32Array(1024)
  readonly #steps: Step[] = []
  #generation = -1

  constructor(node: RuleNode) {
    this.#node = node
    this.children = node.parents.map(({ child }) => new Steps(child))
    this.seen = new Int32Array(this.children.length)
  }

  of(key: Key): Step {
    if (this.#generation !== keys.generation) this.#forget()
    const place = key < this.#places.length ? this.#places[key]! : 0
    return place === 0 ? this.#resolve(key) : this.#steps[place]!
  }

  #forget(): void {
    this.#generation = keys.generation
    this.#places.fill(0)
    // Index 0 means that a name is not looked up yet.
    this.#steps.length = 0
    this.#steps.push(this.#stepOf(this.#node.rest, 0, ''))
  }

  #resolve(key: Key): Step {
    const { named, patterns, rest } = this.#node
    const name = keys.text(key)
    const rule = named.get(name) ?? patterns.find(({ head }) => name.startsWith(head))?.rule ?? rest
    const step = this.#stepOf(rule, key, name)
    if (key >= this.#places.length) {
      const larger = new Int32Array(Math.max(this.#places.length * 2, key + 1))
      larger.set(this.#places)
      this.#places = larger
    }
    this.#places[key] = this.#steps.length
    this.#steps.push(step)
    return step
  }

  #stepOf(rule: Rule, own: Key, name: string): Step {
    return {
      slots: rule.slots,
      emits: rule.emits.map(({ into, prefix, rank, key = keys.ofText(prefix + name) }) => {
        return { into, key, own: key === own, rank }
      }),
      rank: rule.rank,
      child: this.#node.parents.indexOf(rule as ParentRule),
      whole: rule.whole,
      label: rule.label,
      unknown: this.#node.leavesRestOut && rule === this.#node.rest,
    }
  }
}
