const LF = 0x0a
const CR = 0x0d

/** Counts the lines of a stream that are not blank, and keeps the last of them. */
export class LineTally {
  lines = 0
  readonly #keepBytes: number
  #last: Buffer[] = []
  #lastBytes = 0
  /** Whether the line under way has anything but a CR in it. */
  #filled = false

  /** `keepBytes`: how much of the last line `lastLine` can tell. */
  constructor(keepBytes = 0) {
    this.#keepBytes = keepBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#piece(chunk.subarray(start, end))
      if (this.#filled) this.lines++
      this.#filled = false
      start = end + 1
    }
    if (start < chunk.length) this.#piece(chunk.subarray(start))
  }

  /** True when the stream so far does not end with a line's end. */
  get open(): boolean {
    return this.#filled
  }

  /** The last line that is not blank; undefined when there is none, or it is longer than what is kept. */
  lastLine(): string | undefined {
    if (this.#lastBytes > this.#keepBytes) return undefined
    const text = Buffer.concat(this.#last).toString('utf8').trim()
    return text === '' ? undefined : text
  }

  #piece(bytes: Buffer): void {
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === CR)) return
    if (!this.#filled) {
      this.#last = []
      this.#lastBytes = 0
    }
    this.#filled = true
    this.#lastBytes += bytes.length
    if (this.#lastBytes <= this.#keepBytes) this.#last.push(bytes)
    else this.#last = []
  }
}

/** Passes a stream of lines on, counted; a last line without an end gets one. */
export async function* tallied(body: AsyncIterable<Buffer>, tally: LineTally): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    tally.push(chunk)
    yield chunk
  }
  if (!tally.open) return
  const end = Buffer.of(LF)
  tally.push(end)
  yield end
}
