import type { MappedEvent } from '../mapping/index.ts'
import type { ItemOutcome } from '../pipeline/loop.ts'
import { headUuid, nthTwin, readIdentity } from '../record/index.ts'
import { groupUuid, identifyUuid } from '../transform/index.ts'

/** Twins of one record that are told apart when one of them is looked for. */
const MOST_TWINS = 20
/** Names of events that are kept to find what a misspelt one meant. */
const MOST_NAMES = 1000

/** How the record that is looked for was found. */
export interface Match {
  /** The event that records together make, when it is that one which was looked for. */
  readonly generated: '$identify' | 'group' | null
}

/** Looks at what became of records, or of children of them, one by one. `source` is the name that the source gives the event. */
export interface Matcher {
  match(outcome: ItemOutcome, source: string | undefined): Match | undefined
}

const ITSELF: Match = { generated: null }

/** Finds the first record of an event, by its name in the source or in the service. */
export class NameMatcher implements Matcher {
  /** The names that were met. */
  readonly names = new Set<string>()
  readonly #name: string
  readonly #quoted: Buffer
  readonly #span = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }

  constructor(name: string) {
    this.#name = name
    this.#quoted = Buffer.from(JSON.stringify(name))
  }

  match(outcome: ItemOutcome, source: string | undefined): Match | undefined {
    if (source !== undefined && this.names.size < MOST_NAMES) this.names.add(source)
    const isIt = source === this.#name || (outcome.status === 'event' && this.#isCalled(outcome.line))
    return isIt ? ITSELF : undefined
  }

  #isCalled({ bytes, length }: MappedEvent['line']): boolean {
    if (!readIdentity(bytes, 0, length, this.#span)) return false
    const { eventStart, eventEnd } = this.#span
    return bytes.subarray(eventStart, eventEnd).equals(this.#quoted)
  }
}

/** Finds the record that an event came from, or the first that shows what a generated event says. */
export class UuidMatcher implements Matcher {
  /** True when a record had no id of its own, so that one that is the same would have another uuid. */
  hasTwins = false
  readonly #uuid: string
  /** Looked for among the twins of records: `undefined` while it is not known whose twin it is. */
  readonly #twins: boolean
  #first: { readonly uuid: string; readonly number: number } | undefined
  #seen = 0

  /** `twins`: that the uuid is the plain one of a record was tried before. */
  constructor(uuid: string, twins: boolean) {
    this.#uuid = uuid
    this.#twins = twins
  }

  match(outcome: ItemOutcome): Match | undefined {
    if (this.#twins) return this.#twin(outcome)
    if (outcome.status === 'event') {
      if (!outcome.ownId) this.hasTwins = true
      if (headUuid(outcome.line.bytes, 0) === this.#uuid) return ITSELF
    }
    const generated = this.#generated(outcome)
    return generated ? { generated } : undefined
  }

  #generated(outcome: ItemOutcome): Match['generated'] | undefined {
    if (outcome.status === 'rejected') return undefined
    const { link } = outcome
    if (link && identifyUuid(link.user.text, link.anonymous.text) === this.#uuid) return '$identify'
    if (outcome.status !== 'event') return undefined
    const { groupStates, instant } = outcome
    return groupStates.some((state) => groupUuid(state, instant) === this.#uuid) ? 'group' : undefined
  }

  #twin(outcome: ItemOutcome): Match | undefined {
    if (outcome.status !== 'event' || outcome.ownId) return undefined
    const uuid = headUuid(outcome.line.bytes, 0)
    this.#first ??= this.#placeOf(uuid)
    if (this.#first?.uuid !== uuid) return undefined
    return this.#seen++ === this.#first.number ? ITSELF : undefined
  }

  /** The twin of a record that has the uuid; undefined when none has. */
  #placeOf(uuid: string): { readonly uuid: string; readonly number: number } | undefined {
    for (let number = 1; number <= MOST_TWINS; number++)
      if (nthTwin(uuid, number) === this.#uuid) return { uuid, number }
    return undefined
  }
}
