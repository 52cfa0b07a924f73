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

/** Whole lines that are written at once. */
interface Chunk extends PartChunk {
  readonly closesPart: boolean
}

/** Copies a trial's events of a day, in their order. The same events make the same parts. */
export async function copyTrialDay(
  day: number,
  parts: readonly EventPart[],
  { people, whole, store, gzip, partBytes = PART_BYTES }: TrialDayOptions,
): Promise<TrialDay> {
  const [cells, stock, lines] = [new DayCells(), new EventStock(), new ChosenLines(people)]
  const out = new ByteWriter(CHUNK_BYTES + 64 * KIB)
  const headRead = newHead()
  const ready: Chunk[] = []
  let [events, held, first, last, inPart] = [0, 0, Number.NaN, Number.NaN, 0]
  const cut = (closesPart: boolean) => {
    const bytes = Buffer.from(out.bytes.subarray(0, out.length))
    ready.push({ bytes, events: held, first, last, closesPart })
    inPart = closesPart ? 0 : inPart + out.length
    out.length = 0
    held = 0
  }
  const notAnEvent = () => new Error(`a part of ${dayText(day)} holds a line that is no event`)
  const framer = new LineFramer({
    line(bytes, start, end) {
      const line = bytes.subarray(start, end)
      const head = readHead(line, 0, line.length, headRead)
      if (!head) throw notAnEvent()
      if (!lines.has(line, head, day)) return
      stock.add(line, head)
      cells.of(headName(line, head)).addLine(line, head)
      events++
      if (held++ === 0) first = head.instant
      last = head.instant
      out.copy(line, 0, line.length)
      out.byte(LF)
      // At whole lines, whatever the pieces were read in: the bytes of a packed part depend on its chunks.
      const isFull = inPart + out.length >= partBytes
      if (isFull || out.length >= CHUNK_BYTES) cut(isFull)
    },
    tooLong() {
      throw notAnEvent()
    },
  })
  async function* chunks(): AsyncGenerator<Chunk> {
    for (const { file } of parts) {
      for await (const bytes of whole.readThrough(file)) {
        framer.push(bytes)
        yield* ready.splice(0)
      }
    }
    framer.end()
    if (held > 0) cut(true)
    yield* ready
  }
  const made: EventPart[] = []
  const all = chunks()
  for (let next = await all.next(); !next.done; next = await all.next())
    made.push(await putPart({ store, gzip }, { day, index: made.length }, partOf(next.value, all)))
  const generated = stock.generated
  return { parts: made, ...cells.told(dayText(day)), events, generated, inventory: stock.take() }
}

/** A part's chunks: the first, and those after it up to the one that closes it. */
async function* partOf(first: Chunk, rest: AsyncIterator<Chunk, void>): AsyncGenerator<PartChunk> {
  for (let chunk: Chunk | undefined = first; chunk; ) {
    yield chunk
    chunk = chunk.closesPart ? undefined : ((await rest.next()).value ?? undefined)
  }
}
