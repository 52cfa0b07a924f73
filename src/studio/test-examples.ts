import type { SpreadRecord } from '../inputs/index.ts'
import type { ItemOutcome, RecordItem } from '../pipeline/loop.ts'
import { countOne, members } from '../record/index.ts'

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
/** Shapes beyond these are not told apart. */
const MOST_SHAPES = 10_000

/** Chooses three records of a sample: an ordinary one, one with an anonymous person, and the oddest. */
export class TestExamples {
  readonly #names: Record<string, number> = {}
  readonly #shapes: Record<string, number> = {}
  readonly #ofName = new Map<string, Candidate>()
  readonly #ofShape = new Map<string, Candidate>()
  readonly #rejected = new Map<string, Candidate>()
  readonly #reasons: Record<string, number> = {}
  #anonymous: Candidate | undefined
  /** Whose records show an anonymous id besides; the second is for where the first is the ordinary one. */
  readonly #linked: Candidate[] = []

  see(record: SpreadRecord, outcome: ItemOutcome, { source = 'a record' }: Pick<RecordItem, 'source'>): void {
    const one = { record, source }
    if (outcome.status === 'rejected') {
      countOne(this.#reasons, outcome.reason)
      if (!this.#rejected.has(outcome.reason)) this.#rejected.set(outcome.reason, one)
    }
    if (outcome.status !== 'event') return
    // What is no JSON has no members: only a record that became an event is looked into.
    const shape = shapeOf(record.bytes.toString('utf8'))
    const { bytes, length } = outcome.line
    const isAnonymous = bytes.subarray(0, length).includes(ANONYMOUS)
    if (outcome.link && this.#linked.length < 2) this.#linked.push(one)
    if (isAnonymous) this.#anonymous ??= one
    else {
      countOne(this.#names, source)
      if (!this.#ofName.has(source)) this.#ofName.set(source, one)
    }
    if (this.#ofShape.size < MOST_SHAPES && !this.#ofShape.has(shape)) this.#ofShape.set(shape, one)
    if (this.#ofShape.has(shape)) countOne(this.#shapes, shape)
  }

  get chosen(): TestExample[] {
    const ordinary = this.#ofName.get(byCount(this.#names).at(-1) ?? '')
    const linked = this.#linked.find((one) => one.record !== ordinary?.record)
    const anonymous = this.#anonymous ?? linked
    const odd = [
      ...byCount(this.#reasons).map((reason) => this.#rejected.get(reason)),
      ...byCount(this.#shapes).map((shape) => this.#ofShape.get(shape)),
    ].find((one) => one && ![ordinary, anonymous].some((other) => other?.record === one.record))
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

/** Names, the rarest first. */
function byCount(counts: Readonly<Record<string, number>>): string[] {
  return Object.keys(counts).sort((a, b) => counts[a]! - counts[b]!)
}

/** The names of all members, of objects in it too. */
export function shapeOf(json: string): string {
  return members(json)
    .map(([name, value]) => `${name}${value.startsWith('{') ? `{${shapeOf(value)}}` : ''}`)
    .sort()
    .join(',')
}
