import { type Head, headId, headName } from '../record/head.ts'
import { MOST_NAMES } from '../record/notes.ts'
import type { EventTree, ProjectRule, RuleDeed } from '../service/project-rules.ts'

/** The events of an input to which rules of a project do the same. */
export interface RuledEvents {
  readonly deed: RuleDeed
  readonly count: number
  /** By name; of more than 10,000 names only the first. */
  readonly names: ReadonlyMap<string, number>
  /** The names of the rules that match, in their order. */
  readonly rules: readonly string[]
}

/** Whether a rule is about an event. */
export function matches(
  tree: EventTree,
  event: Readonly<Record<'event_name' | 'distinct_id', string>>,
): boolean {
  switch (tree.type) {
    case 'condition': {
      const value = event[tree.field]
      return tree.operator === 'exact' ? value === tree.value : value.includes(tree.value)
    }
    case 'and':
      return tree.children.length > 0 && tree.children.every((child) => matches(child, event))
    case 'or':
      return tree.children.some((child) => matches(child, event))
    case 'not':
      return !matches(tree.child, event)
  }
}

/** Whether a rule asks for the distinct_id of an event. */
function asksForId(tree: EventTree): boolean {
  if (tree.type === 'condition') return tree.field === 'distinct_id'
  return tree.type === 'not' ? asksForId(tree.child) : tree.children.some(asksForId)
}

interface Tally {
  count: number
  readonly names: Map<string, number>
  readonly rules: Set<string>
}

/** Holds the events of an input against the rules of its project, and counts those that match. */
export class RulesSeen {
  /** True where names alone don't tell: each event has to be looked at. */
  readonly needsIds: boolean
  readonly isEmpty: boolean
  readonly #rules: readonly ProjectRule[]
  readonly #tallies = new Map<RuleDeed, Tally>()

  constructor(rules: readonly ProjectRule[]) {
    this.#rules = rules
    this.isEmpty = rules.length === 0
    this.needsIds = rules.some(({ tree }) => asksForId(tree))
  }

  look(line: Buffer, head: Head): void {
    if (this.isEmpty) return
    this.add(headName(line, head), 1, this.needsIds ? headId(line, head) : '')
  }

  /** Counts so many events of a name. */
  add(name: string, count: number, id = ''): void {
    const event = { event_name: name, distinct_id: id }
    const deeds = new Set<RuleDeed>()
    for (const rule of this.#rules) {
      if (!matches(rule.tree, event)) continue
      const tally = this.#tallies.get(rule.deed) ?? { count: 0, names: new Map(), rules: new Set() }
      this.#tallies.set(rule.deed, tally)
      tally.rules.add(rule.name)
      if (deeds.has(rule.deed)) continue
      deeds.add(rule.deed)
      tally.count += count
      if (tally.names.has(name) || tally.names.size < MOST_NAMES)
        tally.names.set(name, (tally.names.get(name) ?? 0) + count)
    }
  }

  get found(): RuledEvents[] {
    return [...this.#tallies].map(([deed, tally]) => ({ deed, ...tally, rules: [...tally.rules] }))
  }
}
