import type { PersonPair, PersonService } from '../../src/checks/persons/live.ts'
import { personWrites } from '../../src/record/rules.ts'

/** An event as it arrives. */
export interface ArrivedEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** A project that keeps its persons as the service does: what arrives last is set, what arrived first is kept. */
export class PersonProject implements PersonService {
  readonly events: ArrivedEvent[] = []
  #known: { readonly events: number; readonly roots: Map<string, string> } = { events: -1, roots: new Map() }
  /** How many questions were answered. */
  asked = 0
  /** Called before each answer. */
  beforeAnswer: () => void = () => undefined

  receive(...events: readonly ArrivedEvent[]): void {
    this.events.push(...events)
  }

  /** The properties of each person, by its first distinct id. */
  persons(): Map<string, Record<string, unknown>> {
    const roots = this.#roots()
    const persons = new Map<string, Record<string, unknown>>()
    for (const { event, distinct_id, properties } of this.events) {
      const writes = personWrites(event, properties)
      if (!writes) continue
      const person = persons.get(roots.get(distinct_id)!) ?? Object.create(null)
      persons.set(roots.get(distinct_id)!, person)
      for (const [name, value] of Object.entries(writes.setOnce)) if (!(name in person)) person[name] = value
      Object.assign(person, writes.set)
      for (const name of writes.unset) delete person[name]
    }
    return persons
  }

  /** The first id of the person that a distinct id leads to. */
  rootOf(id: string): string {
    return this.#roots().get(id)!
  }

  async countDistinctIds(): Promise<number> {
    this.#answer()
    return this.#roots().size
  }

  async *allDistinctIds(): AsyncGenerator<readonly PersonPair[]> {
    const pairs = [...this.#roots()].sort(([a], [b]) => (a < b ? -1 : 1))
    for (let at = 0; at < pairs.length; at += 50) {
      this.#answer()
      yield pairs.slice(at, at + 50)
    }
  }

  async personsOf(ids: readonly string[]): Promise<Map<string, string>> {
    this.#answer()
    return new Map([...this.#roots()].filter(([id]) => ids.includes(id)))
  }

  async firstEvent(): Promise<string | undefined> {
    this.#answer()
    return this.events.map(({ timestamp }) => timestamp).sort()[0]
  }

  async properties(persons: readonly string[]) {
    this.#answer()
    const all = this.persons()
    return persons.filter((id) => all.has(id)).map((id) => [id, JSON.stringify(all.get(id))] as const)
  }

  async spans(persons: readonly string[]) {
    this.#answer()
    const roots = this.#roots()
    return persons.flatMap((id) => {
      const times = this.events
        .filter(({ distinct_id }) => roots.get(distinct_id) === id)
        .map(({ timestamp }) => timestamp.replace('T', ' ').replace('Z', ''))
        .sort()
      return times.length === 0 ? [] : [[id, times[0]!, times.at(-1)!] as const]
    })
  }

  #answer(): void {
    this.beforeAnswer()
    this.asked++
  }

  /** The first id of the person that each distinct id leads to. */
  #roots(): Map<string, string> {
    if (this.#known.events === this.events.length) return this.#known.roots
    const parents = new Map<string, string>()
    const rootOf = (id: string): string => (parents.get(id) === id ? id : rootOf(parents.get(id)!))
    for (const { event, distinct_id: id, properties } of this.events) {
      if (!personWrites(event, properties)) continue
      if (!parents.has(id)) parents.set(id, id)
      const { $anon_distinct_id: other } = properties
      if (event !== '$identify' || typeof other !== 'string') continue
      if (!parents.has(other)) parents.set(other, other)
      const roots = [rootOf(id), rootOf(other)].sort()
      parents.set(roots[1]!, roots[0]!)
    }
    this.#known = {
      events: this.events.length,
      roots: new Map([...parents.keys()].map((id) => [id, rootOf(id)])),
    }
    return this.#known.roots
  }
}
