import { ByteWriter } from '../../record/byte-writer.ts'
import { headName, newHead, readHead } from '../../record/head.ts'
import type { Inventory } from '../../record/inventory.ts'
import { LineFramer } from '../../record/lines.ts'
import { dayText } from '../../record/time.ts'
import type { EventPart } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import { KIB, MIB } from '../../text/units.ts'
import { DayCells } from '../seal/cells.ts'
import { type PartChunk, putPart, type SealedDay } from '../seal/day.ts'
import { ChosenLines, EventStock } from './event-ids.ts'
import type { ChosenPeople } from './trial-order.ts'

/** As sealing closes them. */
const PART_BYTES = 256 * MIB
const CHUNK_BYTES = MIB
const LF = 0x0a

export interface TrialDay extends Pick<SealedDay, 'parts' | 'names' | 'others' | 'arrival'> {
  readonly events: number
  /** Of these, as it seems, made of several records. */
  readonly generated: number
  readonly inventory: Inventory
}

export interface TrialDayOptions {
  readonly people: ChosenPeople
  readonly whole: Store
  readonly store: Store
  readonly gzip: boolean
  /** For tests: the bytes of events that close a part. */
  readonly partBytes?: number
}

/** Copies a trial's events of a day, in their order. The same events make the same parts. */
export async function copyTrialDay(
  day: number,
  parts: readonly EventPart[],
  options: TrialDayOptions,
): Promise<TrialDay> {
  const writer = new TrialWriter(day, parts, options)
  const made: EventPart[] = []
  while (await writer.hasMore()) made.push(await writer.putPart(made.length))
  const { cells, stock, events } = writer
  return {
    parts: made,
    ...cells.told(dayText(day)),
    events,
    generated: stock.generated,
    inventory: stock.take(),
  }
}

/** Whole lines that are written at once. */
interface Chunk extends PartChunk {
  readonly closesPart: boolean
}

class TrialWriter {
  readonly cells = new DayCells()
  readonly stock: EventStock
  events = 0
  readonly #day: number
  readonly #lines: ChosenLines
  readonly #options: TrialDayOptions
  readonly #input: AsyncIterator<Buffer>
  readonly #framer: LineFramer
  readonly #out = new ByteWriter(CHUNK_BYTES + 64 * KIB)
  readonly #ready: Chunk[] = []
  readonly #head = newHead()
  #held = 0
  #first = Number.NaN
  #last = Number.NaN
  #partBytes = 0
  #ended = false

  constructor(day: number, parts: readonly EventPart[], options: TrialDayOptions) {
    this.#day = day
    this.#lines = new ChosenLines(options.people)
    this.#options = options
    this.stock = new EventStock()
    this.#input = chunksOf(options.whole, parts)
    this.#framer = new LineFramer({
      line: (bytes, start, end) => this.#see(bytes.subarray(start, end)),
      tooLong: () => {
        throw notAnEvent(this.#day)
      },
    })
  }

  async hasMore(): Promise<boolean> {
    while (this.#ready.length === 0 && !this.#ended) {
      const { done, value } = await this.#input.next()
      if (!done) {
        this.#framer.push(value)
        continue
      }
      this.#framer.end()
      this.#ended = true
      if (this.#held > 0) this.#cut(true)
    }
    return this.#ready.length > 0
  }

  putPart(index: number): Promise<EventPart> {
    return putPart(this.#options, { day: this.#day, index }, this.#chunks())
  }

  async *#chunks(): AsyncGenerator<PartChunk> {
    while (await this.hasMore()) {
      const chunk = this.#ready.shift()!
      yield chunk
      if (chunk.closesPart) return
    }
  }

  #see(line: Buffer): void {
    const head = readHead(line, 0, line.length, this.#head)
    if (!head) throw notAnEvent(this.#day)
    const { partBytes = PART_BYTES } = this.#options
    if (!this.#lines.has(line, head, this.#day)) return
    this.stock.add(line, head)
    this.cells.of(headName(line, head)).addLine(line, head)
    this.events++
    if (this.#held++ === 0) this.#first = head.instant
    this.#last = head.instant
    this.#out.copy(line, 0, line.length)
    this.#out.byte(LF)
    // At whole lines, whatever the pieces were read in: the bytes of a packed part depend on its chunks.
    const isFull = this.#partBytes + this.#out.length >= partBytes
    if (isFull || this.#out.length >= CHUNK_BYTES) this.#cut(isFull)
  }

  #cut(closesPart: boolean): void {
    const { bytes, length } = this.#out
    this.#ready.push({
      bytes: Buffer.from(bytes.subarray(0, length)),
      events: this.#held,
      first: this.#first,
      last: this.#last,
      closesPart,
    })
    this.#partBytes = closesPart ? 0 : this.#partBytes + length
    this.#out.length = 0
    this.#held = 0
  }
}

async function* chunksOf(store: Store, parts: readonly EventPart[]): AsyncGenerator<Buffer> {
  for (const { file } of parts) yield* store.readThrough(file)
}

function notAnEvent(day: number): Error {
  return new Error(`a part of ${dayText(day)} holds a line that is no event`)
}
