import type { SpreadRecord } from '../inputs/spread.ts'
import type { ItemOutcome, RecordItem } from '../pipeline/loop.ts'
import { members } from '../record/json-values.ts'

/** A record of a sample that is worth a test, and what it is an example of. */
export interface TestExample {
  readonly about: string
  readonly record: SpreadRecord
}

interface Candidate {
  readonly record: SpreadRecord
  readonly source: string
}

const ANONYMOUS = Buffer.from('"$process_person_profile":false')
/** Those beyond these are not told apart. */
const MOST_KINDS = 10_000

/** Records by a key: how many have it, and the first of them. */
class Kinds {
  readonly #kinds = new Map<string, { count: number; readonly first: Candidate }>()

  add(key: string, one: Candidate): void {
    const kind = this.#kinds.get(key)
    if (kind) kind.count++
    else if (this.#kinds.size < MOST_KINDS) this.#kinds.set(key, { count: 1, first: one })
  }

  /** The first of each kind, of the rarest kind first. */
  get firsts(): Candidate[] {
    return [...this.#kinds.values()].sort((a, b) => a.count - b.count).map(({ first }) => first)
  }
}

/** Chooses three records of a sample: an ordinary one, one with an anonymous person, and the oddest. */
export class TestExamples {
  readonly #names = new Kinds()
  readonly #shapes = new Kinds()
  readonly #reasons = new Kinds()
  #anonymous: Candidate | undefined
  /** Whose records show an anonymous id besides; the second is for where the first is the ordinary one. */
  readonly #linked: Candidate[] = []

  see(record: SpreadRecord, outcome: ItemOutcome, { source = 'a record' }: Pick<RecordItem, 'source'>): void {
    const one = { record, source }
    if (outcome.status === 'rejected') this.#reasons.add(outcome.reason, one)
    if (outcome.status !== 'event') return
    const { bytes, length } = outcome.line
    if (outcome.link && this.#linked.length < 2) this.#linked.push(one)
    if (bytes.subarray(0, length).includes(ANONYMOUS)) this.#anonymous ??= one
    else this.#names.add(source, one)
    // What is no JSON has no members: only a record that became an event is looked into.
    this.#shapes.add(shapeOf(record.bytes.toString('utf8')), one)
  }

  get chosen(): TestExample[] {
    const ordinary = this.#names.firsts.at(-1)
    const anonymous = this.#anonymous ?? this.#linked.find((one) => one.record !== ordinary?.record)
    const known = [ordinary?.record, anonymous?.record]
    const odd = [...this.#reasons.firsts, ...this.#shapes.firsts].find(
      ({ record }) => !known.includes(record),
    )
    const all = [
      ['an ordinary record', ordinary],
      [this.#anonymous ? 'an anonymous person' : 'a person with an anonymous id', anonymous],
      ['the oddest record', odd],
    ] as const
    return all.flatMap(([about, one]) =>
      one ? [{ about: `${about}, ${one.source}`, record: one.record }] : [],
    )
  }
}

/** The names of all members, of objects in it too. */
export function shapeOf(json: string): string {
  return members(json)
    .map(([name, value]) => `${name}${value.startsWith('{') ? `{${shapeOf(value)}}` : ''}`)
    .sort()
    .join(',')
}
