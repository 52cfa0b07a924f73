import { keyOf, LineFramer, parseTime, Scanner, Tape, valueText } from '../../record/index.ts'
import { MIB, MICROS_PER_MS } from '../../text/index.ts'
import { VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'

/** The longest record that is read. The service takes none that is larger. */
const MOST_BYTES = 32 * MIB
const LF = Buffer.of(0x0a)

/** Takes those lines out of a stream whose `timestamp` is in a range, byte for byte. A line without a readable time is taken too. */
export class RangeFilter {
  /** Lines read, and those of them that are out of range. */
  lines = 0
  filtered = 0
  readonly #start: number
  readonly #end: number
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #key = keyOf('timestamp')
  readonly #framer = new LineFramer(
    {
      line: (bytes, start, end) => this.#line(bytes, start, end),
      tooLong: (_, length) => {
        throw tooLong(length)
      },
    },
    MOST_BYTES,
  )
  #taken: Buffer[] = []

  constructor({ start, end }: WindowSpan) {
    this.#start = start * MICROS_PER_MS
    this.#end = end * MICROS_PER_MS
  }

  /** The lines of the stream that end in this piece of it. */
  push(chunk: Buffer): Buffer {
    this.#framer.push(chunk)
    return this.#take()
  }

  /** The last line, if it lacks its line end. */
  end(): Buffer {
    this.#framer.end()
    return this.#take()
  }

  #take(): Buffer {
    const taken = Buffer.concat(this.#taken)
    this.#taken = []
    return taken
  }

  #line(bytes: Buffer, start: number, end: number): void {
    this.lines++
    if (this.#isIn(bytes, start, end)) this.#taken.push(Buffer.from(bytes.subarray(start, end)), LF)
    else this.filtered++
  }

  #isIn(bytes: Buffer, start: number, end: number): boolean {
    const tape = this.#tape
    if (!this.#scanner.scan(bytes, start, end)) return true
    for (let at = 0; at < tape.count; at = tape.next(at)) {
      if (tape.key(at) !== this.#key) continue
      const text = valueText(tape, bytes, at)
      const instant = text === undefined ? Number.NaN : micros(text)
      return !(instant < this.#start || instant >= this.#end)
    }
    return true
  }
}

function micros(text: string): number {
  try {
    return parseTime(text)
  } catch {
    return Number.NaN
  }
}

function tooLong(length: number): VendorError {
  return new VendorError(`PostHog's file has a line of ${length} bytes`, {
    code: 'input',
    fate: 'reject',
    hint: 'export to another folder with --via query',
  })
}
