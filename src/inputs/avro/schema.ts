import { isUtf8 } from 'node:buffer'
import { ByteWriter } from '../../record/byte-writer.ts'
import { isJsonObject } from '../../text/json.ts'
import { MIB, MS_PER_DAY } from '../../text/units.ts'

/** A schema written as an object. Its members are checked where they are used. */
interface Declared extends Annotated {
  readonly type?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly fields?: unknown
  readonly symbols?: unknown
  readonly items?: unknown
  readonly values?: unknown
}

/**
 * Compiles the schema that a file was written with into a function that reads a record and writes it as JSON: of a union
 * the value alone, of an enum its symbol, of bytes their text or else base64, of fixed bytes hexadecimal. AvroFault when it is none. Names
 * may hold any characters, and default values are not looked at: other programs write schemas that break those rules,
 * and reading needs neither.
 */
export function compileSchema(json: string): WriteValue {
  let schema: unknown
  try {
    schema = JSON.parse(json)
  } catch {
    throw new AvroFault('its schema is no JSON')
  }
  const named = new Map<string, WriteValue>()

  /** `space`: the namespace of names without a dot. */
  const compile = (schema: unknown, space: string): WriteValue => {
    if (typeof schema === 'string') return byName(schema, space)
    if (Array.isArray(schema)) return unionWriter(schema.map((branch) => compile(branch, space)))
    if (!isJsonObject(schema)) throw new AvroFault(`its schema has ${JSON.stringify(schema)} for a type`)
    const declared: Declared = schema
    const { type } = declared
    if (typeof type !== 'string') return compile(type, space)
    const logical = logicalWriter(type, declared)
    if (type === 'array') return arrayWriter(compile(declared.items, space))
    if (type === 'map') return mapWriter(compile(declared.values, space))
    if (type === 'record' || type === 'error') return compileRecord(declared, space)
    if (type === 'fixed') return name(declared, space, logical ?? fixedWriter(declared))
    if (type === 'enum') return name(declared, space, enumWriter(declared))
    return logical ?? byName(type, space)
  }

  const byName = (name: string, space: string): WriteValue => {
    const found = SCALARS.get(name) ?? named.get(fullName(name, space)) ?? named.get(name)
    if (found) return found
    throw new AvroFault(`its schema names the type ${JSON.stringify(name)}, and does not say what that is`)
  }

  const name = (schema: Declared, space: string, writer: WriteValue): WriteValue => {
    named.set(nameOf(schema, space), writer)
    return writer
  }

  const compileRecord = (schema: Declared, space: string): WriteValue => {
    const fields: Field[] = []
    // Named before its fields are compiled: one of them may hold a record of the same type.
    const writer = name(schema, space, recordWriter(fields))
    const full = nameOf(schema, space)
    const own = full.slice(0, Math.max(0, full.lastIndexOf('.')))
    if (!Array.isArray(schema.fields)) throw new AvroFault(`its schema has no fields for ${full}`)
    for (const field of schema.fields as (Declared | null)[]) {
      if (typeof field?.name !== 'string')
        throw new AvroFault(`its schema has a field without a name in ${full}`)
      const key = new ByteWriter(field.name.length + 8)
      key.utf8(`,${JSON.stringify(field.name)}:`)
      fields.push({ key, write: compile(field.type, own) })
    }
    return writer
  }
  return compile(schema, '')
}

function nameOf({ name, namespace }: Declared, space: string): string {
  if (typeof name !== 'string') throw new AvroFault('its schema has a type without a name')
  return fullName(name, typeof namespace === 'string' ? namespace : space)
}

function fullName(name: string, space: string): string {
  return name.includes('.') || space === '' ? name : `${space}.${name}`
}

interface Field {
  /** The name as JSON, between a comma and a colon. */
  readonly key: ByteWriter
  readonly write: WriteValue
}

const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a]

/** Items that take no bytes, such as nulls, in a row: more are damage, which would fill the memory. */
export const MOST_EMPTY = 10_000
/** The most that a block may hold, packed or unpacked: writers make blocks of kilobytes, some of a few megabytes. */
export const MAX_BLOCK_BYTES = 64 * MIB
/** No block makes a longer record by its values. Names can: those of a value that takes no bytes cost a file nothing. */
const MOST_JSON_BYTES = 2 * MAX_BLOCK_BYTES

function assertShort(from: Cursor, out: ByteWriter): void {
  if (out.length > MOST_JSON_BYTES)
    throw new AvroFault(`a record is over ${MOST_JSON_BYTES} bytes long as JSON`, from.at)
}

/** `fields` may be filled in later, but before the first record is read. */
function recordWriter(fields: readonly Field[]): WriteValue {
  return (from, out) => {
    assertShort(from, out)
    out.byte(OPEN)
    for (let i = 0; i < fields.length; i++) {
      const { key, write } = fields[i]!
      out.copyFrom(key, i === 0 ? 1 : 0, key.length)
      write(from, out)
    }
    out.byte(CLOSE)
  }
}

function unionWriter(branches: readonly WriteValue[]): WriteValue {
  return (from, out) => {
    const write = branches[from.size()]
    if (!write) throw new AvroFault('a value is not one of its union', from.at)
    write(from, out)
  }
}

/** Fixed bytes are hashes and ids more often than not. */
function fixedWriter({ size }: Declared): WriteValue {
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw new AvroFault('its schema has fixed bytes without a size')
  return (from, out) => writeBytes(from, out, size, 'hex')
}

function enumWriter({ symbols }: Declared): WriteValue {
  if (!Array.isArray(symbols)) throw new AvroFault('its schema has an enum without symbols')
  const texts = symbols.map((symbol) => JSON.stringify(symbol))
  return (from, out) => {
    const text = texts[from.size()]
    if (text === undefined) throw new AvroFault('a value is not one of its enum', from.at)
    out.utf8(text)
  }
}

function arrayWriter(item: WriteValue): WriteValue {
  return (from, out) => {
    out.byte(OPEN_LIST)
    writeItems(from, out, item)
    out.byte(CLOSE_LIST)
  }
}

function mapWriter(value: WriteValue): WriteValue {
  const key = SCALARS.get('string')!
  const member: WriteValue = (from, out) => {
    key(from, out)
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
  assertShort(from, out)
  let first = true
  for (let count = from.size(); count !== 0; count = from.size()) {
    // Below zero, the block's size in bytes comes next.
    if (count < 0) from.size()
    const items = Math.abs(count)
    if (items > from.end - from.at + MOST_EMPTY)
      throw new AvroFault('it counts more items than there are', from.at)
    for (let i = 0; i < items; i++) {
      if (!first) out.byte(COMMA)
      first = false
      item(from, out)
    }
  }
}

export type WriteValue = (from: Cursor, out: ByteWriter) => void

const QUOTE = 0x22
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no text has
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/
const BACKSLASH = 0x5c

const writeString: WriteValue = (from, out) => writeUtf8(from, out, from.size())

function writeUtf8(from: Cursor, out: ByteWriter, size: number): void {
  const start = from.skip(size)
  out.byte(QUOTE)
  writeEscaped(out, from.bytes, start, start + size)
  out.byte(QUOTE)
}

/** Digit by digit, as exact as they are in the file. */
const writeInteger: WriteValue = (from, out) => out.ascii(String(from.long()))

const SCALARS: ReadonlyMap<string, WriteValue> = new Map([
  ['null', (_, out) => out.ascii('null')],
  ['boolean', (from, out) => out.ascii(from.byte() === 0 ? 'false' : 'true')],
  ['int', writeInteger],
  ['long', writeInteger],
  ['float', (from, out) => writeNumber(out, shortest(from.bytes.readFloatLE(from.skip(4))))],
  ['double', (from, out) => writeNumber(out, from.bytes.readDoubleLE(from.skip(8)))],
  ['bytes', writeAnyBytes],
  ['string', writeString],
])

/** Event Hubs, Pub/Sub and Hive keep text as bytes. Others have no form in JSON. */
function writeAnyBytes(from: Cursor, out: ByteWriter): void {
  const size = from.size()
  const bytes = from.bytes.subarray(from.at, Math.min(from.at + size, from.end))
  if (isUtf8(bytes) && !CONTROL.test(bytes.toString('latin1'))) writeUtf8(from, out, size)
  else writeBytes(from, out, size, 'base64')
}

function writeBytes(from: Cursor, out: ByteWriter, size: number, form: 'base64' | 'hex'): void {
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
interface Annotated {
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
function logicalWriter(type: string, { logicalType, scale = 0, size }: Annotated): WriteValue | undefined {
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

/** What is wrong with Avro data. `at` is a byte of the file, or of the block, that is being read. */
export class AvroFault extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.name = 'AvroFault'
    this.at = at
  }
}

/** Reads the numbers and lengths of Avro's binary form out of bytes that are in memory. */
export class Cursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  end = 0

  reset(bytes: Buffer): void {
    this.bytes = bytes
    this.at = 0
    this.end = bytes.length
  }

  /** Moves past `count` bytes; returns where they begin. */
  skip(count: number): number {
    const start = this.at
    if (count < 0 || count > this.end - start)
      throw new AvroFault('a value reaches over the end of its block', start)
    this.at = start + count
    return start
  }

  byte(): number {
    return this.bytes[this.skip(1)]!
  }

  /** A length, a count or an index: what does not fit into 53 bits is damage. */
  size(): number {
    const value = this.long()
    if (typeof value === 'bigint') throw new AvroFault('a length is beyond all bounds', this.at)
    return value
  }

  /** A 64-bit integer, exact: a bigint where a number would round. Seven bits a byte, the sign in the lowest. */
  long(): number | bigint {
    let value = 0
    let scale = 1
    // Seven bytes hold 49 bits, which a number takes.
    for (let i = 0; i < 7; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      scale *= 128
    }
    let large = BigInt(value)
    for (let shift = 49n; shift <= 63n; shift += 7n) {
      const byte = this.byte()
      large |= BigInt(byte & 0x7f) << shift
      if (byte >= 0x80) continue
      const exact = BigInt.asIntN(64, (large >> 1n) ^ -(large & 1n))
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
    }
    throw new AvroFault('a number has too many bytes', this.at)
  }
}
