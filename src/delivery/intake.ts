import { LineFramer, type LinePlace, type LineSink, MAX_LINE_BYTES } from '../record/lines.ts'
import type { Notes } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { tooLongRefusal } from '../record/rules.ts'
import type { EventsManifest } from '../store/manifest.ts'
import type { Batcher } from './batcher.ts'
import type { CheckpointState } from './checkpoint.ts'
import { laneOf, laneOfText } from './distinct-id.ts'
import type { Lanes } from './lanes.ts'
import type { LineReader, Unsent } from './line-reader.ts'
import { earliest, isBefore, latest, type Place } from './place.ts'

interface IntakeOptions {
  readonly reader: LineReader
  readonly batcher: Batcher
  /** For each lane, where the last run ended: every record before this place is acknowledged. */
  readonly places: readonly Place[]
  /** Grants one more event, unless the volume cap is reached. */
  readonly take: () => boolean
}

/** Takes lines, makes events or rejects of them, and gives each to its lane's batch. */
export class Intake implements LineSink {
  /** Records taken in by this run. */
  read = 0
  /** Events among them. */
  granted = 0
  /** Everything before this place has been taken in. */
  frontier: Place
  /** The volume cap is reached: the next event may not be sent, and no more lines are taken in. */
  capped = false
  /** The input's last line, if it has no line end and was refused. It may still grow: the frontier stays before it. */
  tail: { readonly place: Place; readonly reject: Reject } | undefined
  readonly #options: IntakeOptions
  readonly #lanes: number
  /** The furthest of the places. From here on, no line has been acknowledged by an earlier run. */
  readonly #fresh: Place
  /** The place of the current line; each line overwrites it. */
  readonly #place = { part: 0, offset: 0, line: 1 }
  #atEnd = false
  #end: Place

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#lanes = options.places.length
    this.#fresh = latest(options.places)
    this.frontier = earliest(options.places)
    this.#end = this.frontier
  }

  /** Begins a part. `file` is its name, if the input has several. */
  begin(part: number, file: string | undefined): void {
    this.#place.part = part
    this.#options.reader.begin(file)
  }

  /** The next line is the input's last and has no line end. */
  beginTail(): void {
    this.#atEnd = true
  }

  /** All lines before `next` have been handed in. */
  advance({ offset, number }: LinePlace): void {
    this.#end = { part: this.#place.part, offset, line: number }
    if (!this.capped && !this.tail) this.frontier = this.#end
  }

  /** The refused last line is recorded, so the frontier moves past it. */
  passTail(): void {
    this.tail = undefined
    this.frontier = this.#end
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    if (this.capped) return
    const place = this.#placeOf(offset, number)
    const { reader, batcher } = this.#options
    const refusal = reader.read(bytes, start, end, place)
    const notes = reader.takeNotes()
    if (refusal) {
      this.#refuse(place, refusal, notes)
      return
    }
    const { head } = reader
    const lane = laneOf(reader.bytes, head.distinctIdStart, head.distinctIdEnd, this.#lanes)
    if (this.#isAcknowledged(lane, place)) return
    if (!this.#options.take()) {
      this.capped = true
      this.frontier = { ...place }
      return
    }
    this.granted++
    this.read++
    batcher.event(lane, place, reader, notes)
  }

  tooLong(offset: number, length: number, number: number): void {
    if (this.capped) return
    this.#options.reader.skip(offset, number)
    this.#refuse(this.#placeOf(offset, number), tooLongRefusal(length))
  }

  #refuse(place: Place, refusal: Unsent, notes?: Notes): void {
    // A refused record goes to the lane that its event would have. By the clock of the next run it may be a sound
    // event, and the place of the same lane must say whether it is done. Records without a readable id go to lane 0.
    const { distinctId } = refusal
    const lane = distinctId === undefined ? 0 : laneOfText(distinctId, this.#lanes)
    if (this.#isAcknowledged(lane, place)) return
    const { reader, batcher } = this.#options
    this.read++
    if (refusal.filtered) {
      batcher.filtered(lane, place, refusal.reason, notes)
      return
    }
    const reject = reader.reject(refusal)
    if (this.#atEnd && reject.record !== null) {
      this.tail = { place: { ...place }, reject }
      this.frontier = this.tail.place
    } else batcher.reject(lane, place, reject, notes)
  }

  #placeOf(offset: number, line: number): Place {
    const place = this.#place
    place.offset = offset
    place.line = line
    return place
  }

  #isAcknowledged(lane: number, place: Place): boolean {
    return isBefore(place, this.#fresh) && isBefore(place, this.#options.places[lane]!)
  }
}

interface LineReadOptions {
  readonly source: InputSource
  readonly intake: Intake
  readonly batcher: Batcher
  readonly lanes: Lanes
  readonly halt: AbortSignal
  /** Called before `lines` lines are taken in, so that the one who grants events can prepare. */
  readonly ensure?: (lines: number) => Promise<void>
  /** Called after each chunk. */
  readonly look?: () => void
}

const LF = 0x0a

/** Reads the input into the lanes, no faster than they empty. Ends at the input's end, the volume cap or `halt`. */
export async function readInput(options: LineReadOptions): Promise<void> {
  const { source, intake, batcher, lanes, halt, ensure, look } = options
  try {
    for await (const { from, file, chunks, next } of source.pieces(intake.frontier)) {
      const framer = new LineFramer(intake, MAX_LINE_BYTES, { offset: from.offset, number: from.line })
      intake.begin(from.part, file)
      for await (const chunk of chunks) {
        await ensure?.(lineEnds(chunk) + 1)
        framer.push(chunk)
        intake.advance(framer.next)
        look?.()
        if (intake.capped) return
        await lanes.room()
        if (halt.aborted) return
      }
      if (!next && framer.torn) intake.beginTail()
      await ensure?.(1)
      framer.end()
      if (intake.capped) return
      if (next) intake.frontier = next
      else intake.advance(framer.next)
    }
  } finally {
    // After an error of the input too: what was read before it is sound, and is sent.
    batcher.flush()
    lanes.close()
  }
}

function lineEnds(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) count++
  return count
}

/** A run of bytes of the input: a file, or one part of a dataset. */
export interface SourcePiece {
  readonly from: Place
  /** The name that rejects give the file, if the input has several. */
  readonly file: string | undefined
  /** Unpacked text from `from` to the end of the piece. */
  readonly chunks: AsyncIterable<Buffer>
  /** Where the input goes on after this piece; undefined if it is the last and may grow. */
  readonly next: Place | undefined
}

/** The input of an import. */
export interface InputSource {
  readonly name: string
  /** Bytes as stored. */
  readonly totalBytes: number
  /** How many events there are; undefined if that is not known beforehand. */
  readonly events: number | undefined
  /** What the manifest says of a trial; undefined for all else. */
  readonly trial?: EventsManifest['trial']
  /** False if it is known that no event has this property with a value. */
  mayHave(property: string): boolean
  /** Throws `mismatch` if the checkpoint was not made from this input, or if one of its places is not in the input. */
  verify(saved: CheckpointState['input'], places?: readonly Place[]): Promise<void>
  /** What a checkpoint saved now says of the input. */
  identity(): CheckpointState['input']
  pieces(from: Place): AsyncIterable<SourcePiece>
  /** Stored bytes before a place, roughly. */
  bytesBefore(place: Place): number
}
