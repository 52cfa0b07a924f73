import type { Head } from '../record/head.ts'
import { MOST_NAMES } from '../record/notes.ts'
import { GROUP_EVENT, MAX_GROUP_KEY } from '../record/rules.ts'
import type { GroupType } from '../service/groups.ts'
import { objectOrEmpty, parsedOrNone } from '../text/json.ts'
import { Spot } from './spot.ts'

/** The service creates no more group types than this in a project. */
export const MAX_GROUP_TYPES = 5

/** Events of a group type that are to be imported: how many show a group of it, and the oldest that names one. */
export interface TypeToSend {
  readonly events: number
  /** Microseconds; infinite if no event can make the type first, since none has a usable key. */
  readonly oldest: number
}

/** A type that the project has, but that begins after some of the events to be imported. */
export interface YoungerType {
  readonly type: string
  readonly since: number
  readonly oldest: number
  /** So many events would not show their group. `atMost`: perhaps fewer. */
  readonly hidden: number
  readonly atMost: boolean
}

export interface TypesFit {
  /** All types, the project's first, if there is no room for all; else none. */
  readonly tooMany: readonly string[]
  readonly younger: readonly YoungerType[]
  /** Types that the project does not have yet, the one with the oldest event first. */
  readonly missing: readonly (TypeToSend & { readonly type: string })[]
}

/** Holds the group types of events against those of the project. Pure. */
export function fitOf(
  sent: ReadonlyMap<string, TypeToSend>,
  project: readonly Pick<GroupType, 'name' | 'since'>[],
  hidden?: ReadonlyMap<string, number>,
): TypesFit {
  const there = new Map(project.map(({ name, since }) => [name, since]))
  const absent = [...sent]
    .filter(([type]) => !there.has(type))
    .map(([type, events]) => ({ type, ...events }))
    .sort((a, b) => (a.oldest === b.oldest ? (a.type < b.type ? -1 : 1) : a.oldest - b.oldest))
  const younger: YoungerType[] = []
  for (const [type, { events, oldest }] of sent) {
    const since = there.get(type)
    if (since === undefined || since === null || oldest >= since) continue
    const count = hidden?.get(type)
    const found = { type, since, oldest, hidden: count ?? events, atMost: count === undefined }
    if (found.hidden > 0) younger.push(found)
  }
  const all = [...there.keys(), ...absent.map(({ type }) => type)]
  const tooMany = absent.length > 0 && all.length > MAX_GROUP_TYPES ? all : []
  // The service takes no notice of a group event without a type or a key.
  const missing = absent.filter(({ type, oldest }) => type !== '' && Number.isFinite(oldest))
  return { tooMany, younger, missing }
}

/** The group types that events name, and how they fit those of the project. */
export interface GroupsAsked {
  readonly named: readonly string[]
  readonly fit?: TypesFit | undefined
  /** No personal key is set, so nobody asked. */
  readonly unasked?: boolean
}

/** What the events say of a group type. Those without person processing are left out: the service takes no notice. */
export interface GroupTypeInEvents {
  /** Events that name it, in their groups or as a group event. */
  named: number
  shown: number
  /** Those of them that are older than the type in the project, which hides it. */
  hidden: number
  /** The time (microseconds) of the oldest event that names a group of it, and the group's key; infinite and empty if no
   * key of it can be a group's. */
  oldest: number
  key: string
}

/** Without its first quote: a line has many quotes, and a search that begins with one takes twice the time. */
const GROUPS = Buffer.from('$groups":')
const GROUP_EVENT_JSON = Buffer.from(JSON.stringify(GROUP_EVENT))
const BEFORE_PROPERTIES = ',"properties":'.length

/** Reads event lines one by one, and counts the groups that they name. */
export class GroupsSeen {
  /** In the order of their first event, the first 10,000 of them. */
  readonly types = new Map<string, GroupTypeInEvents>()
  /** Group events whose key is longer than the service's limit: the service drops them. */
  readonly longKeys = new Spot()
  readonly #since: ReadonlyMap<string, number>

  /** `since`: from which instant on the project shows each type that it has (microseconds). */
  constructor(since: ReadonlyMap<string, number> = new Map()) {
    this.#since = since
  }

  look(line: Buffer, { instant, eventStart, eventEnd, distinctIdEnd }: Head): void {
    const isGroupEvent =
      line.compare(GROUP_EVENT_JSON, 0, GROUP_EVENT_JSON.length, eventStart, eventEnd) === 0
    if (!isGroupEvent && !line.includes(GROUPS, distinctIdEnd)) return
    const json = line.toString('utf8', distinctIdEnd + BEFORE_PROPERTIES, line.length - 1)
    // A line that somebody made by hand may hold no object: the service judges it.
    const properties = objectOrEmpty(parsedOrNone(json))
    if (properties.$process_person_profile === false) return
    const { $groups: groups, $group_type: type } = properties
    // The service takes the entries of whatever it is: those of a list are called 0, 1 and so on.
    const named = Object.entries(groups ?? {})
    for (const [name, key] of named) this.#see(name, key, instant, 'shown')
    if (!isGroupEvent || typeof type !== 'string') return
    const key = properties.$group_key
    if (typeof key === 'string' && [...key].length > MAX_GROUP_KEY) this.longKeys.see(line, () => type)
    const again = named.some(([name]) => name === type)
    this.#see(type, key, instant, again ? 'named again' : 'named')
  }

  #see(type: string, key: unknown, instant: number, as: 'shown' | 'named' | 'named again'): void {
    let seen = this.types.get(type)
    if (!seen) {
      // A project has room for five: what the ten thousandth is called says nothing more.
      if (this.types.size >= MOST_NAMES) return
      seen = { named: 0, shown: 0, hidden: 0, oldest: Number.POSITIVE_INFINITY, key: '' }
      this.types.set(type, seen)
    }
    if (as !== 'named again') seen.named++
    const text = textOf(key)
    if (as === 'shown' && text !== '') {
      seen.shown++
      if (instant < (this.#since.get(type) ?? Number.NEGATIVE_INFINITY)) seen.hidden++
    }
    if (instant >= seen.oldest || text === '' || text.length > MAX_GROUP_KEY) return
    seen.oldest = instant
    seen.key = text
  }
}

export function sentOf(types: ReadonlyMap<string, GroupTypeInEvents>): Map<string, TypeToSend> {
  return new Map([...types].map(([type, { shown, oldest }]) => [type, { events: shown, oldest }]))
}

export function hiddenIn(types: ReadonlyMap<string, GroupTypeInEvents>): Map<string, number> {
  return new Map([...types].map(([type, { hidden }]) => [type, hidden]))
}

/** What the type's column holds: text as it is, of anything else its JSON. Empty: the event shows no group. */
function textOf(key: unknown): string {
  if (key === undefined || key === null) return ''
  return typeof key === 'string' ? key : JSON.stringify(key)
}
