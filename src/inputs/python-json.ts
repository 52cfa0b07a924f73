import { ByteWriter, type Mends, type Reject } from '../record/index.ts'
import type { RecordSink } from './record-sink.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NULL = Buffer.from('null')
/** What Python's json and pandas write for numbers that JSON doesn't have. */
const WORDS = ['NaN', 'Infinity', '-Infinity'].map((word) => Buffer.from(word))

/** Reads NaN, Infinity and -Infinity as null, and counts them. All else, text above all, passes as it is. */
export class PythonJsonSink implements RecordSink {
  readonly #sink: RecordSink
  readonly #mends: Pick<Mends, 'not_finite'>
  readonly #out = new ByteWriter()

  constructor(sink: RecordSink, mends: Pick<Mends, 'not_finite'>) {
    this.#sink = sink
    this.#mends = mends
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const out = this.#out
    const changed = withNulls(bytes.subarray(start, end), out)
    this.#mends.not_finite += changed
    if (changed === 0) this.#sink.line(bytes, start, end, offset, number)
    else this.#sink.line(out.bytes, 0, out.length, offset, number)
  }

  tooLong(offset: number, length: number, number: number): void {
    this.#sink.tooLong(offset, length, number)
  }

  reject(reject: Reject): void {
    this.#sink.reject(reject)
  }

  unusable(what: string): void {
    this.#sink.unusable(what)
  }
}

/** Writes a line into `out` with null for each number that JSON doesn't have. Returns their count; with 0 `out` may hold anything. */
export function withNulls(line: Buffer, out: ByteWriter): number {
  if (!line.includes('NaN') && !line.includes('Infinity')) return 0
  out.length = 0
  let count = 0
  let copied = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === QUOTE) at = stringEnd(line, at)
    else {
      const word = WORDS.find((one) => isValue(line, at, one))
      if (!word) continue
      out.copy(line, copied, at)
      out.copy(NULL, 0, NULL.length)
      copied = at + word.length
      at = copied - 1
      count++
    }
  }
  out.copy(line, copied, line.length)
  return count
}

/** Index of the closing quote. */
function stringEnd(line: Buffer, at: number): number {
  let i = at + 1
  while (i < line.length && line[i] !== QUOTE) i += line[i] === BACKSLASH ? 2 : 1
  return i
}

/** True if a word is a whole value there: other text that begins like it stays no JSON. */
function isValue(line: Buffer, at: number, word: Buffer): boolean {
  const end = at + word.length
  if (line[at] !== word[0] || line.compare(word, 0, word.length, at, Math.min(end, line.length)) !== 0)
    return false
  const before = line.toString('latin1', Math.max(0, at - 1), at)
  const after = line.toString('latin1', end, end + 1)
  return /^[\s:,[]?$/.test(before) && /^[\s,\]}]?$/.test(after)
}
