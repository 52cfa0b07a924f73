import { LineFramer, type LineSink } from '../record/lines.ts'

const BOM = [0xef, 0xbb, 0xbf]
const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
const TAB = 0x09
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** What is wrong between the elements of a JSON file; `offset` is the byte. */
export class BrokenJson extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/**
 * Cuts JSON arrays, or values that follow one another, into lines of one element each, in flat memory.
 *
 * It works in place and keeps every byte at its offset: outside strings, line ends become blanks, and what separates
 * two elements becomes a line end; a LineFramer does the rest. It looks at brackets and quotes only: the scanner checks
 * later that an element is valid. The `number` of a line is the element's place, from 1.
 */
export class JsonSplitter {
  readonly #framer: LineFramer
  #position = 0
  #inArray = false
  /** Brackets open inside the element under way. */
  #depth = 0
  #inString = false
  #escaped = false
  /** True after a value outside an array: the next blank separates it from the value that follows. */
  #ended = false

  constructor(sink: LineSink, maxBytes?: number) {
    this.#framer = new LineFramer(elementSink(sink), maxBytes)
  }

  /** Overwrites parts of `chunk`. */
  push(chunk: Buffer): void {
    for (let i = 0; i < chunk.length; i++) {
      if (this.#inString) i = this.#string(chunk, i)
      else this.#structure(chunk, i)
    }
    this.#framer.push(chunk)
    this.#position += chunk.length
  }

  /** Throws BrokenJson when the last array or value has no end: the file was cut. */
  end(): void {
    if (this.#inArray || this.#depth > 0) {
      throw new BrokenJson('ends in the middle of its JSON: it is cut short', this.#position)
    }
    this.#framer.end()
  }

  /** Goes through a string to its end or the chunk's; returns the index of the last byte looked at. */
  #string(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) {
        this.#inString = false
        return i
      }
      // Neither is allowed in a string, but a CR keeps the element in one line until it is refused.
      if (byte === LF) chunk[i] = CR
    }
    return chunk.length
  }

  #structure(chunk: Buffer, i: number): void {
    const byte = chunk[i]!
    if (byte === QUOTE) {
      this.#inString = true
      if (this.#depth === 0) this.#requireArray(i)
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(chunk, i, byte)
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(chunk, i, byte)
    else if (byte === COMMA) {
      if (this.#depth === 0) this.#part(chunk, i)
    } else if (byte === LF || byte === CR || byte === BLANK || byte === TAB) {
      if (this.#ended) this.#part(chunk, i)
      else if (byte === LF || byte === CR) chunk[i] = BLANK
    } else if (this.#depth === 0) this.#requireArray(i, byte)
  }

  #open(chunk: Buffer, i: number, byte: number): void {
    if (byte === OPEN_LIST && this.#depth === 0 && !this.#inArray) {
      this.#inArray = true
      this.#part(chunk, i)
    } else this.#depth++
  }

  #close(chunk: Buffer, i: number, byte: number): void {
    if (this.#depth > 0) {
      this.#depth--
      this.#ended = this.#depth === 0 && !this.#inArray
    } else if (byte === CLOSE_LIST && this.#inArray) {
      this.#inArray = false
      this.#part(chunk, i)
    } else throw new BrokenJson('has a closing bracket too many', this.#position + i)
  }

  #part(chunk: Buffer, i: number): void {
    chunk[i] = LF
    this.#ended = false
  }

  // Inside an array the scanner refuses bare words and numbers; outside one they mean that this is no JSON file.
  #requireArray(i: number, byte?: number): void {
    if (this.#inArray) return
    const at = this.#position + i
    if (at < BOM.length && byte === BOM[at]) return
    throw new BrokenJson('has something other than objects between its JSON values', at)
  }
}

/** Takes the blanks off a line's ends, so that its offset is that of the element, and counts the elements. */
function elementSink(sink: LineSink): LineSink {
  let count = 0
  return {
    line(bytes, start, end, offset) {
      let first = start
      let last = end
      while (isBlank(bytes[first])) first++
      while (isBlank(bytes[last - 1])) last--
      sink.line(bytes, first, last, offset + first - start, ++count)
    },
    tooLong: (offset, length) => sink.tooLong(offset, length, ++count),
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === TAB || byte === CR
}
