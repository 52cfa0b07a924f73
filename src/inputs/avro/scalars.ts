import type { ByteWriter } from '../../record/byte-writer.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import { AvroFault, type Cursor } from './cursor.ts'

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
function writeText(out: ByteWriter, text: string): void {
  out.byte(QUOTE)
  out.ascii(text)
  out.byte(QUOTE)
}

/** NaN and infinities stay as Python's JSON has them: `PythonJsonSink` makes them null, and counts them. */
function writeNumber(out: ByteWriter, value: number): void {
  out.ascii(Object.is(value, -0) ? '-0' : String(value))
}

/** The smallest 32-bit float with all its digits: smaller ones may be said with fewer than 6. */
const LEAST_NORMAL = 2 ** -126
/** As many digits always tell a 32-bit float from its neighbours. */
const MOST_DIGITS = 9

/** The shortest number that is this 32-bit float: 52.52, where the double nearest to it is 52.52000045776367. */
function shortest(value: number): number {
  if (!Number.isFinite(value)) return value
  for (let digits = Math.abs(value) < LEAST_NORMAL ? 1 : 6; digits < MOST_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return Number(value.toPrecision(MOST_DIGITS))
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

/** What a schema says of a type beside its name. */
export interface Annotated {
  readonly logicalType?: unknown
  readonly scale?: unknown
  readonly size?: unknown
}

/** Digits of the fraction of a second, by the unit's name. */
const UNITS: Readonly<Record<string, number>> = { millis: 3, micros: 6, nanos: 9 }
/** A decimal with more digits after its point is none that a program wrote. */
const MOST_SCALE = 1000
const MOST_DECIMAL_BYTES = 1024
/** The years 0000 to 9999, which four digits can say, in milliseconds. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999]

/**
 * How a value of a logical type is written, when its meaning is more than its number: a time as text with all its
 * digits, in UTC, with a Z where it is an instant; a decimal as a number. Undefined for a type that says no more, and for
 * one that this reader does not know, whose value stays as it is.
 */
export function logicalWriter(type: string, annotated: Annotated): WriteValue | undefined {
  const { logicalType } = annotated
  if (typeof logicalType !== 'string') return undefined
  if (logicalType === 'decimal' && (type === 'bytes' || type === 'fixed')) return decimalWriter(annotated)
  if (logicalType === 'uuid' && type === 'fixed' && annotated.size === 16) return writeUuid
  if (type === 'int' && logicalType === 'date') return writeDate
  if (type !== 'long' && type !== 'int') return undefined
  const [, kind, unit = ''] =
    /^(timestamp|local-timestamp|time)-(millis|micros|nanos)$/.exec(logicalType) ?? []
  const digits = UNITS[unit]
  return kind === undefined || digits === undefined ? undefined : timeWriter(digits, kind)
}

/** Of a time of day the digits after the `T` are written, and a value beyond the day as it is. */
function timeWriter(digits: number, kind: string): WriteValue {
  const perMilli = 10 ** (digits - 3)
  const [least, most, place] = kind === 'time' ? [0, MS_PER_DAY - 1, 11] : [FIRST, LAST, 0]
  const zone = kind === 'timestamp' ? 'Z' : ''
  return (from, out) => {
    const value = from.long()
    const [ms, rest] = divide(value, perMilli)
    if (ms < least || ms > most) out.ascii(String(value))
    else {
      const fraction = digits === 3 ? '' : String(rest).padStart(digits - 3, '0')
      writeText(out, `${new Date(ms).toISOString().slice(place, 23)}${fraction}${zone}`)
    }
  }
}

/** Divides towards the past: the rest is never negative. */
function divide(value: number | bigint, by: number): [ms: number, rest: number] {
  if (typeof value === 'number') {
    const ms = Math.floor(value / by)
    return [ms, value - ms * by]
  }
  const divisor = BigInt(by)
  const rest = ((value % divisor) + divisor) % divisor
  return [Number((value - rest) / divisor), Number(rest)]
}

const writeDate: WriteValue = (from, out) => {
  const days = from.long()
  const ms = Number(days) * MS_PER_DAY
  if (ms < FIRST || ms > LAST) out.ascii(String(days))
  else writeText(out, new Date(ms).toISOString().slice(0, 10))
}

const writeUuid: WriteValue = (from, out) => {
  const start = from.skip(16)
  const hex = from.bytes.toString('hex', start, start + 16)
  writeText(out, hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

function decimalWriter({ scale = 0, size }: Annotated): WriteValue | undefined {
  if (typeof scale !== 'number' || !Number.isInteger(scale) || scale < 0 || scale > MOST_SCALE)
    return undefined
  return (from, out) => writeDecimal(from, out, typeof size === 'number' ? size : from.size(), scale)
}

/** A two's complement integer, most significant byte first, with its point moved to the left. */
function writeDecimal(from: Cursor, out: ByteWriter, size: number, scale: number): void {
  const start = from.skip(size)
  if (size > MOST_DECIMAL_BYTES) throw new AvroFault('a decimal is beyond all bounds', start)
  const hex = from.bytes.toString('hex', start, start + size)
  const value = BigInt.asIntN(size * 8, BigInt(`0x${hex || '0'}`))
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  out.ascii(`${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`)
}
