import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { type IdentitySpan, readIdentity, uuidOffset } from '../../record/head.ts'
import { InventorySum } from '../../record/inventory.ts'
import { NameTable } from '../../record/notes.ts'
import { plainText } from '../../record/text.ts'
import { dayText, formatInstant, parseTime } from '../../record/time.ts'
import { readUuidBytes } from '../../record/uuid.ts'
import type { EventPart } from '../../store/manifest.ts'
import { partName } from '../../store/name.ts'
import type { Store } from '../../store/store.ts'
import { GZIP, KIB, MIB } from '../../text/units.ts'
import { addGroupTypes, type GroupCounts, type GroupedEvent } from '../groups-of-events.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import { KEY_WORD, KINDS, NAME_WORD, PERSON_WORD, type Segment } from '../run/frame.ts'
import { LineCopy, Merge } from '../run/merge.ts'
import type { SegmentReader } from '../run/reader.ts'
import { damaged, isIntact } from '../work-file.ts'
import { DayCells, type HashedName, NameCache } from './cells.ts'
import { EARLIER, type Judge, type JudgeOptions, judgeFor, twinUuid, UNLIKE } from './judge.ts'

/** A part is closed when it holds this many bytes of events; the day goes on in the next. */
const PART_BYTES = 256 * MIB

const CHUNK_BYTES = MIB
/** What a line holds that names groups: `$groups`, `$group_type` or `$groupidentify`. */
const GROUP = Buffer.from('$group')

/** Names of duplicates that are told apart. */
const MOST_NAMED = 1000

const identity: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }
const twin = new Uint32Array(4)
/** For all days: names are the same in each. */
const names = new NameCache()

export type SealedDay = Readonly<Awaited<ReturnType<typeof sealWhole>>>

export interface SealOptions extends JudgeOptions {
  readonly store: Store
  readonly gzip: boolean
  /** Memory to work in, which the caller keeps for the next day. */
  readonly pool?: BufferPool
  /** For tests: the bytes of events that close a part. */
  readonly partBytes?: number
}

/**
 * Merges a day's segments into its parts: sorted, without duplicates, twins told apart. Code `unavailable` if a segment is
 * not as it was written; what parts there are then is no dataset, and is replaced by the next run.
 */
export async function sealDay(
  day: number,
  segments: readonly Segment[],
  options: SealOptions,
): Promise<SealedDay> {
  try {
    const pool = options.pool ?? new BufferPool()
    const judge = await judgeFor(segments, pool, options)
    return await sealWhole(new DaySealer(day, segments, judge, { ...options, pool }))
  } catch (error) {
    // Bytes that changed can fail in many ways before all of them are read.
    const bent = segments.find((segment) => !isIntact(options.folder, segment))
    throw bent ? damaged(join(options.folder, bent.file)) : error
  }
}

async function sealWhole(sealer: DaySealer) {
  const parts: EventPart[] = []
  for (;;) {
    const part = await sealer.putPart(parts.length)
    if (!part) break
    parts.push(part)
  }
  return {
    parts,
    ...sealer.cells.told(dayText(sealer.day)),
    written: sealer.written,
    generated: sealer.generated,
    duplicate: sealer.duplicate,
    /** Of the duplicates, those that differ from the event that is kept. */
    unlike: sealer.unlike,
    /** Of those written, the ones that equal another in every member. */
    twins: sealer.twins,
    /** Left out, because earlier datasets have them. */
    earlier: sealer.earlier,
    /** Of those written, the ones without an id of their own, at times that earlier datasets have. */
    late: sealer.late,
    duplicates: sealer.duplicates.take(),
    ...sealer.droppedGroups,
  }
}

class DaySealer {
  readonly cells = new DayCells()
  readonly duplicates = new NameTable<number>((a, b) => a + b, MOST_NAMED)
  written = 0
  generated = 0
  duplicate = 0
  unlike = 0
  twins = 0
  earlier = 0
  late = 0
  readonly day: number
  readonly #options: SealOptions
  readonly #merge: Merge
  readonly #copy: LineCopy
  /** Filled again for every chunk: a store does not use one after it asks for the next. */
  readonly #out: ByteWriter
  readonly #judge: Judge
  /** The last time that earlier datasets have of the day. */
  readonly #earlierTo: number
  #next: SegmentReader | undefined
  #twin = 0
  #dropped: InventorySum | undefined

  constructor(
    day: number,
    segments: readonly Segment[],
    judge: Judge,
    options: SealOptions & { readonly pool: BufferPool },
  ) {
    const { pool } = options
    this.day = day
    this.#options = options
    this.#earlierTo = Math.max(...(options.known ?? []).map(({ part }) => parseTime(part.last)))
    pool.out.length = 0
    pool.out.ensure(CHUNK_BYTES + 64 * KIB)
    this.#out = pool.out
    this.#judge = judge
    this.#merge = new Merge(options.folder, segments, pool)
    this.#copy = new LineCopy(options.folder, segments, this.#merge, this.#out)
    this.#advance()
  }

  /** Writes the next part; undefined when every event is written. */
  async putPart(index: number): Promise<EventPart | undefined> {
    if (!this.#next) return undefined
    return putPart(this.#options, { day: this.day, index }, this.#chunks())
  }

  *#chunks(): Generator<PartChunk> {
    const limit = this.#options.partBytes ?? PART_BYTES
    let bytes = 0
    const out = this.#out
    while (this.#next && bytes < limit) {
      out.length = 0
      const first = this.#next.instant
      let [last, events] = [first, 0]
      while (this.#next && this.#copy.length < Math.min(CHUNK_BYTES, limit)) {
        this.#write(this.#next)
        last = this.#next.instant
        events++
        this.#advance()
      }
      this.#copy.flush()
      bytes += out.length
      yield { bytes: out.bytes.subarray(0, out.length), events, first, last }
    }
  }

  #advance(): void {
    for (;;) {
      const line = this.#merge.next()
      this.#next = line
      if (!line) {
        this.#copy.finish()
        return
      }
      this.#twin = this.#judge(line)
      if (this.#twin > 0) this.twins++
      if (this.#twin >= 0) return
      if (line.kind !== KINDS.own && line.kind !== KINDS.content) continue
      if (this.#twin === EARLIER) this.earlier++
      else this.duplicate++
      if (this.#twin === UNLIKE) this.unlike++
      this.#countDropped(line)
    }
  }

  /** The groups of the lines that were mapped and not written; nothing where they named none. */
  get droppedGroups(): { readonly dropped?: GroupCounts | undefined } {
    if (!this.#dropped) return {}
    const { group_types, groups } = this.#dropped.take()
    return { dropped: { group_types, groups } }
  }

  /** Reads the groups of a line that is not written: they were counted when it was mapped. */
  #countDropped(line: SegmentReader): void {
    const out = this.#out
    this.#copy.flush()
    const start = out.length
    this.#copy.add(line)
    this.#copy.flush()
    const bytes = out.bytes.subarray(start, out.length)
    if (this.#twin !== EARLIER) this.duplicates.add(this.#nameIn(line).name, 1)
    out.length = start
    if (!bytes.includes(GROUP)) return
    this.#dropped ??= new InventorySum()
    addGroupTypes(this.#dropped, JSON.parse(bytes.toString('utf8')) as GroupedEvent, line.instant)
  }

  #write(line: SegmentReader): void {
    const { words, at, kind } = line
    this.#copy.add(line)
    if (kind === KINDS.content && line.instant <= this.#earlierTo) this.late++
    if (kind === KINDS.own || kind === KINDS.content) this.written++
    else this.generated++
    const name = this.#nameIn(line)
    let id = { uuid: words, at: at + KEY_WORD }
    if (this.#twin > 0) {
      readUuidBytes(this.#out.bytes, uuidOffset(this.#writeTwin(line)), twin)
      id = { uuid: twin, at: 0 }
    }
    this.cells.of(name.name).addEvent(id, { words, at: at + PERSON_WORD }, name.hash, line.instant)
  }

  /** The name of the event that was added last. */
  #nameIn({ words, at, start, end }: SegmentReader): HashedName {
    const known = names.find(words, at + NAME_WORD)
    if (known !== undefined) return known
    this.#copy.flush()
    const { bytes, length } = this.#out
    if (!readIdentity(bytes, length - (end - start), length, identity))
      throw new Error('a run holds a line that is no event')
    const json = plainText(bytes, identity.eventStart, identity.eventEnd)
    return names.keep(words, at + NAME_WORD, JSON.parse(json) as string)
  }

  /** Gives the line that was added last the uuid of a twin; returns where it begins. */
  #writeTwin(line: SegmentReader): number {
    this.#copy.flush()
    const start = this.#out.length - (line.end - line.start)
    this.#out.bytes.write(twinUuid(line, this.#twin), uuidOffset(start), 'latin1')
    return start
  }
}

/** Whole lines of a part, and the times of the first and the last of them. */
export interface PartChunk {
  readonly bytes: Buffer
  readonly events: number
  readonly first: number
  readonly last: number
}

export async function putPart(
  { store, gzip }: Pick<SealOptions, 'store' | 'gzip'>,
  { day, index }: { readonly day: number; readonly index: number },
  chunks: Iterable<PartChunk> | AsyncIterable<PartChunk>,
): Promise<EventPart> {
  const tally = { events: 0, first: Number.NaN, last: Number.NaN }
  async function* body(): AsyncGenerator<Buffer> {
    for await (const { bytes, events, first, last } of chunks) {
      if (tally.events === 0) tally.first = first
      tally.last = last
      tally.events += events
      // Each chunk is a gzip member; members in a row are one gzip file to every reader.
      yield gzip ? gzipSync(bytes, GZIP) : bytes
    }
  }
  const span = dayText(day)
  const file = partName({ span, index, gzip })
  const { bytes, sha256 } = await store.put(file, body())
  const [first, last] = [formatInstant(tally.first), formatInstant(tally.last)]
  return { file, day: span, events: tally.events, bytes, sha256, first, last }
}
