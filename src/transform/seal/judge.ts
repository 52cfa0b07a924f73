import { uuidOffset } from '../../record/head.ts'
import { nthTwin, readUuidBytes, uuidText } from '../../record/uuid.ts'
import { openStore } from '../../store/open.ts'
import { readParts } from '../../store/read-parts.ts'
import { sum } from '../../text/lists.ts'
import type { EarlierPart } from '../after/earlier.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import { KEY_WORD, KINDS, lineContent, type Segment } from '../run/frame.ts'
import { Merge } from '../run/merge.ts'
import type { SegmentReader } from '../run/reader.ts'
import { SeenEvents, uuidRange } from './dedupe.ts'

/** A uuid, and a hash of nothing. */
const KEY_WORDS = 6

/** The uuids that earlier datasets have of one day. An event with one of them is theirs, whatever else it says. */
class KnownEvents {
  readonly events: number
  readonly #parts: readonly EarlierPart[]
  #uuids: SeenEvents | undefined

  constructor(parts: readonly EarlierPart[]) {
    this.#parts = parts
    this.events = sum(parts, ({ part }) => part.events)
  }

  /** Reads the uuids of one of `passes` ranges, in place of those before. Code `mismatch` for a part that was changed. */
  async read(pass: number, passes: number): Promise<void> {
    if (this.events === 0) return
    // Not the pool of the day: its table holds the day's own events.
    const uuids = new SeenEvents(Math.ceil(this.events / passes), new BufferPool())
    const key = new Uint32Array(KEY_WORDS)
    for (const { location, part } of this.#parts) {
      const each = (line: Buffer) => {
        readUuidBytes(line, uuidOffset(0), key)
        if (passes > 1 && uuidRange(key, 0, passes) !== pass) return
        uuids.countKey(key, 0)
      }
      await readParts(await openStore(location), [part], { each })
    }
    this.#uuids = uuids
  }

  /** True if the uuid, four words from `at` on, is one of those that were read. */
  has(words: Uint32Array, at: number): boolean {
    return this.#uuids?.hasUuid(words, at) ?? false
  }
}

/** Events whose uuids are held at once; a larger day is read in passes over ranges of uuids. */
const PASS_EVENTS = 2 ** 20

export interface JudgeOptions {
  readonly folder: string
  readonly known?: readonly EarlierPart[]
  /** For tests: the most events whose uuids are held at once. */
  readonly passEvents?: number
}

/** Verdicts over events that are not written. A true copy of the event that is kept, and one that has its id alone. */
export const DUPLICATE = -1
export const EARLIER = -2
export const UNLIKE = -3

/** Decides each line, in merge order: one of the above, 0 to write it, n > 0 for the nth twin of a record without an id. */
export type Judge = (line: SegmentReader) => number

const twinWords = new Uint32Array(KEY_WORDS)

/** The uuid of the nth twin of the record whose line the reader is at. */
export function twinUuid({ words, at }: SegmentReader, n: number): string {
  return nthTwin(uuidText(words, at + KEY_WORD), n)
}

/** The key of the nth twin of the record whose line the reader is at, up to the next call. */
function twinKey(line: SegmentReader, n: number): Uint32Array {
  twinWords.set(line.words.subarray(line.at + KEY_WORD, line.at + KEY_WORD + KEY_WORDS))
  readUuidBytes(Buffer.from(twinUuid(line, n), 'latin1'), 0, twinWords)
  return twinWords
}

/**
 * A judge of one day, from the index alone. A day of more events than `passEvents`, those of earlier datasets among them, is
 * judged beforehand, in passes over ranges of uuids.
 */
export async function judgeFor(
  segments: readonly Segment[],
  pool: BufferPool,
  options: JudgeOptions,
): Promise<Judge> {
  const limit = options.passEvents ?? PASS_EVENTS
  const known = new KnownEvents(options.known ?? [])
  const total = sum(segments, ({ events }) => events)
  const passes = Math.ceil((total + known.events) / limit)
  if (passes > 1)
    return judgedBeforehand(
      { known, passes, total },
      (see) => {
        const merge = new Merge(options.folder, segments, pool)
        let ordinal = 0
        for (let line = merge.next(); line; line = merge.next(), ordinal++) see(line, ordinal)
      },
      pool,
    )
  await known.read(0, 1)
  const seen = new SeenEvents(total, pool)
  return (line) => {
    const verdict = judgeOne(seen, line)
    if (verdict === 0) return known.has(line.words, line.at + KEY_WORD) ? EARLIER : 0
    return verdict < 0 ? verdict : judgeLast(seen, known, twinKey(line, verdict), 0) || verdict
  }
}

/** Judges a large day before it is written. `each` reads its lines, with their places in the order of the merge. */
async function judgedBeforehand(
  { known, passes, total }: { readonly known: KnownEvents; readonly passes: number; readonly total: number },
  each: (see: (line: SegmentReader, ordinal: number) => void) => void,
  pool: BufferPool,
): Promise<Judge> {
  const verdicts = new Int8Array(total)
  const twins = new Map<number, number>()
  // Ranges are about equal; where many events share a uuid they are not, and the table grows.
  const seen = new SeenEvents(Math.ceil(total / passes), pool)
  for (let pass = 0; pass < passes; pass++) {
    seen.clear()
    each((line, ordinal) => {
      if (uuidRange(line.words, line.at + KEY_WORD, passes) !== pass) return
      const verdict = judgeOne(seen, line)
      if (verdict > 0) twins.set(ordinal, verdict)
      else verdicts[ordinal] = verdict
    })
  }
  // The number of a twin decides its uuid, so what has a twin's uuid is found after.
  for (let pass = 0; pass < passes && (known.events > 0 || twins.size > 0); pass++) {
    await known.read(pass, passes)
    seen.clear()
    each((line, ordinal) => {
      if (verdicts[ordinal]! < 0) return
      const twin = twins.get(ordinal) ?? 0
      const [words, at] = twin > 0 ? [twinKey(line, twin), 0] : [line.words, line.at + KEY_WORD]
      if (uuidRange(words, at, passes) === pass) verdicts[ordinal] = judgeLast(seen, known, words, at)
    })
  }
  let ordinal = 0
  return () => {
    const at = ordinal++
    return verdicts[at] || (twins.get(at) ?? 0)
  }
}

/** What a record without an id is counted by: notes of other lines are odd. */
const ONCE = 2

function judgeOne(seen: SeenEvents, line: SegmentReader): number {
  const { words, at, kind } = line
  const isCounted = kind === KINDS.content
  const note = isCounted ? ONCE : lineContent(words, at)
  const first = seen.noteKey(words, at + KEY_WORD, note, isCounted ? ONCE : 0)
  if (first === 0) return 0
  if (!isCounted) return first === note || first % ONCE === 0 ? DUPLICATE : UNLIKE
  if (first % ONCE === 0) return first / ONCE
  // Another record came with the uuid, as in a dataset beside what it was made from: these are counted on their own.
  return seen.countKey(twinKey(line, 0), 0) || DUPLICATE
}

/** 0 for an event that is written, after `judgeOne` has judged its day: twins are held against all others. */
function judgeLast(seen: SeenEvents, known: KnownEvents, words: Uint32Array, at: number): number {
  if (seen.noteKey(words, at, ONCE) > 0) return DUPLICATE
  return known.has(words, at) ? EARLIER : 0
}
