import { ByteWriter } from '../../record/byte-writer.ts'
import { MAX_BLOCK_BYTES } from './container.ts'
import { AvroFault, type Cursor } from './cursor.ts'
import {
  type Annotated,
  enumWriter,
  fixedWriter,
  logicalWriter,
  type WriteValue,
  writeBoolean,
  writeBytes,
  writeDouble,
  writeFloat,
  writeInteger,
  writeNull,
  writeString,
} from './scalars.ts'

const PRIMITIVES: Readonly<Record<string, WriteValue>> = {
  null: writeNull,
  boolean: writeBoolean,
  int: writeInteger,
  long: writeInteger,
  float: writeFloat,
  double: writeDouble,
  bytes: writeBytes,
  string: writeString,
}

/** Deeper than any that a program writes. Each level of types takes up to four of these. */
const MOST_SCHEMA_DEPTH = 1000

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
  return new SchemaCompiler().compile(schema, '')
}

class SchemaCompiler {
  readonly #named = new Map<string, WriteValue>()
  #depth = 0

  /** `space`: the namespace of names without a dot. */
  compile(schema: unknown, space: string): WriteValue {
    if (++this.#depth > MOST_SCHEMA_DEPTH) throw new AvroFault('its schema is nested for ever')
    const writer = this.#compile(schema, space)
    this.#depth--
    return writer
  }

  #compile(schema: unknown, space: string): WriteValue {
    if (typeof schema === 'string') return this.#byName(schema, space)
    if (Array.isArray(schema)) return unionWriter(schema.map((branch) => this.#branch(branch, space)))
    if (!isDeclared(schema)) throw new AvroFault(`its schema has ${JSON.stringify(schema)} for a type`)
    const { type } = schema
    if (typeof type !== 'string') return this.compile(type, space)
    const logical = logicalWriter(type, schema)
    if (type === 'array') return arrayWriter(this.compile(schema.items, space))
    if (type === 'map') return mapWriter(this.compile(schema.values, space))
    if (type === 'fixed') return this.#name(schema, space, logical ?? fixedWriter(sizeOf(schema)))
    if (type === 'enum') return this.#name(schema, space, enumWriter(textsOf(schema.symbols)))
    if (type === 'record' || type === 'error') return this.#record(schema, space)
    return logical ?? this.#byName(type, space)
  }

  #branch(schema: unknown, space: string): WriteValue {
    if (Array.isArray(schema)) throw new AvroFault('its schema has a union in a union')
    return this.compile(schema, space)
  }

  #byName(name: string, space: string): WriteValue {
    const primitive = Object.hasOwn(PRIMITIVES, name) ? PRIMITIVES[name] : undefined
    const found = primitive ?? this.#named.get(fullName(name, space)) ?? this.#named.get(name)
    if (!found)
      throw new AvroFault(`its schema names the type ${JSON.stringify(name)}, and does not say what that is`)
    return found
  }

  #name(schema: Declared, space: string, writer: WriteValue): WriteValue {
    this.#named.set(nameOf(schema, space), writer)
    return writer
  }

  #record(schema: Declared, space: string): WriteValue {
    const fields: Field[] = []
    // Named before its fields are compiled: one of them may hold a record of the same type.
    const writer = this.#name(schema, space, recordWriter(fields))
    const name = nameOf(schema, space)
    const own = name.slice(0, Math.max(0, name.lastIndexOf('.')))
    if (!Array.isArray(schema.fields)) throw new AvroFault(`its schema has no fields for ${name}`)
    for (const field of schema.fields as unknown[]) {
      if (!isDeclared(field) || typeof field.name !== 'string')
        throw new AvroFault(`its schema has a field without a name in ${name}`)
      fields.push({
        key: keyOf(field.name),
        write: this.compile(field.type, own),
      })
    }
    return writer
  }
}

function keyOf(name: string): ByteWriter {
  const key = new ByteWriter(name.length + 8)
  key.utf8(`,${JSON.stringify(name)}:`)
  return key
}

function isDeclared(value: unknown): value is Declared {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf({ name, namespace }: Declared, space: string): string {
  if (typeof name !== 'string') throw new AvroFault('its schema has a type without a name')
  return fullName(name, typeof namespace === 'string' ? namespace : space)
}

function fullName(name: string, space: string): string {
  return name.includes('.') || space === '' ? name : `${space}.${name}`
}

function sizeOf({ size }: Declared): number {
  if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return size
  throw new AvroFault('its schema has fixed bytes without a size')
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new AvroFault('its schema has an enum without symbols')
}

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
function recordWriter(fields: readonly Field[]): WriteValue {
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

function unionWriter(branches: readonly WriteValue[]): WriteValue {
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

function arrayWriter(item: WriteValue): WriteValue {
  return (from, out) => {
    out.byte(OPEN_LIST)
    writeItems(from, out, item)
    out.byte(CLOSE_LIST)
  }
}

function mapWriter(value: WriteValue): WriteValue {
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
