import { PosthaulError } from '../../errors.ts'
import { mixed } from '../../record/bytes.ts'
import { DistinctCount, idHash } from '../../record/distinct-count.ts'
import { type Head, headId } from '../../record/head.ts'
import { isNobody } from '../../record/nobody.ts'
import type { EventPart } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { readParts } from '../../store/read-parts.ts'
import { compareTexts } from '../../text/words.ts'
import { IdSet } from '../forget/id-set.ts'
import { interruptedError } from '../pool.ts'
import type { TransformRunOptions } from '../transform-tally.ts'
import { chosenDigest, groupsIn, groupText, isAct, linkedBy, type NamedGroup } from './event-ids.ts'
import type { ChosenPeople, TrialOrder } from './trial-order.ts'

/*
 * Chooses the people of a trial, by what the sealed events say of ids. A person is all ids that events link; one counts who
 * did something: whoever has only a profile is not chosen.
 *
 * HOW. The first reading puts ids into sets, in memory that does not grow with them, and counts what each
 * set did. The sets have an order by a hash, and so many of the first become candidates that the people wanted are among them.
 * Two people can share a set, so the second reading tells the candidates' ids apart, exactly. Memory grows with the trial.
 *
 * WHAT IT PROVES. The same events give the same people, whatever machine reads them: neither a clock nor chance decides.
 */

const BUCKETS = 2 ** 16

type EachEvent = (line: Buffer, head: Head, day: number) => void

/** `read` reads all days, and is called twice. `ids`: how many there are, as `DistinctCount.text`. */
export async function choosePeople(
  order: TrialOrder,
  read: (each: EachEvent) => Promise<void>,
  ids: string,
): Promise<{ readonly chosen: ChosenPeople; readonly people: number }> {
  const count = new DistinctCount()
  count.addText(ids)
  const sets = new CandidateSets(count.estimate)
  const last = order.by === 'days' ? new Set<number>() : undefined
  const isAsked = (day: number) => last === undefined || last.has(day)
  // From the last day on, so that it is known which days are the last ones with anything done.
  await read((line, head, day) => {
    const { id } = linkedBy(line, head)
    const sender = headId(line, head)
    if (id !== undefined) sets.link(sender, id)
    if (!isAct(line, head) || isNobody(sender)) return
    if (last && last.size < order.most) last.add(day)
    if (isAsked(day)) sets.act(sender)
  })
  const isCandidate = sets.candidates(order)
  const people = new CandidatePeople()
  await read((line, head, day) => {
    const sender = headId(line, head)
    const isInDays = last?.has(day)
    if (isInDays) for (const group of groupsIn(line, head)) people.addGroup(group)
    if (isNobody(sender) || !isCandidate(sender)) return
    const { id } = linkedBy(line, head)
    if (id !== undefined) people.link(sender, id)
    people.add(sender, isAct(line, head) && isAsked(day), last ? [] : groupsIn(line, head))
  })
  const { people: taken, ...cells } = people.choose(order, (id) => sets.orderOf(id))
  if (taken === 0) throw nobodyActs()
  return { chosen: { ...cells, days: last && [...last] }, people: taken }
}

function nobodyActs(): PosthaulError {
  return new PosthaulError('nobody in the input did anything: there are no people to choose', {
    code: 'input',
    hint: 'a trial is of people with events; without --people and --days everything is transformed',
  })
}

function bucketOf(set: number): number {
  return Math.floor(hashOfSet(set) / (2 ** 32 / BUCKETS))
}

/** The candidates' ids, told apart, and what the people behind them did. */
class CandidatePeople {
  /** By id, a smaller id of the same person; the smallest has none. */
  readonly #parents = new Map<string, string>()
  readonly #ids = new Set<string>()
  readonly #acting = new Set<string>()
  readonly #groups = new Map<string, Set<string>>()
  readonly #groupsOfAll = new Set<string>()

  link(one: string, other: string): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)]
    if (a !== b) this.#parents.set(a < b ? b : a, a < b ? a : b)
  }

  add(id: string, isAct: boolean, groups: readonly NamedGroup[]): void {
    this.#ids.add(id)
    if (isAct) this.#acting.add(id)
    if (groups.length === 0) return
    const named = this.#groups.get(id) ?? new Set()
    for (const group of groups) named.add(groupText(group))
    this.#groups.set(id, named)
  }

  /** A group that is in the trial, whoever is. */
  addGroup(group: NamedGroup): void {
    this.#groupsOfAll.add(groupText(group))
  }

  /** Takes people in their order, by the sets that they are in. */
  choose({ by, most }: TrialOrder, orderOfId: (id: string) => number) {
    const people = this.#people().sort(
      (a, b) => orderOfId(a.name) - orderOfId(b.name) || compareTexts(a.name, b.name),
    )
    const taken = by === 'people' ? Math.min(most, people.length) : people.length
    const [ids, groups] = [new IdSet(), new IdSet()]
    for (const id of people.slice(0, taken).flatMap((person) => person.ids)) {
      ids.add(chosenDigest(id))
      for (const group of this.#groups.get(id) ?? []) groups.add(chosenDigest(group))
    }
    for (const group of this.#groupsOfAll) groups.add(chosenDigest(group))
    return { people: taken, ids: ids.cells, groups: groups.cells }
  }

  /** Those who did something. */
  #people(): Person[] {
    const people = new Map<string, Person>()
    for (const id of new Set([...this.#parents.keys(), ...this.#parents.values(), ...this.#ids])) {
      const name = this.#rootOf(id)
      const person = people.get(name) ?? { name, ids: [], acts: false }
      person.ids.push(id)
      person.acts ||= this.#acting.has(id)
      people.set(name, person)
    }
    return [...people.values()].filter(({ acts }) => acts)
  }

  #rootOf(id: string): string {
    let at = id
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      const above = this.#parents.get(parent)
      if (above !== undefined) this.#parents.set(at, above)
      at = parent
    }
    return at
  }
}

interface Person {
  readonly name: string
  readonly ids: string[]
  acts: boolean
}

/** Slots for each id that is expected, and their bounds, as powers of two: 4 MiB to 256 MiB of memory. */
const SLOTS_AN_ID = 8
const [LEAST_BITS, MOST_BITS] = [20, 26]

/**
 * Sets of ids that must stay together: union-find, of which each id's hash chooses a slot. Memory doesn't grow with the
 * ids. Two ids of one slot are taken for one, so sets can be larger than they need be; ids that are linked are never apart.
 * With over half as many links as slots, 30 million at most, the sets run together into one: more people are then
 * candidates, and the choice is still right.
 */
export class CandidateSets {
  readonly #parents: Uint32Array
  /** By slot, 1 where an id of it did something. */
  readonly #acts: Uint8Array

  /** `ids`: about how many there are. The same number gives the same slots. */
  constructor(ids: number) {
    const bits = Math.ceil(Math.log2(Math.max(1, ids * SLOTS_AN_ID)))
    const slots = 2 ** Math.min(MOST_BITS, Math.max(LEAST_BITS, bits))
    this.#parents = new Uint32Array(slots)
    for (let slot = 0; slot < slots; slot++) this.#parents[slot] = slot
    this.#acts = new Uint8Array(slots)
  }

  /** Puts two ids into one set. */
  link(one: string, other: string): void {
    const [a, b] = [this.setOf(one), this.setOf(other)]
    // The smallest slot of a set is its root, in whatever order links come.
    this.#parents[Math.max(a, b)] = Math.min(a, b)
  }

  act(id: string): void {
    this.#acts[this.#slotOf(id)] = 1
  }

  orderOf(id: string): number {
    return hashOfSet(this.setOf(id))
  }

  /** The set that an id is in, by its smallest slot. */
  setOf(id: string): number {
    return this.#rootOf(this.#slotOf(id))
  }

  /** Which ids are in the first sets. There are enough of these for the people that are wanted. */
  candidates({ by, most }: TrialOrder): (id: string) => boolean {
    const acts = this.#acts
    // The smallest slot of a set stands for it, so each set is whole when the loop after this one comes to it.
    for (let slot = 0; slot < acts.length; slot++) {
      if (acts[slot] === 1) acts[this.#rootOf(slot)] = 1
    }
    const sums = new Float64Array(BUCKETS)
    for (let slot = 0; slot < acts.length; slot++) {
      if (acts[slot] === 1 && this.#rootOf(slot) === slot) sums[bucketOf(slot)]!++
    }
    let [last, sum] = [0, sums[0]!]
    while (last < BUCKETS - 1 && (by === 'days' || sum <= most)) sum += sums[++last]!
    return (id) => {
      const set = this.setOf(id)
      return acts[set] === 1 && bucketOf(set) <= last
    }
  }

  #slotOf(id: string): number {
    return idHash(id) % this.#parents.length
  }

  #rootOf(slot: number): number {
    const parents = this.#parents
    let at = slot
    for (let parent = parents[at]!; parent !== at; parent = parents[at]!) {
      parents[at] = parents[parent]!
      at = parents[at]!
    }
    return at
  }
}

/** So that slot 0 is mixed too. */
const SPREAD = 0x5bd1e995

/** A hash of a set: 32 bits, by which sets have an order. */
function hashOfSet(set: number): number {
  return mixed(set ^ SPREAD) >>> 0
}

/** A sealed day, counted from 1970-01-01. */
export interface DayParts {
  readonly day: number
  readonly parts: readonly EventPart[]
}

interface Reading {
  readonly options: Pick<TransformRunOptions, 'interrupted'>
  progress(bytes: number): void
}

/**
 * Reads all events of the sealed days of a transform in its work folder, the last day first, before some of them are copied into a
 * trial. Code `mismatch` if a sealed part was changed since.
 */
export async function readSealed(
  place: string,
  days: readonly DayParts[],
  { options, progress }: Reading,
  each: EachEvent,
): Promise<void> {
  const store = await openStore(place)
  const between = async () => {
    if (options.interrupted.aborted) throw interruptedError()
  }
  const done = ({ bytes }: EventPart) => progress(bytes)
  for (const { day, parts } of days.toReversed())
    await readParts(store, parts, { each: (line, head) => each(line, head, day), between, done })
}
