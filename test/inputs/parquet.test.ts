import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { parquetLines } from '../../src/inputs/parquet.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { avroFile } from '../helpers/avro.ts'
import { folderOf } from '../helpers/folder.ts'
import { renameColumns, writeParquet } from '../helpers/parquet.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { Collected, readFileAs } from './collected.ts'

interface Written {
  readonly under?: string
  readonly renamed?: Readonly<Record<string, string>>
  readonly footer?: readonly [text: string, by: string]
}

/** The records of a file with the rows of a query. */
async function read(select: string, { under = '', renamed = {}, footer }: Written = {}): Promise<string[]> {
  const folder = join(folderOf({}), under)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'rows.parquet')
  await writeParquet(path, select)
  renameColumns(path, renamed, footer)
  const [input] = await listInputs([path])
  const sink = new Collected()
  await readRecords(input!, sink)
  return sink.lines
}

// The first names are those that a query is made of, and those that DuckDB adds to rows itself.
const NAMES = 't c0 c1 file_rows row file_row_number filename file_index rowid json'.split(' ')
const HARD = ['a b', 'a"b', "a'b", 'a\\b', 'select', 'Größe', '$set', 'a.b', '1', '*', '__proto__']

test.each([...NAMES, ...HARD])('a column named %j is one member among others', async (name) => {
  const quoted = `"${name.replaceAll('"', '""')}"`
  const scalar = await read(`SELECT 1 AS before, 'x' AS ${quoted}, 2 AS after`)
  expect(scalar).toEqual([`{"before":1,${JSON.stringify(name)}:"x","after":2}`])
  const struct = await read(`SELECT 1 AS before, {${quoted}: 'x', 'after': 2} AS ${quoted}`)
  // The text itself: an object's names would come in another order.
  expect(struct).toEqual([`{"before":1,${JSON.stringify(name)}:{${JSON.stringify(name)}:"x","after":2}}`])
})

test('all of them in one file keep their order', async () => {
  const names = [...NAMES, ...HARD]
  const columns = names.map((name, place) => `${place} AS "${name.replaceAll('"', '""')}"`)
  const members = names.map((name, place) => `${JSON.stringify(name)}:${place}`)
  expect(await read(`SELECT ${columns.join(', ')}`)).toEqual([`{${members.join(',')}}`])
})

test('columns that differ only in case, and one without a name, keep their names', async () => {
  const select = `SELECT 1 AS "IDQ", 2 AS "idR", 3 AS "id_1", 4 AS "nothing"`
  const renamed = { IDQ: 'ID', idR: 'id', nothing: '' }
  expect(await read(select, { renamed })).toEqual(['{"ID":1,"id":2,"id_1":3,"":4}'])
})

test("a folder's names of the form key=value are no columns", async () => {
  expect(await read("SELECT 'x' AS t, 'mine' AS country", { under: 'country=DE/day=2024-01-02' })).toEqual([
    '{"t":"x","country":"mine"}',
  ])
})

test.each([
  ['SELECT 1 AS idQ, 2 AS idR', { idQ: 'id', idR: 'id' }, 'has two columns named "id"'],
  [
    "SELECT {'IDQ': 1, 'idR': 2} AS account",
    { IDQ: 'ID', idR: 'id' },
    'has two members in account that differ only in case, "ID" and "id"',
  ],
  [
    "SELECT [{'a': {'idQ': 1, 'idR': 2}}] AS items",
    { idQ: 'id', idR: 'id' },
    'has two members in items.list.element.a named "id"',
  ],
])('two values of one name are refused: %s', async (select, renamed, message) => {
  await expect(read(select, { renamed })).rejects.toThrow(message)
})

test('JSON is kept as it is written, on one line; what is none is text', async () => {
  const json = `'{"b": 1.0,\n"a":12345678901234567890123, "a":1e5}'::JSON`
  const select = `SELECT 1 AS n, ${json} AS j, {'j': ${json}} AS s UNION ALL SELECT NULL, NULL, NULL`
  expect(await read(select)).toEqual([
    '{"n":1,"j":{"b": 1.0, "a":12345678901234567890123, "a":1e5},"s":{"j":"{\\"b\\": 1.0,\\n\\"a\\":12345678901234567890123, \\"a\\":1e5}"}}',
    '{"n":null,"j":null,"s":null}',
  ])
})

test('times of the old form are in UTC, as Parquet says; those of the new one say it themselves', async () => {
  const select = `SELECT TIMESTAMP '2024-03-01 10:00:00' AS t, {'t': TIMESTAMP '2024-03-01 10:00:00.123456'} AS s`
  const zoneless = '{"t":"2024-03-01 10:00:00","s":{"t":"2024-03-01 10:00:00.123456"}}'
  expect(await read(select)).toEqual([zoneless])
  const isOld = zoneless.replaceAll(/[\d.]"(?=[,}])/g, (end) => `${end[0]}+00"`)
  // The logical type's field gets a number that no reader knows.
  expect(await read(select, { footer: ['\x4c\x8c', '\x5c\x8c'] })).toEqual([isOld])
})

test('a column of bytes is text where it is UTF-8: Impala and Hive write text so', async () => {
  const rows = `SELECT encode(v) AS id, '\\xFF\\x00'::BLOB AS raw FROM (VALUES ('müller "x"'), ('日本'), (NULL)) t(v)`
  expect((await read(rows)).map((line) => JSON.parse(line))).toEqual(
    ['müller "x"', '日本', null].map((id) => ({ id, raw: '\\xFF\\x00' })),
  )
})

test('values have the text that they had as a whole row', async () => {
  const lines = await read(
    `SELECT TIMESTAMP '2024-01-02 03:04:05.678' AS a, TIMESTAMPTZ '2024-01-02 03:04:05.678+02' AS b,
      DATE '2024-01-02' AS d, 1234567890123456789012345678.0123456789::DECIMAL(38, 10) AS e, 'nan'::DOUBLE AS f,
      {'a': NULL} AS g, [1, NULL] AS h, MAP {'x': 1} AS i, NULL::INT AS j, '{"a": 1.0}' AS k, TRUE AS l,
      12345678901234567890::UBIGINT AS m, [{'key': 'page', 'value': 9223372036854775807::BIGINT}] AS n,
      1.0::DOUBLE AS o, 'é " NaN' || chr(10) || chr(8232) AS p`,
  )
  expect(lines).toEqual([
    '{"a":"2024-01-02 03:04:05.678","b":"2024-01-02 01:04:05.678+00","d":"2024-01-02",' +
      '"e":1234567890123456789012345678.0123456789,"f":null,"g":{"a":null},"h":[1,null],"i":{"x":1},"j":null,' +
      '"k":"{\\"a\\": 1.0}","l":true,"m":12345678901234567890,"n":[{"key":"page","value":9223372036854775807}],' +
      '"o":1.0,"p":"é \\" NaN\\n\u2028"}',
  ])
})

test('a decimal keeps its digits and a time its precision, wherever they are', async () => {
  const [line] = await read(
    `SELECT 10.50::DECIMAL(9, 2) AS a, 0.00::DECIMAL(4, 2) AS b, -3.10::DECIMAL(18, 2) AS c,
      1234567890123456.70::DECIMAL(18, 2) AS d, -0.123456789012345670::DECIMAL(18, 18) AS e,
      '0.50000000000000000000000000000000000000'::DECIMAL(38, 38) AS f, 7::DECIMAL(18, 0) AS g,
      [1.10::DECIMAL(5, 2), NULL] AS h, {'DECIMAL(5,2) "x"': 2.50::DECIMAL(5, 2), 'select': 'a .5'} AS i,
      MAP {'k': 1.20::DECIMAL(9, 2)} AS j, TIMESTAMP_NS '2024-03-01 12:34:56.123456789' AS k,
      TIMESTAMP '2024-03-01 12:34:56.789120' AS l, NULL::DECIMAL(5, 2) AS m`,
  )
  expect(line).toBe(
    '{"a":10.50,"b":0.00,"c":-3.10,"d":1234567890123456.70,"e":-0.123456789012345670,' +
      '"f":0.50000000000000000000000000000000000000,"g":7,"h":[1.10,null],' +
      '"i":{"DECIMAL(5,2) \\"x\\"":2.50,"select":"a .5"},"j":{"k":1.20},' +
      '"k":"2024-03-01 12:34:56.123456789","l":"2024-03-01 12:34:56.78912","m":null}',
  )
})

/** As Spark and Impala wrote times: 2024-03-01T12:34:56.789120123Z, and a nanosecond before 1970. */
const INT96 =
  'UEFSMRUAFUgVSCwVBhUAFQYVBgAAe2QGezIpAADTiiUA//9OkZROAACLPSUAAAAAAAAAAACMPSUAFQIZLEgGc2NoZW1hFQIAFQYlABgBdAAWBhkcGRwm' +
  'CBwVBhkVABkYAXQVABYGFmoWaiYIAAAWahYGAAA7AAAAUEFSMQ=='

test('INT96 is a time to the microsecond', async () => {
  const { lines } = await readFileAs('spark.parquet', Buffer.from(INT96, 'base64'))
  expect(lines).toEqual([
    '{"t":"2024-03-01 12:34:56.78912"}',
    '{"t":"1969-12-31 23:59:59.999999"}',
    '{"t":"1970-01-01 00:00:00"}',
  ])
})

test('NaN and infinities are null wherever they are, and counted; text stays', async () => {
  const folder = folderOf({})
  const path = join(folder, 'rows.parquet')
  await writeParquet(
    path,
    `SELECT 'nan'::FLOAT AS a, ['inf'::DOUBLE, 1.5] AS b, {'x': '-inf'::FLOAT, 'NaN': 'NaN'} AS c, ':NaN,' AS d`,
  )
  const [input] = await listInputs([path])
  const sink = new Collected()
  const mends = { not_finite: 0 }
  await readRecords(input!, sink, { mends })
  expect(sink.lines).toEqual(['{"a":null,"b":[null,1.5],"c":{"x":null,"NaN":"NaN"},"d":":NaN,"}'])
  expect(mends.not_finite).toBe(3)
  const whole: Buffer[] = []
  for await (const lines of parquetLines(input!)) whole.push(lines)
  expect(Buffer.concat(whole).toString()).toBe(`${sink.lines[0]}\n`)
})

const random = seeded(seedOf('floats'))
const whole = (below: number) => Math.floor(random() * below)
/** As prices, places and rates are; below what a float counts one by one. */
const SHORT = Array.from({ length: 300 }, () => Number(`${whole(1_000_000)}e${whole(38) - 37}`))
/** Any bits. DuckDB gives about one of 200 its exact value of 9 digits, where fewer would do. */
const BITS = Array.from({ length: 300 }, () => Buffer.of(...Array.from({ length: 4 }, () => whole(256))))
  .map((bits) => bits.readFloatLE())
  .filter(Number.isFinite)

test('a 32-bit float is the short number that it was made of, in Parquet as in Avro', async () => {
  const told = [0.1, 52.52, -0.5, 1e-45, 3.4028235e38, 16777216, ...SHORT]
  const values = [...told, ...BITS].map(Math.fround)
  const made = values.map((value) => `{'a': '${value}'::DOUBLE::FLOAT}`)
  const rows = await read(
    `SELECT v.a AS f, {'FLOAT': [v.a], 't': 'FLOAT'} AS g FROM (SELECT unnest([${made.join(', ')}]) AS v)`,
  )
  const schema = { type: 'record', name: 'R', fields: [{ name: 'f', type: 'float' }] }
  const records = values.map((f) => ({ f }))
  const { lines } = await readFileAs('t.avro', avroFile(schema, records))
  const avro = lines.map((line) => JSON.parse(line).f)
  const parquet = rows.map((line) => JSON.parse(line))
  const nested = parquet.map(({ g }) => g.FLOAT[0])
  for (const numbers of [avro, parquet.map(({ f }) => f), nested]) {
    expect(numbers.slice(0, told.length)).toEqual(told)
    expect(numbers.map(Math.fround)).toEqual(values)
  }
})
