import { DistinctCount } from '../record/distinct-count.ts'
import { type Head, headId } from '../record/head.ts'
import { isNobody, mayBeNobody } from '../record/nobody.ts'
import { joinedIds } from './joined-ids.ts'
import { type LargePerson, PersonMerges } from './person-merges.ts'
import { Spot, type Spotted } from './spot.ts'

/** A person of more ids than these is looked at: most often it is a device that many share, or an id of nobody. */
export const MANY_IDS = 100

/** So many ids of nobody are told apart: quoted or written with blanks, a few words make many. */
const MOST_NOBODY = 100
const MOST_LARGE = 5

/** What the events say of people. Numbers of ids are right to about two in a hundred; those of merges are exact. */
export interface PeopleSeen {
  readonly distinctIds: number
  /** Distinct ids, less those that join another. */
  readonly persons: number
  /** Identity events: those that name two ids. */
  readonly identityEvents: number
  readonly joins: number
  readonly anonymous: number
  readonly users: number
  /** Ids that were joined to another, and to which another was joined. */
  readonly bothSides: number
  /** The persons of the most ids. */
  readonly largest: readonly LargePerson[]
  /** How many persons have more than `MANY_IDS` ids. */
  readonly large: number
  /** Identity events whose joined id is another person's already: the service does not join it. */
  readonly taken: Spotted
  /** Identity events of an id that stands for nobody, or of none: the service joins nothing. */
  readonly ofNobody: Spotted
  /** Events of ids that stand for nobody, and these ids, commonest first. */
  readonly nobody: Spotted & { readonly ids: readonly string[] }
  /** Identity events that were not followed: there were too many ids. */
  readonly unfollowed: number
}

/** Reads event lines one by one, and counts people. */
export class PeopleCount {
  readonly #ids = new DistinctCount()
  readonly #all = new DistinctCount()
  readonly #merges: PersonMerges
  readonly #nobody = new Spot()
  readonly #nobodyIds = new Map<string, number>()
  readonly #taken = new Spot()
  readonly #ofNobody = new Spot()
  #identityEvents = 0
  #unfollowed = 0

  constructor(merges = new PersonMerges()) {
    this.#merges = merges
  }

  look(line: Buffer, head: Head): void {
    const { distinctIdStart, distinctIdEnd } = head
    this.#ids.addBytes(line, distinctIdStart + 1, distinctIdEnd - 1)
    if (mayBeNobody(line, distinctIdStart + 1, distinctIdEnd - 1)) this.#lookAtId(line, head)
  }

  /** Looks at an event of one of the names in `JOINED_ID`, after `look`. */
  lookAtIdentity(line: Buffer, head: Head, name: string): void {
    const named = joinedIds(line, head, name)
    if (named === undefined) return
    const { user, other } = named
    this.#identityEvents++
    if (typeof other !== 'string' || isNobody(other) || isNobody(user)) {
      this.#ofNobody.see(line, () => `${name} of ${JSON.stringify(other)} and ${JSON.stringify(user)}`)
      return
    }
    // As the bytes of an event line have it: of an id of other letters too, both must count as one.
    const json = Buffer.from(JSON.stringify(other))
    this.#all.addBytes(json, 1, json.length - 1)
    if (other === user) return
    const became = this.#merges.join(user, other, name === '$merge_dangerously')
    if (became === 'too many') this.#unfollowed++
    if (became === 'refused')
      this.#taken.see(line, () => `${name} of ${JSON.stringify(other)} and ${JSON.stringify(user)}`)
  }

  get total(): PeopleSeen {
    const { joined, users, both } = this.#merges.ids
    this.#all.addText(this.#ids.text)
    const ids = [...this.#nobodyIds].sort(([, a], [, b]) => b - a).map(([id]) => id)
    return {
      distinctIds: this.#ids.estimate,
      persons: Math.max(0, this.#all.estimate - this.#merges.joins),
      identityEvents: this.#identityEvents,
      joins: this.#merges.joins,
      anonymous: joined,
      users,
      bothSides: both,
      largest: this.#merges.largest(MOST_LARGE),
      large: this.#merges.largerThan(MANY_IDS),
      taken: this.#taken.total,
      ofNobody: this.#ofNobody.total,
      nobody: { ...this.#nobody.total, ids },
      unfollowed: this.#unfollowed,
    }
  }

  #lookAtId(line: Buffer, head: Head): void {
    const id = headId(line, head)
    if (!isNobody(id)) return
    this.#nobody.see(line, () => JSON.stringify(id))
    const known = this.#nobodyIds.get(id)
    if (known !== undefined || this.#nobodyIds.size < MOST_NOBODY) this.#nobodyIds.set(id, (known ?? 0) + 1)
  }
}
