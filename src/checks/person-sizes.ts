import { type PersonWriteValues, personWrites } from '../record/person-writes.ts'
import { MOST_PERSON_BYTES } from '../record/stored-properties.ts'
import type { PropertyPlace } from './finding.ts'
import { cutExample, type Spotted } from './spot.ts'

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
  try {
    return JSON.parse(line.toString('utf8')) as EventLine
  } catch {
    return undefined
  }
}
