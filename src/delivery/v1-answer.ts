import { ByteWriter } from '../record/index.ts'

const UUID_LENGTH = 36
const OPENING = '{"results":{"'
const OK = ByteWriter.of('":{"result":"ok"},"')

/** What the service answers if it stores every event of a request: an answer is known by its bytes sooner than by its text. */
export class V1Answer {
  readonly #bytes = new ByteWriter(0)

  constructor() {
    this.clear()
  }

  clear(): void {
    this.#bytes.length = 0
    this.#bytes.ascii(OPENING)
  }

  /** Adds the event whose uuid begins at `at`. */
  add(from: ByteWriter, at: number): void {
    this.#bytes.copyFrom(from, at, at + UUID_LENGTH)
    this.#bytes.append(OK)
  }

  /** The answer; it shares the memory of the next one. */
  get bytes(): Buffer {
    const answer = this.#bytes
    const { length } = answer
    // The comma and the quote before another uuid.
    answer.length -= 2
    answer.ascii('}}')
    const bytes = answer.bytes.subarray(0, answer.length)
    answer.length = length
    return bytes
  }
}
