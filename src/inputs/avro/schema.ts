import { ByteWriter } from '../../record/byte-writer.ts'
import { isJsonObject } from '../../text/json.ts'
import { MAX_BLOCK_BYTES } from './container.ts'
import { AvroFault, type Cursor } from './cursor.ts'
import { type Annotated, logicalWriter, SCALARS, type WriteValue, writeBytes } from './scalars.ts'

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
 * the value alone, of an enum its symbol, of bytes base64, of fixed bytes hexadecimal. AvroFault when it is none. Names
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
    if (!write) throw new AvroFault('a value is none of its union', from.at)
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
    if (text === undefined) throw new AvroFault('a value is none of its enum', from.at)
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
