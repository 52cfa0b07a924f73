import { type Head, headId } from '../record/head.ts'
import { keyOf, keys } from '../record/keys.ts'
import { Scanner } from '../record/scan.ts'
import {
  hasDeepArrays,
  MOST_ID_BYTES,
  mayBeDeep,
  type StoredFate,
  storedFate,
} from '../record/stored-properties.ts'
import { KIND, Tape } from '../record/tape.ts'
import { sum } from '../text/lists.ts'
import type { Problem, PropertyPlace } from './finding.ts'
import { Spot, type Spotted } from './spot.ts'
import { hasMixedList, isOtherList } from './stored-form.ts'

/** The first events, which are all read. Of later ones each 64th is: all of them would take 40% of the time of a check. */
export const ALL_READ = 4000
const EACH = 64
/** The most pairs of event and property that are told apart for each kind. */
const MOST_PLACES = 1000

const PROPERTIES = keyOf('properties')
const UNSIGNED_GROUPS = keyOf('groups')
const HISTORY: ReadonlySet<string> = new Set(['$set', '$set_once', '$unset', '$group_set'])

const GROUPS = Buffer.from('$groups":')

/** Kinds that values tell, and those that names tell, whose properties are counted already. */
const BY_VALUE = [
  'unreadable_properties',
  'long_distinct_ids',
  'text_properties',
  'mixed_lists',
  'list_properties',
  'unsigned_groups',
] as const
const BY_NAME = ['dropped_properties', 'person_history', 'temporary_properties', 'flag_properties'] as const

/** What the storage of 30 November does to properties, that is to be known before they are sent. */
type StorageKind = (typeof BY_VALUE | typeof BY_NAME)[number]

/** In which events a property has the problem. `count`: of places. */
interface PlacesSeen extends Spotted {
  /** Commonest first. */
  readonly places: readonly PropertyPlace[]
}

export interface StorageFound {
  readonly kinds: Readonly<Partial<Record<StorageKind, PlacesSeen>>>
  /** True where not all events were read: what is told by names and kinds of value is an estimate then. */
  readonly isSampled: boolean
}

const BY_FATE: Readonly<Partial<Record<StoredFate, StorageKind>>> = {
  temporary: 'temporary_properties',
  dropped: 'dropped_properties',
  flag: 'flag_properties',
}

const NO_PLACES: PlacesSeen = { count: 0, example: undefined, places: [] }

/** What there is to know of all properties of a name. */
function kindOfName(name: string): StorageKind | undefined {
  const fate = storedFate(name)
  return HISTORY.has(name) ? 'person_history' : fate && BY_FATE[fate]
}

/** What is told by the values of a name. */
type Declared = 'text' | 'list' | 'objects'

function named(name: string): StorageKind | Declared | 'none' {
  return kindOfName(name) ?? (storedFate(name) as Declared | undefined) ?? 'none'
}

/** Reads event lines one by one, and counts what the service will keep in another form, or not. */
export class StorageSeen {
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #found = new Map<StorageKind, Places>()
  readonly #isWhole: boolean
  #lines = 0
  #line!: Buffer
  #head!: Head
  /** By key: the kind of its name, how it is declared, or `none`. */
  #kinds: Array<StorageKind | Declared | 'none' | undefined> = []
  #generation = -1

  /** `isWhole`: every event is read, since nobody counted the names of their properties. */
  constructor(isWhole = false) {
    this.#isWhole = isWhole
  }

  get total(): StorageFound {
    const kinds = [...this.#found].map(([kind, places]) => [kind, places.total])
    return { kinds: Object.fromEntries(kinds), isSampled: !this.#isWhole && this.#lines > ALL_READ }
  }

  look(line: Buffer, head: Head): void {
    const { distinctIdStart: start, distinctIdEnd: end } = head
    this.#line = line
    this.#head = head
    if (end - start > MOST_ID_BYTES + 2) {
      const bytes = Buffer.byteLength(headId(line, head))
      if (bytes > MOST_ID_BYTES) this.#see('long_distinct_ids', 'distinct_id', 1, () => `${bytes} bytes`)
    }
    const isAll = this.#isWhole || this.#lines < ALL_READ
    const weight = isAll ? 1 : this.#lines % EACH === 0 ? EACH : 0
    this.#lines++
    const isDeep = mayBeDeep(line, end, line.length)
    if (weight > 0 || isDeep) this.#read(line, weight, isDeep)
  }

  /** `weight`: how many events it stands for where names are counted; 0 if they are not. */
  #read(line: Buffer, weight: number, isDeep: boolean): void {
    const tape = this.#tape
    if (!this.#scanner.scan(line, 0, line.length)) {
      // Nested deeper than the scanner goes: nobody can read such an event. Other lines that are no JSON are import's.
      if (this.#scanner.failure.reason === 'too_deep') this.#see('unreadable_properties', 'properties')
      return
    }
    if (this.#generation !== keys.generation) {
      this.#kinds = []
      this.#generation = keys.generation
    }
    let at = 0
    while (at < tape.count && tape.key(at) !== PROPERTIES) at = tape.next(at)
    const end = at < tape.count ? tape.next(at) : 0
    for (let i = at + 1; i < end; i = tape.next(i)) {
      const kind = tape.kind(i)
      if (weight > 0) this.#lookAtName(i, weight)
      if (isDeep && kind >= KIND.object && kind <= KIND.array)
        if (hasDeepArrays(line, tape.start(i), tape.end(i)))
          this.#see('unreadable_properties', keys.text(tape.key(i)))
      if (weight > 0 && kind >= KIND.object && kind <= KIND.array && mixes(line, tape.start(i), tape.end(i)))
        this.#see('mixed_lists', keys.text(tape.key(i)), weight)
    }
  }

  #lookAtName(member: number, weight: number): void {
    const key = this.#tape.key(member)
    if (key === UNSIGNED_GROUPS && this.#namesGroups(member)) this.#see('unsigned_groups', 'groups', weight)
    const as = this.#kinds[key] ?? named(keys.text(key))
    this.#kinds[key] = as
    if (as === 'none') return
    const name = keys.text(key)
    const tape = this.#tape
    const kind = tape.kind(member)
    const json = () => this.#line.toString('utf8', tape.start(member), tape.end(member))
    if (as === 'list' || as === 'objects') {
      if (isOtherList(name, JSON.parse(json()))) this.#see('list_properties', name, weight)
    } else if (as !== 'text') this.#see(as, name, weight)
    else if (kind === KIND.number || kind === KIND.true || kind === KIND.false)
      this.#see('text_properties', name, weight, json)
  }

  /** True if a member is an object that is most likely meant as the groups of its event, which names no others. */
  #namesGroups(member: number): boolean {
    const [line, tape] = [this.#line, this.#tape]
    if (tape.kind(member) !== KIND.object) return false
    const groups = line.toString('utf8', tape.start(member), tape.end(member))
    const keys = Object.values(JSON.parse(groups) as object)
    return keys.length > 0 && keys.every((key) => typeof key === 'string') && !line.includes(GROUPS)
  }

  #see(kind: StorageKind, property: string, weight = 1, detail = () => ''): void {
    const places = this.#found.get(kind) ?? new Places()
    this.#found.set(kind, places)
    places.see(this.#line, this.#head, property, weight, detail)
  }
}

/** True if a value's JSON has a list of true or false with numbers or texts. */
function mixes(line: Buffer, start: number, end: number): boolean {
  const text = line.toString('utf8', start, end)
  return /\[.*(?:true|false)/s.test(text) && hasMixedList(JSON.parse(text))
}

/** Counts pairs of event and property, and remembers the first event. */
class Places {
  readonly #spot = new Spot()
  readonly #byPlace = new Map<string, { event: string; property: string; count: number }>()

  get total(): PlacesSeen {
    const places = [...this.#byPlace.values()].sort((a, b) => b.count - a.count)
    return { ...this.#spot.total, places }
  }

  see(line: Buffer, head: Head, property: string, weight: number, detail: () => string): void {
    const json = line.toString('utf8', head.eventStart, head.eventEnd)
    const id = json + property
    this.#spot.see(line, () => `event ${json}, ${property} ${detail()}`.trimEnd(), weight)
    const place = this.#byPlace.get(id)
    if (place !== undefined) place.count += weight
    else if (this.#byPlace.size < MOST_PLACES)
      this.#byPlace.set(id, { event: JSON.parse(json) as string, property, count: weight })
  }
}

export type StorageProblem = Problem<StorageKind | 'exposures'>

/**
 * What the service will keep in another form than it is sent, or not at all. `exposures`: events that it keeps apart;
 * `properties`: events by property, where somebody has counted them. Pure.
 */
export function ofStorage(
  { kinds }: StorageFound,
  exposures: number,
  properties: Readonly<Record<string, number>>,
): StorageProblem[] {
  const found = [
    ...BY_VALUE.map((kind) => foundOf(kind, kinds[kind] ?? NO_PLACES, {})),
    ...BY_NAME.map((kind) => foundOf(kind, kinds[kind] ?? NO_PLACES, countedAs(kind, properties))),
    { code: 'exposures' as const, count: exposures },
  ]
  return found.filter(({ count }) => count > 0)
}

/** `counted`: events by property, where somebody has counted all; what was seen is known better then. */
function foundOf(
  kind: StorageKind,
  { places, example }: PlacesSeen,
  counted: Readonly<Record<string, number>>,
): StorageProblem {
  const byName = new Map(Object.entries(counted))
  for (const { property, count } of places)
    if (!Object.hasOwn(counted, property)) byName.set(property, (byName.get(property) ?? 0) + count)
  const ranked = [...byName].sort(([, a], [, b]) => b - a)
  return {
    code: kind,
    count: sum(ranked, ([, count]) => count),
    names: ranked.map(([name]) => name),
    example,
    places,
  }
}

function countedAs(kind: StorageKind, properties: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => kindOfName(name) === kind))
}
