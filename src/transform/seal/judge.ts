import { headUuid, type IdentitySpan, readIdentity, uuidOffset } from '../../record/head.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import type { EarlierPart } from '../after/earlier.ts'
import { KnownEvents } from '../after/known-events.ts'
import type { BufferPool } from '../run/buffer-pool.ts'
import { KINDS, type Segment } from '../run/frame.ts'
import { Merge } from '../run/merge.ts'
import type { SegmentReader } from '../run/reader.ts'
import { SeenEvents, uuidRange } from './dedupe.ts'

/** Events whose uuids are held at once; a larger day is read in passes over ranges of uuids. */
const PASS_EVENTS = 2 ** 20

export interface JudgeOptions {
  /** Folder of the run files. */
  readonly folder: string
  /** What earlier datasets have of the day. */
  readonly known?: readonly EarlierPart[]
  /** For tests: the most events whose uuids are held at once. */
  readonly passEvents?: number
}

/** Verdicts over events that are not written. */
export const DUPLICATE = -1
export const EARLIER = -2

/** Decides each frame, in merge order: one of the above, 0 to write it, n > 0 for the nth twin of a record without an id. */
export type Judge = (frame: SegmentReader) => number

const identity: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }

/** The uuid of the nth twin of the record whose line begins at `start`. */
export function twinUuid(bytes: Buffer, start: number, n: number): string {
  return uuidV5(POSTHAUL_NAMESPACE, `${headUuid(bytes, start)}:${n}`)
}

/**
 * A judge of one day. A day of more events than `passEvents`, those of earlier datasets among them, is judged beforehand, in
 * passes over ranges of uuids.
 */
export async function judgeFor(
  segments: readonly Segment[],
  pool: BufferPool,
  options: JudgeOptions,
): Promise<Judge> {
  const limit = options.passEvents ?? PASS_EVENTS
  const known = new KnownEvents(options.known ?? [])
  const total = segments.reduce((sum, segment) => sum + segment.events, 0)
  const passes = Math.ceil((total + known.events) / limit)
  if (passes > 1) return new Beforehand(segments, total, passes, pool, options).judge(known)
  await known.read(0, 1)
  const seen = new SeenEvents(total, pool)
  return (frame) => {
    const verdict = judgeOne(seen, frame)
    return verdict !== DUPLICATE && isKnown(known, frame, verdict) ? EARLIER : verdict
  }
}

/** Judges a large day before it is written. */
class Beforehand {
  readonly #segments: readonly Segment[]
  readonly #passes: number
  readonly #pool: BufferPool
  readonly #folder: string
  readonly #dropped: Uint8Array
  readonly #earlier: Uint8Array
  readonly #twins = new Map<number, number>()
  readonly #total: number

  constructor(
    segments: readonly Segment[],
    total: number,
    passes: number,
    pool: BufferPool,
    { folder }: JudgeOptions,
  ) {
    this.#segments = segments
    this.#total = total
    this.#passes = passes
    this.#pool = pool
    this.#folder = folder
    this.#dropped = new Uint8Array(Math.ceil(total / 8))
    this.#earlier = new Uint8Array(Math.ceil(total / 8))
  }

  async judge(known: KnownEvents): Promise<Judge> {
    this.#findDuplicates()
    // The number of a twin decides its uuid, so this comes after.
    for (let pass = 0; pass < this.#passes && known.events > 0; pass++) {
      await known.read(pass, this.#passes)
      this.#each((frame, ordinal) => {
        if (!isIn(this.#dropped, ordinal) && isKnown(known, frame, this.#twins.get(ordinal) ?? 0))
          add(this.#earlier, ordinal)
      })
    }
    let ordinal = 0
    return () => {
      const at = ordinal++
      if (isIn(this.#dropped, at)) return DUPLICATE
      return isIn(this.#earlier, at) ? EARLIER : (this.#twins.get(at) ?? 0)
    }
  }

  #findDuplicates(): void {
    const passes = this.#passes
    // Ranges are about equal; where many events share a uuid they are not, and the table grows.
    const seen = new SeenEvents(Math.ceil(this.#total / passes), this.#pool)
    for (let pass = 0; pass < passes; pass++) {
      seen.clear()
      this.#each((frame, ordinal) => {
        if (uuidRange(frame.bytes, uuidOffset(frame.start), passes) !== pass) return
        const verdict = judgeOne(seen, frame)
        if (verdict === DUPLICATE) add(this.#dropped, ordinal)
        else if (verdict > 0) this.#twins.set(ordinal, verdict)
      })
    }
  }

  #each(see: (frame: SegmentReader, ordinal: number) => void): void {
    const merge = new Merge(this.#folder, this.#segments, this.#pool)
    let ordinal = 0
    for (let frame = merge.next(); frame; frame = merge.next(), ordinal++) see(frame, ordinal)
  }
}

function judgeOne(seen: SeenEvents, { bytes, start, end, kind }: SegmentReader): number {
  if (kind === KINDS.content) return seen.count(bytes, uuidOffset(start), start, start)
  if (!readIdentity(bytes, start, end, identity)) throw new Error('a run holds a line that is no event')
  return seen.count(bytes, uuidOffset(start), identity.eventStart, identity.distinctIdEnd) === 0
    ? 0
    : DUPLICATE
}

/** True if an earlier dataset has the event, as this twin of its record. */
function isKnown(known: KnownEvents, { bytes, start }: SegmentReader, twin: number): boolean {
  if (known.events === 0) return false
  if (twin === 0) return known.has(bytes, uuidOffset(start))
  return known.has(Buffer.from(twinUuid(bytes, start, twin), 'latin1'), 0)
}

function isIn(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3]! >> (at & 7)) & 1) === 1
}

function add(bits: Uint8Array, at: number): void {
  bits[at >> 3]! |= 1 << (at & 7)
}
