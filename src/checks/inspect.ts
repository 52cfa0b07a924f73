import type { BatchLimits } from '../delivery/batcher.ts'
import { laneOf } from '../delivery/distinct-id.ts'
import type { InputSource } from '../delivery/intake.ts'
import { START } from '../delivery/place.ts'
import { RequestTurns } from '../delivery/request-turns.ts'
import { assertGoing } from '../errors.ts'
import { DistinctCount } from '../record/distinct-count.ts'
import { type Head, headId, headUuid, readHead } from '../record/head.ts'
import { LineFramer, type LineSink } from '../record/lines.ts'
import { isNobody, mayBeNobody } from '../record/nobody.ts'
import { plainText } from '../record/text.ts'
import { dayOf } from '../record/time.ts'
import { JOINED_ID, joinsIds } from './event-in.ts'
import { GroupsSeen } from './groups-seen.ts'
import { Spot } from './spot.ts'
import { StorageSeen } from './storage-seen.ts'
import { type LinePlace, UuidsSeen } from './uuids-seen.ts'

const SIGN = 0x24

/** From which instants on (microseconds) events count as young, and the project shows each of its group types. */
export interface InspectFrom {
  readonly young: number
  readonly types: ReadonlyMap<string, number>
  /** Counts the requests of an import in so many lanes. */
  readonly requests: { readonly lanes: number; readonly limits: BatchLimits }
  /** True where nobody counted all names of properties: each event is read for them. */
  readonly readsAll?: boolean
  /** True where some property holds a number without an exact double: each event is read for integers beyond 64 bits. */
  readonly holdsBig?: boolean
}

/** Reads event lines one by one, and counts what no manifest holds. */
export class Inspector {
  readonly #young = new Spot()
  readonly #unreadable = new Spot()
  readonly #people = new PeopleCount()
  readonly #groups: GroupsSeen
  readonly #storage: StorageSeen
  readonly #uuids = new UuidsSeen()
  readonly #holdsBig: boolean
  readonly #lanes: number
  readonly #turns: RequestTurns
  readonly #youngFrom: number
  #day = Number.NEGATIVE_INFINITY
  #daysBack = 0
  readonly #named = new Map<string, string>()

  constructor({ young, types, readsAll, holdsBig = false, requests }: InspectFrom) {
    this.#lanes = requests.lanes
    this.#turns = new RequestTurns(requests.lanes, requests.limits)
    this.#storage = new StorageSeen(readsAll)
    this.#holdsBig = holdsBig
    this.#youngFrom = young
    this.#groups = new GroupsSeen(types)
  }

  /** What was found. No line can be looked at after that. */
  total() {
    const { types, longKeys } = this.#groups
    return {
      /** Events at or after `youngFrom`. */
      young: this.#young.total,
      /** In microseconds. */
      youngFrom: this.#youngFrom,
      /** The group types, in the order of their first event. */
      groups: types,
      /** Group events whose key is longer than the service's limit: the service drops them. */
      longGroupKeys: longKeys.total,
      /** How often an event has an earlier day than the event before it. */
      daysBack: this.#daysBack,
      /** Requests of an import that follow one another. */
      turns: this.#turns.total,
      /** Lines of a dataset that are no event lines: import rejects them. */
      unreadable: this.#unreadable.total,
      people: this.#people.total,
      /** What the service will keep in another form, or not. */
      storage: this.#storage.total,
      uuids: this.#uuids.total,
      /** The uuid of an event of each name that is told with one. */
      named: this.#named,
    }
  }

  /** Counts a line that is no event line. `where` says which. */
  skip(where: string): void {
    this.#unreadable.seeText(where)
  }

  /** `holdsBig`: as in `InspectFrom`, of this line. */
  look(line: Buffer, head: Head, place: LinePlace, holdsBig = this.#holdsBig): void {
    this.#uuids.look(line, head, place)
    if (head.instant >= this.#youngFrom) this.#young.see(line)
    this.#people.look(line, head)
    if (line[head.eventStart + 1] === SIGN) this.#lookAtSigned(line, head)
    this.#groups.look(line, head)
    const day = dayOf(head.instant)
    if (day < this.#day) this.#daysBack++
    const lane = laneOf(line, head.distinctIdStart, head.distinctIdEnd, this.#lanes)
    this.#turns.event(lane, day, line.length)
    this.#day = day
    this.#storage.look(line, head, holdsBig)
  }

  #lookAtSigned(line: Buffer, head: Head): void {
    const name = plainText(line, head.eventStart + 1, head.eventEnd - 1)
    const isIdentity = JOINED_ID.has(name)
    if (!isIdentity && name !== '$performance_event') return
    if (!this.#named.has(name)) this.#named.set(name, headUuid(line, 0))
    if (isIdentity && joinsIds(line, head, name)) this.#people.identityEvents++
  }
}

/** What is found out only by reading every event. */
export type Inspection = Readonly<ReturnType<Inspector['total']>>

/** Reads a dataset, which also checks that its parts are whole. */
export async function inspect(
  source: InputSource,
  from: InspectFrom,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Inspection> {
  const inspector = new Inspector(from)
  const place: LinePlace = { file: undefined, line: 0 }
  const at = (number: number) => `line ${number}${place.file === undefined ? '' : ` of ${place.file}`}`
  const sink: LineSink = {
    line(...[bytes, start, end, , number]: Parameters<LineSink['line']>) {
      const line = bytes.subarray(start, end)
      const head = readHead(line, 0, line.length)
      place.line = number
      if (head) inspector.look(line, head, place)
      else inspector.skip(at(number))
    },
    tooLong: (_offset, _length, number) => inspector.skip(at(number)),
  }
  for await (const { chunks, file } of source.pieces(START)) {
    place.file = file
    await readLines(chunks, sink, { interrupted, progress })
  }
  return inspector.total()
}

interface ChunkReader {
  readonly interrupted: AbortSignal
  /** Told the bytes of each chunk. */
  progress(bytes: number): void
  readonly between?: (() => Promise<void>) | undefined
}

/** Splits a piece of the input into lines. Throws `interrupted`. */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  sink: LineSink,
  { interrupted, progress, between }: ChunkReader,
): Promise<void> {
  const framer = new LineFramer(sink)
  for await (const chunk of chunks) {
    framer.push(chunk)
    progress(chunk.length)
    assertGoing(interrupted)
    await between?.()
  }
  framer.end()
  await between?.()
}

/** So many ids of nobody are told apart: quoted or written with blanks, a few words make many. */
const MOST_NOBODY = 100

/** Reads event lines one by one, and counts people. */
export class PeopleCount {
  readonly #ids = new DistinctCount()
  readonly #nobody = new Spot()
  readonly #nobodyIds = new Map<string, number>()
  identityEvents = 0

  look(line: Buffer, head: Head): void {
    const { distinctIdStart, distinctIdEnd } = head
    this.#ids.addBytes(line, distinctIdStart + 1, distinctIdEnd - 1)
    if (mayBeNobody(line, distinctIdStart + 1, distinctIdEnd - 1)) this.#lookAtId(line, head)
  }

  get total() {
    const ids = [...this.#nobodyIds].sort(([, a], [, b]) => b - a).map(([id]) => id)
    return {
      /** Right to about two in a hundred. */
      distinctIds: this.#ids.estimate,
      /** Events that name two ids, as those that make them one person do. */
      identityEvents: this.identityEvents,
      /** Events of ids that stand for nobody, and these ids, commonest first. */
      nobody: { ...this.#nobody.total, ids },
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
