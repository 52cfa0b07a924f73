import type { LinePlace, LineSink } from '../record/lines.ts'
import type { Notes } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { tooLongRefusal } from '../record/rules.ts'
import type { Batcher } from './batcher.ts'
import { laneOf, laneOfText } from './lane.ts'
import type { LineReader, Unsent } from './line-reader.ts'
import { earliest, isBefore, latest, type Place } from './place.ts'

export interface IntakeOptions {
  readonly reader: LineReader
  readonly batcher: Batcher
  /** Per lane, where the last run left off: what stands before it is acknowledged. */
  readonly places: readonly Place[]
  /** How many events may still be sent under the volume cap. */
  readonly allowance: number
}

/** Takes framed lines, makes events or rejects of them, and gives each to its lane's batch. */
export class Intake implements LineSink {
  /** Records taken in by this run. */
  read = 0
  /** Events among them. */
  granted = 0
  /** All that stands before it has been taken in. */
  frontier: Place
  /** The volume cap is reached: an event came that may not be sent. No line is taken in any more. */
  capped = false
  /** The input's last line when it was refused and has no end: it may still grow. The frontier stays before it. */
  tail: { readonly place: Place; readonly reject: Reject } | undefined
  readonly #options: IntakeOptions
  readonly #lanes: number
  /** No place lies behind it: from here on nothing has to be skipped. */
  readonly #fresh: Place
  /** Of the line under way; filled anew by each. */
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

  /** The lines that follow are of this part, in this file where there are several. */
  begin(part: number, file: string | undefined): void {
    this.#place.part = part
    this.#options.reader.begin(file)
  }

  /** The line that follows is the input's last and has no end. */
  beginTail(): void {
    this.#atEnd = true
  }

  /** All lines before `next` have been handed in. */
  advance({ offset, number }: LinePlace): void {
    this.#end = { part: this.#place.part, offset, line: number }
    if (!this.capped && !this.tail) this.frontier = this.#end
  }

  /** The refused last line is recorded: nothing is left before the frontier's next stop. */
  passTail(): void {
    this.tail = undefined
    this.frontier = this.#end
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    if (this.capped) return
    const place = this.#placeOf(offset, number)
    const { reader, batcher } = this.#options
    const refusal = reader.read(bytes, start, end, offset, number)
    const notes = reader.takeNotes()
    if (refusal) {
      this.#refuse(place, refusal, notes)
      return
    }
    const { head } = reader
    const lane = laneOf(reader.bytes, head.distinctIdStart, head.distinctIdEnd, this.#lanes)
    if (this.#isAcknowledged(lane, place)) return
    if (this.granted >= this.#options.allowance) {
      this.capped = true
      this.frontier = { ...place }
      return
    }
    this.granted++
    this.read++
    batcher.event(lane, head.instant, place, reader.bytes, reader.start, reader.end, reader.source, notes)
  }

  tooLong(offset: number, length: number, number: number): void {
    if (this.capped) return
    this.#options.reader.skip(offset, number)
    this.#refuse(this.#placeOf(offset, number), tooLongRefusal(length))
  }

  #refuse(place: Place, refusal: Unsent, notes?: Notes): void {
    // In the lane that the event would be in: by the next run's clock it may be sound, and whether it is done with must
    // be the same lane's to say. Those whose id can't be read share the first.
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
