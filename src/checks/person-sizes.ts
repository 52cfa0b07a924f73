import { hashBytes } from '../record/bytes.ts'
import type { Head } from '../record/head.ts'
import { keys } from '../record/keys.ts'
import { type PersonWriteValues, personWrites } from '../record/rules.ts'
import { MOST_PERSON_BYTES } from '../record/stored-properties.ts'
import type { Tape } from '../record/tape.ts'
import { parsedOrNone } from '../text/json.ts'
import type { PropertyPlace } from './finding.ts'
import { cutExample, type Spotted } from './spot.ts'

const SET = Buffer.from('$set')
/** Sums of ids, and properties that are told apart; powers of two. */
const SUMS = 1 << 20
const PROPERTIES = 1 << 18
/** Up to here the ends of lines are summed, which costs next to nothing; from here on the properties themselves. */
const ROUGH_BYTES = MOST_PERSON_BYTES / 4
/** Of events that set less than this, one of eight stands for all: looking into each would make a check half as slow again. */
const SMALL_BYTES = 2048
const EACH = 8
/**
 * A person over the limit has set over three quarters of it after the rough part: by 192 events or more, if they were
 * small. Half of that is seen even where chance took few of them.
 */
const SUSPECT_BYTES = ROUGH_BYTES + (MOST_PERSON_BYTES - ROUGH_BYTES) / 2

/**
 * Finds whose person may be over the limit, in 6 MiB for any number of persons: a sum for each hash of a distinct_id, to
 * which a property counts once, with its longest value. What shares a sum, and a property that had to make room for
 * another and comes again, make the sum too large, never too small.
 */
export class PersonBounds {
  readonly #sums = new Uint32Array(SUMS)
  /** By hash of id and name: what tells one from another, and its longest value. */
  readonly #marks = new Int32Array(PROPERTIES)
  readonly #longest = new Uint32Array(PROPERTIES)
  #looked = 0
  #id = 0
  #isAnySuspect = false

  /** True if a person may be over the limit. */
  get isAnySuspect(): boolean {
    return this.#isAnySuspect
  }

  /** True if the person of the event may be over it. */
  isSuspect(line: Buffer, head: Head): boolean {
    return this.#sums[sumOf(idHash(line, head))]! > SUSPECT_BYTES
  }

  /** Looks at an event line. Over 0: what it sets is wanted by `add`, and stands for that many events. */
  look(line: Buffer, head: Head): number {
    const at = line.indexOf(SET, head.distinctIdEnd)
    if (at < 0) return 0
    this.#id = idHash(line, head)
    const sum = this.#sums[sumOf(this.#id)]!
    if (sum > SUSPECT_BYTES) return 0
    const bytes = line.length - at
    if (sum + bytes > ROUGH_BYTES)
      return bytes > SMALL_BYTES ? 1 : mix(++this.#looked) % EACH === 0 ? EACH : 0
    this.#sums[sumOf(this.#id)] = sum + bytes
    return 0
  }

  /** Adds a $set or $set_once of the event that was looked at last: a member on the tape, and what `look` said. */
  add(tape: Tape, object: number, weight: number): void {
    for (let i = object + 1; i < tape.next(object); i = tape.next(i))
      this.#add(tape.key(i), (keys.sizes[tape.key(i)]! + tape.end(i) - tape.start(i) + 1) * weight)
  }

  #add(name: number, bytes: number): void {
    const hash = mix(this.#id ^ Math.imul(name + 1, 0x9e3779b1) ^ keys.generation)
    const mark = mix(hash ^ this.#id) | 1
    const slot = hash & (PROPERTIES - 1)
    const before = this.#marks[slot] === mark ? this.#longest[slot]! : 0
    if (bytes <= before) return
    this.#marks[slot] = mark
    this.#longest[slot] = bytes
    const sum = this.#sums[sumOf(this.#id)]! + bytes - before
    this.#sums[sumOf(this.#id)] = Math.min(sum, MOST_PERSON_BYTES)
    if (sum > SUSPECT_BYTES) this.#isAnySuspect = true
  }
}

function idHash(line: Buffer, { distinctIdStart, distinctIdEnd }: Head): number {
  return mix(hashBytes(line, distinctIdStart, distinctIdEnd))
}

function sumOf(hash: number): number {
  return hash & (SUMS - 1)
}

/** Spreads a hash over all of its bits. */
function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return whole ^ (whole >>> 16)
}

/** So many persons over the limit are followed to their end; of the others it is known that they went over it. */
const MOST_FOLLOWED = 5
/** So many properties of all persons are remembered at once: about 30 MB. Persons that come later are not followed. */
const MOST_PROPERTIES = 1 << 18
/** So many persons over the limit are told apart. */
const MOST_OVER = 100_000
/** The most properties that an example names. */
const MOST_NAMED = 3

interface Person {
  /** Bytes by property: name, value and what JSON puts around them. */
  readonly sizes: Map<string, number>
  bytes: number
  most: number
}

/** A person whose properties were over the limit at some time. */
interface Large {
  readonly id: string
  /** The event that brought it over. */
  readonly uuid: string
  readonly event: string
  readonly property: string
  /** Undefined for one that is followed no further. */
  readonly person: Person | undefined
}

interface EventLine {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: PersonWriteValues
}

/** Sums what events set of each person, by distinct_id: events come in the order in which they will be sent. */
export class PersonSizes {
  readonly #persons = new Map<string, Person>()
  readonly #large = new Map<string, Large>()
  #held = 0

  /** `count`: of persons. The example is the largest that was followed. */
  get total(): Spotted & { readonly places: readonly PropertyPlace[] } {
    const large = [...this.#large.values()]
    const [largest] = large
      .filter(({ person }) => person !== undefined)
      .sort((a, b) => b.person!.most - a.person!.most)
    const places = new Map<string, PropertyPlace>()
    for (const { event, property } of large) {
      const place = JSON.stringify([event, property])
      places.set(place, { event, property, count: (places.get(place)?.count ?? 0) + 1 })
    }
    return {
      count: large.length,
      example: largest && cutExample(exampleOf(largest, largest.person!)),
      places: [...places.values()].sort((a, b) => b.count - a.count),
    }
  }

  look(line: Buffer): void {
    const event = eventOf(line)
    const writes = event && personWrites(event.event, event.properties)
    if (!writes) return
    const { distinct_id: id } = event
    const person = this.#personOf(id)
    if (!person) return
    for (const [name, value] of Object.entries(writes.setOnce))
      if (!person.sizes.has(name)) this.#put(person, name, value)
    for (const [name, value] of Object.entries(writes.set)) this.#put(person, name, value)
    for (const name of writes.unset) this.#remove(person, name)
    person.most = Math.max(person.most, person.bytes)
    if (person.bytes > MOST_PERSON_BYTES && !this.#large.has(id)) this.#keep(event, person)
  }

  #personOf(id: string): Person | undefined {
    const known = this.#persons.get(id)
    if (known || this.#held > MOST_PROPERTIES) return known
    if (this.#large.has(id)) return undefined
    const person = { sizes: new Map<string, number>(), bytes: 0, most: 0 }
    this.#persons.set(id, person)
    return person
  }

  #put(person: Person, name: string, value: unknown): void {
    this.#remove(person, name)
    const bytes = Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2
    person.sizes.set(name, bytes)
    person.bytes += bytes
    this.#held++
  }

  #remove(person: Person, name: string): void {
    const bytes = person.sizes.get(name)
    if (bytes === undefined) return
    person.sizes.delete(name)
    person.bytes -= bytes
    this.#held--
  }

  #keep({ uuid, event, distinct_id: id }: EventLine, person: Person): void {
    if (this.#large.size >= MOST_OVER) return
    const isFollowed = this.#large.size < MOST_FOLLOWED
    const [[property]] = largestOf(person, 1) as [[string, number]]
    this.#large.set(id, { id, uuid, event, property, person: isFollowed ? person : undefined })
    if (isFollowed) return
    this.#persons.delete(id)
    this.#held -= person.sizes.size
  }
}

function exampleOf({ uuid, id }: Large, person: Person): string {
  const named = largestOf(person, MOST_NAMED).map(([name, bytes]) => `${name} ${bytes}`)
  return `${uuid}: distinct_id ${JSON.stringify(id)}, ${person.most} bytes, ${named.join(', ')}`
}

function largestOf({ sizes }: Person, most: number): [string, number][] {
  return [...sizes].sort(([, a], [, b]) => b - a).slice(0, most)
}

/** The event of a line; undefined for a line that is no JSON, which import rejects. */
function eventOf(line: Buffer): EventLine | undefined {
  return parsedOrNone(line.toString('utf8')) as EventLine | undefined
}
