import type { ByteWriter } from '../../record/index.ts'
import type { Cursor } from './cursor.ts'
import { AvroFault } from './fault.ts'

/** Reads one value and writes it as JSON. */
export type WriteValue = (from: Cursor, out: ByteWriter) => void

const QUOTE = 0x22
const BACKSLASH = 0x5c

export const writeNull: WriteValue = (_, out) => out.ascii('null')

export const writeBoolean: WriteValue = (from, out) => out.ascii(from.byte() === 0 ? 'false' : 'true')

/** Digit by digit, as exact as they are in the file. */
export const writeInteger: WriteValue = (from, out) => out.ascii(String(from.long()))

export const writeDouble: WriteValue = (from, out) => {
  const start = from.skip(8)
  writeNumber(out, from.bytes.readDoubleLE(start))
}

export const writeFloat: WriteValue = (from, out) => {
  const start = from.skip(4)
  writeNumber(out, shortest(from.bytes.readFloatLE(start)))
}

export const writeString: WriteValue = (from, out) => {
  const size = from.size()
  const start = from.skip(size)
  out.byte(QUOTE)
  if (!writePlain(out, from.bytes, start, start + size)) writeEscaped(out, from.bytes, start, start + size)
  out.byte(QUOTE)
}

/** Bytes have no form in JSON: base64. */
export const writeBytes: WriteValue = (from, out) => {
  const size = from.size()
  const start = from.skip(size)
  writeText(out, from.bytes.toString('base64', start, start + size))
}

/** Fixed bytes are hashes and ids more often than not: hexadecimal. */
export function fixedWriter(size: number): WriteValue {
  return (from, out) => {
    const start = from.skip(size)
    writeText(out, from.bytes.toString('hex', start, start + size))
  }
}

export function enumWriter(symbols: readonly string[]): WriteValue {
  const texts = symbols.map((symbol) => JSON.stringify(symbol))
  return (from, out) => {
    const start = from.at
    const text = texts[from.size()]
    if (text === undefined) throw new AvroFault('a value is none of its enum', start)
    out.utf8(text)
  }
}

/** Writes text that has nothing to escape. */
export function writeText(out: ByteWriter, text: string): void {
  out.byte(QUOTE)
  out.ascii(text)
  out.byte(QUOTE)
}

/** JSON has no NaN or infinities: they become strings. */
function writeNumber(out: ByteWriter, value: number): void {
  if (Number.isFinite(value)) out.ascii(Object.is(value, -0) ? '-0' : String(value))
  else writeText(out, String(value))
}

/** The shortest number that is this 32-bit float: 52.52, where the double nearest to it is 52.52000045776367. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

/** Writes bytes of which none is to be escaped, as of most texts; else it writes nothing and returns false. */
function writePlain(out: ByteWriter, bytes: Buffer, start: number, end: number): boolean {
  out.ensure(end - start)
  const into = out.bytes
  let at = out.length
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return false
    into[at++] = byte
  }
  out.length = at
  return true
}

/** The scanner checks later that the bytes are UTF-8. */
function writeEscaped(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  let from = start
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) continue
    out.copy(bytes, from, i)
    out.ascii(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
    from = i + 1
  }
  out.copy(bytes, from, end)
}
