import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { isJson } from '../record/json-values.ts'
import { GzipFault, gunzip } from '../store/gunzip.ts'
import type { PartForm, RecordTally } from './source.ts'
import { cutShort } from './vendor-client.ts'

const LF = 0x0a
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, 0x0d]
const BOM = [0xef, 0xbb, 0xbf]

export const NDJSON_PARTS: PartForm = { suffix: '.ndjson.gz', tally: () => new LineTally() }

/** Counts a stream's lines, except blank ones, and keeps the last of them. */
export class LineTally implements RecordTally {
  lines = 0
  readonly #keepBytes: number
  #last: Buffer[] = []
  #lastBytes = 0
  /** Bytes so far of the mark of the byte order, which may come first. */
  #mark = 0
  /** True if the stream so far ends without a line end. */
  open = false

  /** `keepBytes`: the longest line that `lastLine` returns. */
  constructor(keepBytes = 0) {
    this.#keepBytes = keepBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#piece(chunk.subarray(start, end))
      if (this.open) this.lines++
      this.open = false
      start = end + 1
    }
    if (start < chunk.length) this.#piece(chunk.subarray(start))
  }

  /** A last line without a line end is whole if it is JSON, which has an end of its own. */
  get isWhole(): boolean {
    return !this.open || isJson(this.lastLine() ?? '')
  }

  /** True if the last line is longer than `keepBytes`. */
  get isLong(): boolean {
    return this.#lastBytes > this.#keepBytes
  }

  /** The last line that is not blank; undefined if there is none, or it is longer than `keepBytes`. */
  lastLine(): string | undefined {
    if (this.#lastBytes > this.#keepBytes) return undefined
    const text = Buffer.concat(this.#last).toString('utf8').trim()
    return text === '' ? undefined : text
  }

  #piece(bytes: Buffer): void {
    if (!this.open) {
      if (this.#isBlank(bytes)) return
      this.#last = []
      this.#lastBytes = 0
    }
    this.open = true
    this.#lastBytes += bytes.length
    if (this.#lastBytes <= this.#keepBytes) this.#last.push(bytes)
    else this.#last = []
  }

  /** As the reader of parts takes a line for blank. */
  #isBlank(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; at++) {
      if (this.lines === 0 && bytes[at] === BOM[this.#mark]) this.#mark++
      else if (!BLANKS.includes(bytes[at])) return false
    }
    return true
  }
}

/** Counts the lines of a stream as it passes them on. A last line without a line end gets one. */
export async function* tallied(body: AsyncIterable<Buffer>, tally: RecordTally): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    tally.push(chunk)
    yield chunk
  }
  if (!tally.open) return
  const end = Buffer.of(LF)
  tally.push(end)
  yield end
}

export async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip()
  // An error of the body destroys the compressor, so the loop below throws it. Here it would be unhandled.
  const piping = pipeline(body, gzip)
  piping.catch(() => undefined)
  yield* gzip as AsyncIterable<Buffer>
  await piping
}

/** Decompresses a stream. Throws an error with the fate `retry` if it is cut short or not gzip. */
export async function* gunzipped(body: AsyncIterable<Buffer>, whose: string): AsyncGenerator<Buffer> {
  try {
    yield* gunzip(body)
  } catch (error) {
    if (!(error instanceof GzipFault)) throw error
    throw cutShort(`${whose}: the compressed data is damaged or cut short (${error.message})`, error)
  }
}
