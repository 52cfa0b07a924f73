import { expect } from 'vitest'
import { mysqlAddress } from '../../src/sources/mysql/mysql-address.ts'
import { mysqlDatabase } from '../../src/sources/mysql/mysql-database.ts'
import { loadMysql } from '../../src/sources/mysql/mysql-session.ts'
import type { Database, Slice } from '../../src/sources/sql/database.ts'
import { ndjsonWriter } from '../../src/sources/sql/row-lines.ts'
import type { MariaDb } from './mariadb.ts'

/** The database at an address, as an export opens it. */
export async function openMysql(url: string, quietMs = 60_000): Promise<Database> {
  const from = { env: { MYSQL_URL: url }, stdin: process.stdin }
  return mysqlDatabase({ address: await mysqlAddress(from), driver: await loadMysql(), quietMs })
}

export interface Lines {
  readonly lines: readonly string[]
  /** The server's count. */
  readonly counted: number
}

/** The lines of a slice. `batch` is awaited after each batch of rows. */
export async function linesOf(
  database: Database,
  slice: Slice,
  { signal = new AbortController().signal, batch = async () => undefined as unknown } = {},
): Promise<Lines> {
  let writer: ReturnType<typeof ndjsonWriter> | undefined
  let counted = -1
  let text = ''
  const call = {
    signal,
    columns: (names: readonly string[]) => {
      writer = ndjsonWriter(names, { nulls: false, bigIntegersAsStrings: false })
    },
    counted: (rows: number) => {
      counted = rows
    },
    notFinite: (column: string) => expect.fail(`${column} is not finite`),
    notText: (column: string) => expect.fail(`${column} is no text`),
  }
  for await (const rows of database.read(slice, call)) {
    text += writer!(rows).toString()
    await batch()
  }
  return { lines: text.split('\n').slice(0, -1), counted }
}

/** All rows of a table, in the order of its column `id` if it has one. */
export function wholeTable(name: string): Slice {
  return {
    relation: { kind: 'table', schema: undefined, name },
    where: { by: 'all', order: undefined },
    only: [],
  }
}

interface TypeCase {
  readonly type: string
  /** What the other client is asked for; `?` is the column. */
  readonly oracle: string
  /** The JSON of what it answers. */
  readonly json: (bytes: Buffer) => string
  readonly value: (random: () => number) => string
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!
const digits = (count: number, random: () => number) =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('')
const hex = (text: string) => `_utf8mb4 X'${Buffer.from(text).toString('hex')}'`
const pad = (value: number, length: number) => String(value).padStart(length, '0')
const upTo = (most: number, random: () => number) => Math.floor(random() * (most + 1))

const bare = (bytes: Buffer) => bytes.toString('latin1')
const quoted = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8'))
const base64 = (bytes: Buffer) => `"${bytes.toString('base64')}"`
const instant = (bytes: Buffer) => `"${bytes.toString('latin1').replace(' ', 'T')}Z"`

const integer = (type: string, least: bigint, most: bigint): TypeCase => ({
  type,
  oracle: 'CAST(? AS CHAR)',
  json: bare,
  value: (random) => {
    if (random() < 0.4) return String(pick([least, least + 1n, 0n, most - 1n, most], random))
    return String(least + (BigInt(`1${digits(25, random)}`) % (most - least + 1n)))
  },
})

const number = (type: string, value: TypeCase['value']): TypeCase => {
  return { type, oracle: 'CAST(? AS CHAR)', json: bare, value }
}

/** A double of any size, by its bits. */
function anyDouble(random: () => number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setUint32(0, Math.floor(random() * 2 ** 32))
  view.setUint32(4, Math.floor(random() * 2 ** 32))
  const value = view.getFloat64(0)
  return Number.isFinite(value)
    ? String(value)
    : pick(['1e22', '0.30000000000000004', '-0e0', '5e-324'], random)
}

function anyFloat(random: () => number): string {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, Math.floor(random() * 2 ** 32))
  const value = view.getFloat32(0)
  return Number.isFinite(value)
    ? String(value)
    : pick(['0.1', '-0e0', '16777217', '1e10', '3.4028234e38'], random)
}

/** What no other text of fewer digits reads back as the same float: by trying them all. */
function floatJson(bytes: Buffer): string {
  const value = Number(bytes.toString('latin1'))
  for (let count = 1; count < 10; count++) {
    const short = value.toExponential(count - 1)
    if (Math.fround(Number(short)) === value)
      return String(Number(short)).replace(/^0$/, Object.is(value, -0) ? '-0' : '0')
  }
  throw new RangeError(`${value} is no float`)
}

const LATIN = [
  '',
  'a',
  "it's",
  '"',
  '\\',
  '%_',
  '\0',
  '\n',
  '\t',
  'é',
  'ÿ',
  ' ',
  'NULL',
  '\\N',
  '\u007f',
  '€',
]
const UNICODE = [
  ...LATIN,
  '\u2028',
  '日本',
  '\u{1f600}',
  '\u{10ffff}',
  '\ufeff',
  'e\u0301',
  '?',
  '{from}',
  '`',
]
const THREE_BYTES = UNICODE.filter((text) => !/[\u{10000}-\u{10ffff}]/u.test(text))

const text = (type: string, words: readonly string[], most = 12): TypeCase => ({
  type,
  oracle: 'CONVERT(? USING utf8mb4)',
  json: quoted,
  value: (random) =>
    hex(
      Array.from({ length: upTo(most, random) }, () => pick(words, random))
        .join('')
        .slice(0, 60),
    ),
})

const bytes = (type: string, most: number, oracle = '?'): TypeCase => ({
  type,
  oracle,
  json: base64,
  value: (random) =>
    `X'${Array.from({ length: upTo(most, random) }, () => pad(upTo(255, random), 0))
      .map((n) => Number(n).toString(16).padStart(2, '0'))
      .join('')}'`,
})

const day = (random: () => number, first: number, last: number) =>
  `${pad(first + upTo(last - first, random), 4)}-${pad(1 + upTo(11, random), 2)}-${pad(1 + upTo(27, random), 2)}`
const clock = (random: () => number, fraction: number) =>
  `${pad(upTo(23, random), 2)}:${pad(upTo(59, random), 2)}:${pad(upTo(59, random), 2)}${fraction ? `.${digits(fraction, random)}` : ''}`

const dated = (type: string, value: TypeCase['value'], json = quoted): TypeCase => {
  return { type, oracle: 'CAST(? AS CHAR)', json, value }
}

const JSONS = [
  '{"a": 1.10, "a":2}',
  '[1e3,12345678901234567890, null]',
  '{ "k":\r\n "line\\nbreak é" }',
  '"\\ud83d\\ude00"',
  '3',
  'null',
]

/** Every type that a table can have, and how its values are made, written and read by somebody else. */
export const TYPE_CASES: readonly TypeCase[] = [
  integer('TINYINT', -128n, 127n),
  integer('TINYINT UNSIGNED', 0n, 255n),
  integer('BOOLEAN', 0n, 1n),
  integer('SMALLINT', -32768n, 32767n),
  integer('MEDIUMINT', -8388608n, 8388607n),
  integer('INT', -2147483648n, 2147483647n),
  integer('INT UNSIGNED', 0n, 4294967295n),
  integer('BIGINT', -(2n ** 63n), 2n ** 63n - 1n),
  integer('BIGINT UNSIGNED', 0n, 2n ** 64n - 1n),
  {
    ...integer('INT(8) ZEROFILL', 0n, 4294967295n),
    oracle: "LPAD(?, GREATEST(8, LENGTH(?)), '0')",
    json: quoted,
  },
  number(
    'DECIMAL(65,30)',
    (random) => `${pick(['', '-'], random)}${digits(35, random)}.${digits(30, random)}`,
  ),
  number(
    'DECIMAL(10,2)',
    (random) => `${pick(['', '-'], random)}${digits(upTo(7, random) + 1, random)}.${digits(2, random)}`,
  ),
  number('DOUBLE', anyDouble),
  { type: 'FLOAT', oracle: 'CAST(? * 1e0 AS CHAR)', json: floatJson, value: anyFloat },
  { ...bytes('BIT(64)', 8, 'CONCAT(?)'), value: (random) => `X'${digits(16, random)}'` },
  { ...bytes('BIT(3)', 1, 'CONCAT(?)'), value: (random) => `b'${upTo(7, random).toString(2)}'` },
  bytes('BINARY(16)', 16),
  bytes('VARBINARY(64)', 64),
  bytes('TINYBLOB', 200),
  bytes('LONGBLOB', 2000),
  { ...bytes('POINT', 0), value: (random) => `POINT(${random()}, ${-random()})` },
  { ...bytes('GEOMETRY', 0), value: (random) => `ST_GeomFromText('LINESTRING(0 0,${random()} 1)', 4326)` },
  dated(
    'TIMESTAMP(6) NULL',
    (random) => `'${day(random, 1970, 2037).replace('1970-01-01', '1970-01-02')} ${clock(random, 6)}'`,
    instant,
  ),
  dated('TIMESTAMP NULL', (random) => `'${day(random, 1971, 2037)} ${clock(random, 0)}'`, instant),
  dated('DATETIME(6)', (random) =>
    pick([`'${day(random, 0, 9999)} ${clock(random, 6)}'`, "'0000-00-00'", "'2024-00-00'"], random),
  ),
  dated('DATETIME', (random) => `'${day(random, 1000, 9999)} ${clock(random, 0)}'`),
  dated('DATE', (random) => pick([`'${day(random, 0, 9999)}'`, "'0000-00-00'", "'2024-02-00'"], random)),
  dated('TIME(6)', (random) =>
    pick(["'-838:59:59'", "'838:59:59'", "'24:00:00'", `'-${clock(random, 6)}'`], random),
  ),
  dated('YEAR', (random) => String(1901 + upTo(254, random)), bare),
  dated("ENUM('a','it''s','é','')", (random) => pick(["'a'", "'it''s'", "'é'", "''"], random)),
  dated("SET('x','y','z')", (random) => pick(["''", "'x'", "'x,z'", "'x,y,z'"], random)),
  {
    ...text('JSON', []),
    json: (json) => json.toString('utf8').replaceAll(/[\r\n]/g, ' '),
    value: (random) => hex(pick(JSONS, random)),
  },
  text('CHAR(64) CHARACTER SET latin1', LATIN),
  text('VARCHAR(64) CHARACTER SET utf8mb4', UNICODE),
  text('VARCHAR(64) CHARACTER SET utf8mb3', THREE_BYTES),
  text('VARCHAR(64) CHARACTER SET utf16', UNICODE),
  text('VARCHAR(64) CHARACTER SET cp1251', ['a', 'Я', 'ж', '№', '\\']),
  text('VARCHAR(64) CHARACTER SET sjis', ['a', '日', 'ソ', 'ｱ']),
  text('VARCHAR(64) CHARACTER SET gbk', ['a', '汉', '縗']),
  text('TEXT CHARACTER SET latin1', LATIN),
  text('LONGTEXT CHARACTER SET utf8mb4', UNICODE, 500),
  dated(
    'UUID',
    (random) =>
      `'${digits(8, random)}-abcd-4${digits(3, random)}-8${digits(3, random)}-${digits(12, random)}'`,
  ),
  dated('INET6', (random) => pick(["'::1'", "'2001:db8::ff00:42:8329'", "'::ffff:192.0.2.1'"], random)),
]

/** Makes the table of all types. */
export async function makeTypeTable(server: MariaDb): Promise<void> {
  const columns = TYPE_CASES.map(({ type }, at) => `c${at} ${type.endsWith('NULL') ? type : `${type} NULL`}`)
  await server.run(
    `CREATE TABLE every_type (id BIGINT PRIMARY KEY, ${columns.join(', ')}) ROW_FORMAT=DYNAMIC`,
  )
}

/** Writes rows from `first` on, and holds what is read of them against what the other client says. */
export async function checkTypes(
  server: MariaDb,
  database: Database,
  { first, rows, random }: { readonly first: number; readonly rows: number; readonly random: () => number },
): Promise<void> {
  const values = Array.from({ length: rows }, (_, n) => {
    const cells = TYPE_CASES.map(({ value }) => (random() < 0.1 ? 'NULL' : value(random)))
    return `(${[first + n, ...cells].join(', ')})`
  })
  const mode = "SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00';\n"
  for (let at = 0; at < rows; at += 500) {
    await server.run(`${mode}INSERT INTO every_type VALUES ${values.slice(at, at + 500).join(',\n')}`)
  }
  const asked = TYPE_CASES.map(({ oracle }, at) => `IFNULL(HEX(${oracle.replaceAll('?', `c${at}`)}), 'NULL')`)
  const range = `id >= ${first} AND id < ${first + rows}`
  const answer = await server.run(
    `${mode}SELECT id, ${asked.join(', ')} FROM every_type WHERE ${range} ORDER BY id`,
  )
  const expected = answer
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [id, ...cells] = line.split('\t')
      const members = cells.flatMap((cell, at) =>
        cell === 'NULL' ? [] : [`"c${at}":${TYPE_CASES[at]!.json(Buffer.from(cell, 'hex'))}`],
      )
      return `{${[`"id":${id}`, ...members].join(',')}}`
    })
  const { signal } = new AbortController()
  const relation = { kind: 'table', schema: undefined, name: 'every_type' } as const
  const column = (await database.columns(relation, signal)).find(({ name }) => name === 'id')!
  const where = { by: 'key', column, from: BigInt(first), to: BigInt(first + rows) } as const
  const { lines, counted } = await linesOf(database, { relation, where, only: [] })
  expect(counted).toBe(rows)
  expect(lines).toHaveLength(rows)
  const differing = lines.findIndex((line, at) => line !== expected[at])
  expect(lines[differing]).toBe(expected[differing])
  for (const line of lines) JSON.parse(line)
}
