import { isUtf8 } from 'node:buffer'

export type Random = () => number

/** A value as SQL that makes it, and what its JSON must be: numbers are `#` and their digits (`withDigits`). */
export interface Value {
  readonly sql: string
  readonly json: unknown
}

/** A type, and values of it. Those of `float` are compared as doubles. */
export interface ValueType {
  readonly name: string
  value(random: Random): Value
  /** True if toString() says the same as JSON does. */
  readonly isPlain?: boolean
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!
export const below = (random: Random, n: number) => Math.floor(random() * n)
export const bytesSql = (bytes: Buffer) => `unhex('${bytes.toString('hex')}')`
const literal = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function bits(random: Random, count: number): bigint {
  let value = 0n
  for (let at = 0; at < count; at += 16) value = (value << 16n) | BigInt(below(random, 65_536))
  return value
}

function integer(size: number, isSigned: boolean): ValueType {
  const name = `${isSigned ? '' : 'U'}Int${size}`
  const [least, most] = isSigned
    ? [-(1n << BigInt(size - 1)), (1n << BigInt(size - 1)) - 1n]
    : [0n, (1n << BigInt(size)) - 1n]
  return {
    name,
    isPlain: true,
    value(random) {
      const any = least + (bits(random, size) % (most - least + 1n))
      const value = pick(random, [least, most, 0n, any, any, any])
      return { sql: `to${name}('${value}')`, json: `#${value}` }
    },
  }
}

function decimal(digits: number, scale: number): ValueType {
  return {
    name: `Decimal(${digits}, ${scale})`,
    value(random) {
      const whole = String(bits(random, 288)).slice(0, 1 + below(random, digits - scale))
      const fraction = String(bits(random, 288)).padStart(scale, '0').slice(0, scale)
      const sign = random() < 0.5 ? '-' : ''
      const digitsOf = `${BigInt(whole)}${scale > 0 ? `.${random() < 0.3 ? fraction.replace(/.{2}$/, '00') : fraction}` : ''}`
      const value = /[1-9]/.test(digitsOf) ? sign + digitsOf : digitsOf
      return { sql: `CAST('${value}' AS Decimal(${digits}, ${scale}))`, json: `#${value}` }
    },
  }
}

/** The digits of a float are the shortest that read back. */
function float(name: 'Float32' | 'Float64'): ValueType {
  const bytes = Buffer.alloc(8)
  return {
    name,
    value(random) {
      for (let at = 0; at < 8; at++) bytes[at] = below(random, 256)
      const any = name === 'Float64' ? bytes.readDoubleLE() : bytes.readFloatLE()
      const small = Math.round(random() * 1e6) / 1000
      const value = pick(random, [any, any, Math.fround(small), 0.1 + 0.2, -0, 1e22, Number.NaN, -1 / 0])
      const held = name === 'Float32' ? Math.fround(value) : value
      const sql = Number.isFinite(held)
        ? `reinterpretAs${name}(unhex('${hexOf(held, name)}'))`
        : `to${name}('${Number.isNaN(held) ? 'nan' : held < 0 ? '-inf' : 'inf'}')`
      return { sql, json: Number.isFinite(held) ? new Float(held, name) : null }
    },
  }
}

function hexOf(value: number, name: 'Float32' | 'Float64'): string {
  const bytes = Buffer.alloc(name === 'Float32' ? 4 : 8)
  if (name === 'Float32') bytes.writeFloatLE(value)
  else bytes.writeDoubleLE(value)
  return bytes.toString('hex')
}

/** A float that is to be read back from any digits. */
class Float {
  readonly #value: number
  readonly #name: string

  constructor(value: number, name: string) {
    this.#value = value
    this.#name = name
  }

  /** For vitest's toEqual. */
  asymmetricMatch(other: unknown): boolean {
    if (typeof other !== 'string' || !other.startsWith('#')) return false
    const read = Number(other.slice(1))
    return Object.is(this.#name === 'Float32' ? Math.fround(read) : read, this.#value)
  }

  toString(): string {
    return `${this.#name} ${this.#value}`
  }
}

/** A string is text, or `base64:` and its bytes. */
function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : `base64:${bytes.toString('base64')}`
}

export const TEXTS = [
  '',
  'nan',
  'NULL',
  '\\N',
  "it's",
  '"q"\\/',
  'a\tb\nc\r\0',
  '\u{1f600}ü',
  '\u2028\u2029',
  '{"a":1e3}',
  '12',
]

function bytesOf(random: Random): Buffer {
  if (random() < 0.7) return Buffer.from(pick(random, TEXTS) + pick(random, TEXTS))
  return Buffer.from(Array.from({ length: below(random, 9) }, () => below(random, 256)))
}

export const string: ValueType = {
  name: 'String',
  value(random) {
    const bytes = bytesOf(random)
    return { sql: bytesSql(bytes), json: textOf(bytes) }
  },
}

const text: ValueType = {
  name: 'String',
  isPlain: true,
  value(random) {
    const value = pick(random, TEXTS) + pick(random, TEXTS)
    return { sql: bytesSql(Buffer.from(value)), json: value }
  },
}

const fixed: ValueType = {
  name: 'FixedString(5)',
  value(random) {
    const bytes = bytesOf(random).subarray(0, 5)
    return {
      sql: `toFixedString(${bytesSql(bytes)}, 5)`,
      json: textOf(Buffer.concat([bytes, Buffer.alloc(5 - bytes.length)])),
    }
  },
}

/** Times of any zone come out in UTC. */
function time(digits: number | undefined, zone: string): ValueType {
  const name = digits === undefined ? `DateTime('${zone}')` : `DateTime64(${digits}, '${zone}')`
  return {
    name,
    value(random) {
      const seconds = digits === undefined ? below(random, 2 ** 32) : below(random, 4e9) - 1e9
      const fraction = String(bits(random, 64))
        .padStart(9, '0')
        .slice(0, digits ?? 0)
      const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
      const utc = `${whole.replace('T', ' ')}${fraction && `.${fraction}`}`
      const made =
        digits === undefined ? `toDateTime('${utc}', 'UTC')` : `toDateTime64('${utc}', ${digits}, 'UTC')`
      return { sql: `toTimeZone(${made}, '${zone}')`, json: `${whole}${fraction && `.${fraction}`}Z` }
    },
  }
}

function day(name: 'Date' | 'Date32'): ValueType {
  return {
    name,
    isPlain: true,
    value(random) {
      const days = name === 'Date' ? below(random, 65_000) : below(random, 100_000) - 25_000
      const json = new Date(days * 86_400_000).toISOString().slice(0, 10)
      return { sql: `to${name}('${json}')`, json }
    },
  }
}

const others: readonly ValueType[] = [
  {
    name: 'UUID',
    isPlain: true,
    value(random) {
      const hex = bits(random, 128).toString(16).padStart(32, '0')
      const json = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return { sql: `toUUID('${json}')`, json }
    },
  },
  {
    name: 'IPv4',
    isPlain: true,
    value(random) {
      const json = Array.from({ length: 4 }, () => below(random, 256)).join('.')
      return { sql: `toIPv4('${json}')`, json }
    },
  },
  {
    name: 'IPv6',
    isPlain: true,
    value: (random) => {
      const json = `2001:db8::${1 + below(random, 9999)}`
      return { sql: `toIPv6('${json}')`, json }
    },
  },
  {
    name: `Enum16('a,(' = -1, 'it\\'s' = 300, 'null' = 2)`,
    isPlain: true,
    value(random) {
      const json = pick(random, ['a,(', "it's", 'null'])
      return { sql: literal(json), json }
    },
  },
  {
    name: 'Bool',
    value(random) {
      const json = random() < 0.5
      return { sql: String(json), json }
    },
  },
]

export const SCALARS: readonly ValueType[] = [
  ...[8, 16, 32, 64, 128, 256].flatMap((size) => [integer(size, true), integer(size, false)]),
  ...[decimal(9, 3), decimal(18, 0), decimal(38, 10), decimal(76, 20)],
  ...[float('Float32'), float('Float64'), string, text, fixed],
  ...[time(undefined, 'UTC'), time(undefined, 'Asia/Tokyo')],
  ...[0, 3, 6, 9].map((digits) =>
    time(
      digits,
      pick(() => digits / 10, ['UTC', 'Asia/Kolkata']),
    ),
  ),
  ...[day('Date'), day('Date32')],
  ...others,
]
