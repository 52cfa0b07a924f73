import { groupedBy } from '../../text/lists.ts'
import type { PeopleForecast } from '../studio-data.ts'
import type { MadeLink, SampleOutcome } from './mapped-sample.ts'

const MOST_MERGES = 10
const MOST_EXAMPLES = 8

/** Sets of ids that are one person's. */
class Persons {
  readonly #parents = new Map<string, string>()

  /** The id that stands for the person. */
  of(id: string): string {
    let root = id
    for (;;) {
      const parent = this.#parents.get(root) ?? root
      if (parent === root) break
      root = parent
    }
    // Shortens the way for the next one: a chain of a thousand ids would be walked for each of them.
    for (let at = id; at !== root; ) {
      const next = this.#parents.get(at)!
      this.#parents.set(at, root)
      at = next
    }
    return root
  }

  join(one: string, other: string): void {
    const [a, b] = [this.of(one), this.of(other)]
    if (a !== b) this.#parents.set(a, b)
  }
}

/** Who the events of the sample belong to. The rule is the transform's: an anonymous id belongs to its first user. */
export function peopleOf(made: readonly SampleOutcome[]): PeopleForecast {
  const firsts = firstLinks(made)
  const events = new Map<string, number>()
  const anonymous = new Set<string>(firsts.keys())
  const persons = new Persons()
  for (const { event } of made) {
    if (!event) continue
    const { distinctId, joined, isAnonymous, name } = event
    events.set(distinctId, (events.get(distinctId) ?? 0) + 1)
    if (isAnonymous) anonymous.add(distinctId)
    if (joined === null) continue
    persons.join(distinctId, joined)
    if (name === '$identify') anonymous.add(joined)
  }
  for (const { anonymousId, userId } of firsts.values()) persons.join(anonymousId, userId)

  const ids = new Set([...events.keys(), ...anonymous, ...[...firsts.values()].map(({ userId }) => userId)])
  for (const { event } of made) if (event?.joined) ids.add(event.joined)
  const groups = groupedBy(ids, (id) => persons.of(id))
  const merged = [...groups.values()].filter((group) => group.length > 1)
  const eventsOf = (id: string) => events.get(id) ?? 0
  return {
    distinctIds: events.size,
    anonymousIds: anonymous.size,
    joined: merged.flat().filter((id) => anonymous.has(id)).length,
    persons: groups.size,
    merges: merged
      .sort((a, b) => b.length - a.length)
      .slice(0, MOST_MERGES)
      .map((group) => ({
        ids: group.length,
        events: group.reduce((sum, id) => sum + eventsOf(id), 0),
        examples: group.sort((a, b) => eventsOf(b) - eventsOf(a)).slice(0, MOST_EXAMPLES),
      })),
  }
}

/** By anonymous id, the link of its first meeting with a user. */
function firstLinks(made: readonly SampleOutcome[]): Map<string, MadeLink> {
  const firsts = new Map<string, MadeLink>()
  for (const { link } of made) {
    if (!link) continue
    const known = firsts.get(link.anonymousId)
    if (!known || link.instant < known.instant) firsts.set(link.anonymousId, link)
  }
  return firsts
}
