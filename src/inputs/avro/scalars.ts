import type { ByteWriter } from '../../record/byte-writer.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import type { Cursor } from './cursor.ts'

/** Reads one value and writes it as JSON. */
export type WriteValue = (from: Cursor, out: ByteWriter) => void

const QUOTE = 0x22
const BACKSLASH = 0x5c

const writeString: WriteValue = (from, out) => {
  const size = from.size()
  const start = from.skip(size)
  out.byte(QUOTE)
  writeEscaped(out, from.bytes, start, start + size)
  out.byte(QUOTE)
}

/** Digit by digit, as exact as they are in the file. */
const writeInteger: WriteValue = (from, out) => out.ascii(String(from.long()))

export const SCALARS: ReadonlyMap<string, WriteValue> = new Map([
  ['null', (_, out) => out.ascii('null')],
  ['boolean', (from, out) => out.ascii(from.byte() === 0 ? 'false' : 'true')],
  ['int', writeInteger],
  ['long', writeInteger],
  ['float', (from, out) => writeNumber(out, shortest(from.bytes.readFloatLE(from.skip(4))))],
  ['double', (from, out) => writeNumber(out, from.bytes.readDoubleLE(from.skip(8)))],
  // Bytes have no form in JSON.
  ['bytes', (from, out) => writeBytes(from, out, from.size(), 'base64')],
  ['string', writeString],
])

export function writeBytes(from: Cursor, out: ByteWriter, size: number, form: 'base64' | 'hex'): void {
  const start = from.skip(size)
  writeText(out, from.bytes.toString(form, start, start + size))
}

/** Writes text that has nothing to escape. */
function writeText(out: ByteWriter, text: string): void {
  out.ascii(`"${text}"`)
}

/** NaN and infinities stay as Python's JSON has them: `PythonJsonSink` makes them null, and counts them. */
function writeNumber(out: ByteWriter, value: number): void {
  out.ascii(Object.is(value, -0) ? '-0' : String(value))
}

/** The shortest number that is this 32-bit float, in 9 digits at most: 52.52, where the nearest double is 52.52000045776367. */
function shortest(value: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
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
/** The years 0000 to 9999, which four digits can say, in milliseconds. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999]

/**
 * How a value of a logical type is written, when its meaning is more than its number: a time as text with all its
 * digits, in UTC, with a Z where it is an instant; a decimal as a number. Undefined for a type that says no more, and for
 * one that this reader does not know, whose value stays as it is.
 */
export function logicalWriter(
  type: string,
  { logicalType, scale = 0, size }: Annotated,
): WriteValue | undefined {
  if (typeof logicalType !== 'string') return undefined
  if (logicalType === 'decimal' && (type === 'bytes' || type === 'fixed')) return decimalWriter(scale, size)
  if (logicalType === 'uuid' && type === 'fixed' && size === 16) return writeUuid
  if (type === 'int' && logicalType === 'date') return writeDate
  if (type !== 'long' && type !== 'int') return undefined
  const [, kind, unit = ''] =
    /^(timestamp|local-timestamp|time)-(millis|micros|nanos)$/.exec(logicalType) ?? []
  return kind === undefined ? undefined : timeWriter(UNITS[unit]!, kind)
}

/** Of a time of day the digits after the `T` are written, and a value beyond the day as it is. */
function timeWriter(digits: number, kind: string): WriteValue {
  const perMilli = BigInt(10 ** (digits - 3))
  const [least, most, place] = kind === 'time' ? [0, MS_PER_DAY - 1, 11] : [FIRST, LAST, 0]
  const zone = kind === 'timestamp' ? 'Z' : ''
  return (from, out) => {
    const value = BigInt(from.long())
    // Towards the past: the rest is never negative.
    const rest = ((value % perMilli) + perMilli) % perMilli
    const ms = Number((value - rest) / perMilli)
    const fraction = digits === 3 ? '' : String(rest).padStart(digits - 3, '0')
    if (ms < least || ms > most) out.ascii(String(value))
    else writeText(out, `${new Date(ms).toISOString().slice(place, 23)}${fraction}${zone}`)
  }
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

/** A two's complement integer, most significant byte first, with its point moved to the left. */
function decimalWriter(scale: unknown, fixed: unknown): WriteValue | undefined {
  if (typeof scale !== 'number' || !Number.isInteger(scale) || scale < 0 || scale > MOST_SCALE)
    return undefined
  return (from, out) => {
    const size = typeof fixed === 'number' ? fixed : from.size()
    const start = from.skip(size)
    const hex = from.bytes.toString('hex', start, start + size)
    const value = BigInt.asIntN(size * 8, BigInt(`0x${hex || '0'}`))
    const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
    const whole = digits.slice(0, digits.length - scale)
    out.ascii(`${value < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`)
  }
}
