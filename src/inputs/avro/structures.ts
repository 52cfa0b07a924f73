import type { ByteWriter } from '../../record/index.ts'
import { MAX_BLOCK_BYTES } from './codecs.ts'
import type { Cursor } from './cursor.ts'
import { AvroFault } from './fault.ts'
import { type WriteValue, writeString } from './scalars.ts'

export interface Field {
  /** The name as JSON, between a comma and a colon. */
  readonly key: ByteWriter
  readonly write: WriteValue
}

const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a]

/** Deeper than any record that the scanner takes. Damage can nest for ever. */
const MOST_DEPTH = 500
/** Items that take no bytes, such as nulls, in a row: more are damage, which would fill the memory. */
export const MOST_EMPTY = 10_000

/** No block makes a longer record by its values. Names can: those of a value that takes no bytes cost a file nothing. */
const MOST_JSON_BYTES = 2 * MAX_BLOCK_BYTES

/** Enters a value that holds others. */
function enter(from: Cursor, out: ByteWriter): void {
  if (++from.depth > MOST_DEPTH) throw new AvroFault('its values are nested for ever', from.at)
  if (out.length > MOST_JSON_BYTES)
    throw new AvroFault(`a record is over ${MOST_JSON_BYTES} bytes long as JSON`, from.at)
}

/** `fields` may be filled in later, but before the first record is read. */
export function recordWriter(fields: readonly Field[]): WriteValue {
  return (from, out) => {
    enter(from, out)
    out.byte(OPEN)
    for (let i = 0; i < fields.length; i++) {
      const { key, write } = fields[i]!
      out.copyFrom(key, i === 0 ? 1 : 0, key.length)
      write(from, out)
    }
    out.byte(CLOSE)
    from.depth--
  }
}

export function unionWriter(branches: readonly WriteValue[]): WriteValue {
  return (from, out) => {
    const start = from.at
    // Indexes below 64 are a byte each, twice the index.
    const index = from.byte()
    if ((index & 0x81) !== 0) from.at = start
    const write = branches[(index & 0x81) === 0 ? index >> 1 : from.size()]
    if (!write) throw new AvroFault('a value is none of its union', start)
    write(from, out)
  }
}

export function arrayWriter(item: WriteValue): WriteValue {
  return (from, out) => {
    out.byte(OPEN_LIST)
    writeItems(from, out, item)
    out.byte(CLOSE_LIST)
  }
}

export function mapWriter(value: WriteValue): WriteValue {
  const member: WriteValue = (from, out) => {
    writeString(from, out)
    out.byte(COLON)
    value(from, out)
  }
  return (from, out) => {
    out.byte(OPEN)
    writeItems(from, out, member)
    out.byte(CLOSE)
  }
}

/** The items of an array or a map: blocks, each with its count, up to one of none. */
function writeItems(from: Cursor, out: ByteWriter, item: WriteValue): void {
  enter(from, out)
  let first = true
  for (;;) {
    const start = from.at
    const count = from.size()
    if (count === 0) break
    // Below zero, the block's size in bytes comes next.
    if (count < 0) from.size()
    const items = Math.abs(count)
    if (items > from.end - from.at + MOST_EMPTY)
      throw new AvroFault('it counts more items than there are', start)
    for (let i = 0; i < items; i++) {
      if (!first) out.byte(COMMA)
      first = false
      item(from, out)
    }
  }
  from.depth--
}
