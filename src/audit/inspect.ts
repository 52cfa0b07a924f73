import type { InputSource } from '../delivery/event-source.ts'
import { START } from '../delivery/place.ts'
import { PosthaulError } from '../errors.ts'
import { type Head, readHead } from '../record/head.ts'
import { LineFramer, type LineSink } from '../record/lines.ts'
import { BatchCount, type Batching } from './batch-count.ts'
import { type GroupSeen, GroupsSeen } from './groups-seen.ts'
import { hasOddSession } from './session-times.ts'

/** What is found out only by reading every event. */
export interface Inspection {
  /** Events at or after `youngFrom`. */
  readonly young: number
  /** The group types, in the order of their first event. */
  readonly groups: ReadonlyMap<string, GroupSeen>
  /** Group events whose key is longer than the service's limit: the service drops them. */
  readonly longGroupKeys: number
  /** Requests that an import makes of the events, if the service refuses none. */
  readonly batches: number
  /** How often an event has an earlier day than the event before it. */
  readonly daysBack: number
  /** Lines of a dataset that are no event lines: import rejects them. */
  readonly unreadable: number
  /** Events whose session web analytics will not take. */
  readonly oddSessions: number
}

/** From which instants on (microseconds) events count as young, and the project shows each of its group types. */
export interface InspectFrom {
  readonly young: number
  readonly types: ReadonlyMap<string, number>
  readonly batching: Batching
}

/** Reads event lines one by one, and counts what no manifest holds. */
export class Inspector {
  #young = 0
  #oddSessions = 0
  readonly #groups: GroupsSeen
  readonly #youngFrom: number
  readonly #batches: BatchCount
  #unreadable = 0

  constructor({ young, types, batching }: InspectFrom) {
    this.#youngFrom = young
    this.#batches = new BatchCount(batching)
    this.#groups = new GroupsSeen(types)
  }

  /** What was found. No line can be looked at after that. */
  total(): Inspection {
    const { types, longKeys } = this.#groups
    return {
      young: this.#young,
      groups: types,
      longGroupKeys: longKeys,
      batches: this.#batches.total(),
      daysBack: this.#batches.daysBack,
      unreadable: this.#unreadable,
      oddSessions: this.#oddSessions,
    }
  }

  /** Counts a line that is no event line. */
  skip(): void {
    this.#unreadable++
  }

  look(line: Buffer, head: Head): void {
    if (head.instant >= this.#youngFrom) this.#young++
    if (hasOddSession(line, head.instant)) this.#oddSessions++
    this.#groups.look(line, head)
    this.#batches.add(line, head)
  }
}

/** Reads a dataset once, which also checks that its parts are whole. */
export async function inspect(
  source: InputSource,
  from: InspectFrom,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Inspection> {
  const inspector = new Inspector(from)
  const sink = {
    line(bytes: Buffer, start: number, end: number) {
      const line = bytes.subarray(start, end)
      const head = readHead(line, 0, line.length)
      if (head) inspector.look(line, head)
      else inspector.skip()
    },
    tooLong() {
      inspector.skip()
    },
  }
  for await (const { chunks } of source.pieces(START)) {
    await readLines(chunks, sink, interrupted, progress)
  }
  return inspector.total()
}

/** Splits a piece of the input into lines. `between` is awaited after each chunk. Throws `interrupted`. */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  sink: LineSink,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
  between?: () => Promise<void>,
): Promise<void> {
  const framer = new LineFramer(sink)
  for await (const chunk of chunks) {
    framer.push(chunk)
    progress(chunk.length)
    if (interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
    await between?.()
  }
  framer.end()
  await between?.()
}
