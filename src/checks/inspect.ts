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
}

/** Reads event lines one by one, and counts what no manifest holds. */
export function inspector({ young: youngFrom, types, readsAll, requests }: InspectFrom) {
  const [young, unreadable] = [new Spot(), new Spot()]
  const people = new PeopleCount()
  const groups = new GroupsSeen(types)
  const storage = new StorageSeen(readsAll)
  const uuids = new UuidsSeen()
  const turns = new RequestTurns(requests.lanes, requests.limits)
  const named = new Map<string, string>()
  let [dayBefore, daysBack] = [Number.NEGATIVE_INFINITY, 0]
  const lookAtSigned = (line: Buffer, head: Head) => {
    const name = plainText(line, head.eventStart + 1, head.eventEnd - 1)
    const isIdentity = JOINED_ID.has(name)
    if (!isIdentity && name !== '$performance_event') return
    if (!named.has(name)) named.set(name, headUuid(line, 0))
    if (isIdentity && joinsIds(line, head, name)) people.identityEvents++
  }
  return {
    /** Counts a line that is no event line. `where` says which. */
    skip: (where: string) => unreadable.seeText(where),
    look(line: Buffer, head: Head, place: LinePlace): void {
      uuids.look(line, head, place)
      if (head.instant >= youngFrom) young.see(line)
      people.look(line, head)
      if (line[head.eventStart + 1] === SIGN) lookAtSigned(line, head)
      groups.look(line, head)
      const day = dayOf(head.instant)
      if (day < dayBefore) daysBack++
      turns.event(laneOf(line, head.distinctIdStart, head.distinctIdEnd, requests.lanes), day, line.length)
      dayBefore = day
      storage.look(line, head)
    },
    /** What was found. No line can be looked at after that. */
    total: () => ({
      /** Events at or after `youngFrom`. */
      young: young.total,
      /** In microseconds. */
      youngFrom,
      /** The group types, in the order of their first event. */
      groups: groups.types,
      /** Group events whose key is longer than the service's limit: the service drops them. */
      longGroupKeys: groups.longKeys.total,
      /** How often an event has an earlier day than the event before it. */
      daysBack,
      /** Requests of an import that follow one another. */
      turns: turns.total,
      /** Lines of a dataset that are no event lines: import rejects them. */
      unreadable: unreadable.total,
      people: people.total,
      /** What the service will keep in another form, or not. */
      storage: storage.total,
      uuids: uuids.total,
      /** The uuid of an event of each name that is told with one. */
      named,
    }),
  }
}

/** What is found out only by reading every event. */
export type Inspection = Readonly<ReturnType<ReturnType<typeof inspector>['total']>>

/** Reads a dataset, which also checks that its parts are whole. */
export async function inspect(
  source: InputSource,
  from: InspectFrom,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Inspection> {
  const found = inspector(from)
  const place: LinePlace = { file: undefined, line: 0 }
  const at = (number: number) => `line ${number}${place.file === undefined ? '' : ` of ${place.file}`}`
  const sink: LineSink = {
    line(...[bytes, start, end, , number]: Parameters<LineSink['line']>) {
      const line = bytes.subarray(start, end)
      const head = readHead(line, 0, line.length)
      place.line = number
      if (head) found.look(line, head, place)
      else found.skip(at(number))
    },
    tooLong: (_offset, _length, number) => found.skip(at(number)),
  }
  for await (const { chunks, file } of source.pieces(START)) {
    place.file = file
    await readLines(chunks, sink, { interrupted, progress })
  }
  return found.total()
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
