import { gzipSync } from 'node:zlib'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { headUuid, type IdentitySpan, readIdentity, uuidOffset } from '../../record/head.ts'
import { plainText } from '../../record/text.ts'
import { dayText, formatInstant } from '../../record/time.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import type { ArrivalCell } from '../../store/arrival.ts'
import type { EventPart } from '../../store/manifest.ts'
import { partName } from '../../store/part-name.ts'
import type { Store } from '../../store/store.ts'
import { GZIP, KIB, MIB } from '../../units.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import { KINDS, type Segment } from '../run/frame.ts'
import { Merge } from '../run/merge.ts'
import type { SegmentReader } from '../run/reader.ts'
import { DayCells } from './cells.ts'
import { SeenEvents, uuidRange } from './dedupe.ts'

/** A part is closed when it holds this many bytes of events; the day goes on in the next. */
const PART_BYTES = 256 * MIB

/** Events whose uuids are held at once; a larger day is read in passes over ranges of uuids. */
const PASS_EVENTS = 2 ** 20

const CHUNK_BYTES = MIB

const identity: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }

/** What a day became. */
export interface SealedDay {
  readonly parts: readonly EventPart[]
  /** Events by name, of the names that are told apart. */
  readonly names: Record<string, number>
  /** Events of other names. */
  readonly others: number
  /** The day's lines of arrival.ndjson. */
  readonly arrival: readonly ArrivalCell[]
  readonly written: number
  readonly generated: number
  readonly duplicate: number
}

export interface SealOptions {
  /** Folder of the run files. */
  readonly folder: string
  readonly store: Store
  readonly gzip: boolean
  /** Memory to work in, which the caller keeps for the next day. */
  readonly pool?: BufferPool
  /** For tests: the most events whose uuids are held at once, and the bytes of events that close a part. */
  readonly passEvents?: number
  readonly partBytes?: number
}

/** Merges a day's segments into its parts: sorted, without duplicates, twins told apart. */
export async function sealDay(
  day: number,
  segments: readonly Segment[],
  options: SealOptions,
): Promise<SealedDay> {
  const sealer = new DaySealer(day, segments, options)
  const parts: EventPart[] = []
  for (;;) {
    const part = await sealer.putPart(parts.length)
    if (!part) break
    parts.push(part)
  }
  return {
    parts,
    names: sealer.cells.names,
    others: sealer.cells.others,
    arrival: sealer.cells.arrival(dayText(day)),
    written: sealer.written,
    generated: sealer.generated,
    duplicate: sealer.duplicate,
  }
}

class DaySealer {
  readonly cells = new DayCells()
  written = 0
  generated = 0
  duplicate = 0
  readonly #day: number
  readonly #options: SealOptions
  readonly #merge: Merge
  /** Filled again for every chunk: a store does not use one after it asks for the next. */
  readonly #out: ByteWriter
  readonly #judge: (frame: SegmentReader) => number
  #next: SegmentReader | undefined
  #twin = 0

  constructor(day: number, segments: readonly Segment[], options: SealOptions) {
    this.#day = day
    this.#options = options
    const pool = options.pool ?? new BufferPool()
    pool.out.length = 0
    pool.out.ensure(CHUNK_BYTES + 64 * KIB)
    this.#out = pool.out
    this.#judge = judgeFor(segments, pool, options)
    this.#merge = new Merge(options.folder, segments, pool)
    this.#advance()
  }

  /** Writes the next part; undefined when every event is written. */
  async putPart(index: number): Promise<EventPart | undefined> {
    if (!this.#next) return undefined
    const { gzip, store } = this.#options
    const file = partName({ span: dayText(this.#day), index, gzip })
    const tally: Tally = { events: 0, first: Number.NaN, last: Number.NaN }
    const { bytes, sha256 } = await store.put(file, this.#chunks(tally))
    const { events } = tally
    const [first, last] = [formatInstant(tally.first), formatInstant(tally.last)]
    return { file, day: dayText(this.#day), events, bytes, sha256, first, last }
  }

  async *#chunks(tally: Tally): AsyncGenerator<Buffer> {
    const limit = this.#options.partBytes ?? PART_BYTES
    let bytes = 0
    const out = this.#out
    while (this.#next && bytes < limit) {
      out.length = 0
      while (this.#next && out.length < Math.min(CHUNK_BYTES, limit)) {
        this.#write(this.#next, out)
        if (tally.events++ === 0) tally.first = this.#next.instant
        tally.last = this.#next.instant
        this.#advance()
      }
      bytes += out.length
      const chunk = out.bytes.subarray(0, out.length)
      // Each chunk is a gzip member; members in a row are one gzip file to every reader.
      yield this.#options.gzip ? gzipSync(chunk, GZIP) : chunk
    }
  }

  #advance(): void {
    for (;;) {
      const frame = this.#merge.next()
      this.#next = frame
      if (!frame) return
      this.#twin = this.#judge(frame)
      if (this.#twin >= 0) return
      if (frame.kind === KINDS.own) this.duplicate++
    }
  }

  #write(frame: SegmentReader, out: ByteWriter): void {
    const { bytes, start, end } = frame
    const at = out.length
    out.copy(bytes, start, end)
    out.byte(0x0a)
    if (this.#twin > 0) {
      const uuid = uuidV5(POSTHAUL_NAMESPACE, `${headUuid(bytes, start)}:${this.#twin}`)
      out.bytes.write(uuid, uuidOffset(at), 'latin1')
    }
    if (frame.kind === KINDS.own || frame.kind === KINDS.content) this.written++
    else this.generated++
    readIdentity(bytes, start, end, identity)
    this.cells.of(plainText(bytes, identity.eventStart, identity.eventEnd)).addLine(out.bytes, at)
  }
}

interface Tally {
  events: number
  first: number
  last: number
}

/**
 * Decides each frame, in merge order: -1 for a duplicate, 0 to write it, n > 0 for the nth twin of a record without
 * an id. A day of more events than `passEvents` is judged beforehand, in passes over ranges of uuids.
 */
function judgeFor(
  segments: readonly Segment[],
  pool: BufferPool,
  options: SealOptions,
): (frame: SegmentReader) => number {
  const limit = options.passEvents ?? PASS_EVENTS
  const total = segments.reduce((sum, segment) => sum + segment.events, 0)
  const passes = Math.ceil(total / limit)
  // Ranges are about equal; where many events share a uuid they are not, and the table grows.
  const seen = new SeenEvents(Math.ceil(total / passes), pool)
  if (passes <= 1) return (frame) => judge(seen, frame)

  const dropped = new Uint8Array(Math.ceil(total / 8))
  const twins = new Map<number, number>()
  for (let pass = 0; pass < passes; pass++) {
    seen.clear()
    const merge = new Merge(options.folder, segments, pool)
    let ordinal = 0
    for (let frame = merge.next(); frame; frame = merge.next(), ordinal++) {
      if (uuidRange(frame.bytes, uuidOffset(frame.start), passes) !== pass) continue
      const verdict = judge(seen, frame)
      if (verdict < 0) dropped[ordinal >> 3] = dropped[ordinal >> 3]! | (1 << (ordinal & 7))
      else if (verdict > 0) twins.set(ordinal, verdict)
    }
  }
  let ordinal = 0
  return () => {
    const at = ordinal++
    return (dropped[at >> 3]! >> (at & 7)) & 1 ? -1 : (twins.get(at) ?? 0)
  }
}

function judge(seen: SeenEvents, { bytes, start, end, kind }: SegmentReader): number {
  if (kind === KINDS.content) return seen.count(bytes, uuidOffset(start), start, start)
  if (!readIdentity(bytes, start, end, identity)) throw new Error('a run holds a line that is no event')
  return seen.count(bytes, uuidOffset(start), identity.eventStart, identity.distinctIdEnd) === 0 ? 0 : -1
}
