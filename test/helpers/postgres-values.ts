/** A type of a column: how a value of it is written in SQL, and the JSON that an export makes of it, by the server's own functions. */
export interface ColumnKind {
  /** In CREATE TABLE. */
  readonly type: string
  /** A value as its text in SQL, which stands between quotes. */
  value(random: () => number): string
  /** An expression of the column that is the JSON. */
  json(column: string): string
}

/** What a schema needs beside its tables. */
export const TYPES = `
CREATE EXTENSION hstore;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s "so"', '{a,b}');
CREATE TYPE pair AS (a int8, "b c" text, w timestamptz, n numeric[], y bytea);
CREATE DOMAIN positive AS numeric CHECK (VALUE > 0);
CREATE DOMAIN moment AS timestamptz;`

const LETTERS = [
  'a',
  'Z',
  '7',
  ' ',
  '"',
  "'",
  '\\',
  ',',
  '{',
  '}',
  '(',
  ')',
  '\n',
  '\r',
  '\t',
  '\u0001',
  '\u007f',
  'ß',
  '€',
  '\u2028',
  '漢',
  '😀',
  'NULL',
  '$1',
  '\\N',
]

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!
}

function some<T>(most: number, make: () => T, random: () => number): T[] {
  return Array.from({ length: Math.floor(random() * (most + 1)) }, make)
}

function text(random: () => number): string {
  return some(8, () => pick(LETTERS, random), random).join('')
}

function digits(most: number, random: () => number): string {
  return `${1 + Math.floor(random() * 9)}${some(most - 1, () => Math.floor(random() * 10), random).join('')}`
}

function whole(bits: bigint) {
  const most = 2n ** (bits - 1n)
  return (random: () => number): string => {
    if (random() < 0.2) return String(pick([most - 1n, -most, 0n, -1n], random))
    const value = BigInt(digits(18, random)) % most
    return String(random() < 0.5 ? -value : value)
  }
}

const NOT_FINITE = ['NaN', 'Infinity', '-Infinity']

function decimal(random: () => number): string {
  if (random() < 0.1) return pick(NOT_FINITE, random)
  const sign = random() < 0.5 ? '-' : ''
  return `${sign}${pick(['0', digits(40, random)], random)}${random() < 0.5 ? '' : `.${digits(30, random)}0`}`
}

function float(random: () => number): string {
  if (random() < 0.1) return pick([...NOT_FINITE, '-0', '1e22', '5e-324', '1.7976931348623157e308'], random)
  const bytes = Uint8Array.from({ length: 8 }, () => Math.floor(random() * 256))
  const value = random() < 0.5 ? new Float64Array(bytes.buffer)[0]! : random() * 1000
  return Number.isFinite(value) ? String(value) : '0.1'
}

function single(random: () => number): string {
  const bytes = Uint8Array.from({ length: 4 }, () => Math.floor(random() * 256))
  const value = new Float32Array(bytes.buffer)[0]!
  return Number.isFinite(value) ? String(value) : pick(NOT_FINITE, random)
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function date(random: () => number): string {
  if (random() < 0.1) return pick(['infinity', '-infinity', '0044-03-15 BC', '20240-01-01'], random)
  const year = random() < 0.7 ? 2024 : 1 + Math.floor(random() * 9998)
  return `${String(year).padStart(4, '0')}-${two(1 + Math.floor(random() * 12))}-${two(1 + Math.floor(random() * 28))}`
}

function time(random: () => number): string {
  const seconds = random() < 0.5 ? '' : `.${digits(6, random)}`
  return `${two(Math.floor(random() * 24))}:${two(Math.floor(random() * 60))}:${two(Math.floor(random() * 60))}${seconds}`
}

function moment(random: () => number): string {
  const day = date(random)
  if (day.includes('inf')) return day
  const [number, era] = day.split(' ')
  return `${number} ${time(random)}${pick(['+00', '+05:30', '-11'], random)}${era ? ` ${era}` : ''}`
}

function interval(random: () => number): string {
  const part = (most: number) => Math.floor((random() - 0.5) * most)
  return `${part(200)} years ${part(24)} months ${part(400)} days ${part(9)} hours ${part(9e9)} microseconds`
}

function hex(length: number, random: () => number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
}

function bytes(random: () => number): string {
  return `\\x${some(40, () => hex(2, random), random).join('')}`
}

function json(random: () => number): string {
  const blank = pick(['', ' ', '\n', '\r\n\t'], random)
  const value = pick(
    [`${digits(30, random)}.50`, '1e3', '-0', 'null', 'true', JSON.stringify(text(random)), '[]'],
    random,
  )
  return random() < 0.2 ? value : `{${blank}"a":${blank}${value},"b":[${value}${blank}],"a":{"c":${value}}}`
}

/** `{…}` of a list, of lists now and then. */
function array(value: (random: () => number) => string, delimiter = ',') {
  return (random: () => number): string => {
    const item = () => (random() < 0.15 ? 'NULL' : quotedItem(value(random)))
    if (random() < 0.2) return '{}'
    const row = (length: number) => `{${Array.from({ length }, item).join(delimiter)}}`
    const length = 1 + Math.floor(random() * 4)
    if (random() < 0.3) return `{${row(length)}${delimiter}${row(length)}}`
    return random() < 0.1 ? `[0:${length - 1}]=${row(length)}` : row(length)
  }
}

function quotedItem(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

function pair(random: () => number): string {
  const member = (value: string) => (random() < 0.2 ? '' : `"${value.replaceAll(/["\\]/g, '$&$&')}"`)
  const members = [whole(64n)(random), text(random), moment(random), array(decimal)(random), bytes(random)]
  return `(${members.map(member).join(',')})`
}

const asText = (column: string) => `to_json(${column}::text)`
const finite = (column: string) =>
  `CASE WHEN ${column}::text IN ('NaN', 'Infinity', '-Infinity') THEN 'null' ELSE ${column}::text END::json`
/** The server writes T and an offset itself, but not of what has no place in ISO 8601. */
const instant = (column: string) =>
  `to_json(CASE WHEN isfinite(${column}) AND ${column} BETWEEN '0001-01-01 00:00+00' AND '9999-12-31 23:59:59.999999+00'
    THEN replace(to_json(${column})#>>'{}', '+00:00', 'Z') ELSE ${column}::text END)`
/** The names of subscripts are others in an array within an array. */
const items = (column: string, item: (value: string) => string) => {
  const [i, j] = [`i${column.length}`, `j${column.length}`]
  return `CASE WHEN ${column} IS NULL THEN NULL WHEN array_ndims(${column}) = 2 THEN
     (SELECT json_agg((SELECT json_agg(${item(`${column}[${i}][${j}]`)} ORDER BY ${j}) FROM generate_subscripts(${column}, 2) ${j})
       ORDER BY ${i}) FROM generate_subscripts(${column}, 1) ${i})
   ELSE coalesce((SELECT json_agg(${item(`${column}[${i}]`)} ORDER BY ${i}) FROM generate_subscripts(${column}, 1) ${i}), '[]') END`
}
const base64 = (column: string) => `to_json(replace(encode(${column}, 'base64'), E'\\n', ''))`
const pairJson = (column: string) =>
  `CASE WHEN ${column} IS DISTINCT FROM NULL THEN json_build_object('a', (${column}).a, 'b c', (${column})."b c",
     'w', ${instant(`(${column}).w`)}, 'n', ${items(`(${column}).n`, finite)}, 'y', ${base64(`(${column}).y`)}) END`
const asIs = (column: string) => column

function kind(type: string, value: ColumnKind['value'], jsonOf: ColumnKind['json'] = asText): ColumnKind {
  return { type, value, json: jsonOf }
}

/** Every type that an export knows, and some that it takes as text. */
export const KINDS: Readonly<Record<string, ColumnKind>> = {
  int2: kind('int2', whole(16n), asIs),
  int4: kind('int4', whole(32n), asIs),
  int8: kind('int8', whole(64n), asIs),
  numeric: kind('numeric', decimal, finite),
  scaled: kind('numeric(50,10)', (random) => digits(20, random), asIs),
  float4: kind('float4', single, finite),
  float8: kind('float8', float, finite),
  bool: kind('bool', (random) => String(random() < 0.5), asIs),
  text: kind('text', text),
  varchar: kind('varchar(80)', text),
  char: kind('char(40)', text, (column) => `to_json(rpad(${column}, 40))`),
  name: kind('name', text),
  timestamptz: kind('timestamptz', moment, instant),
  timestamptz0: kind('timestamptz(0)', moment, instant),
  timestamp: kind('timestamp', (random) => moment(random).replace(/[+-]\d\d(:\d\d)?(?= BC|$)/, '')),
  date: kind('date', date),
  time: kind('time', time),
  timetz: kind('timetz', (random) => `${time(random)}+05:30`),
  interval: kind('interval', interval),
  uuid: kind('uuid', (random) => hex(32, random)),
  bytea: kind('bytea', bytes, base64),
  json: kind('json', json, (column) => `regexp_replace(${column}::text, '[\\r\\n]', ' ', 'g')::json`),
  jsonb: kind('jsonb', json, asIs),
  xml: kind('xml', (random) => `<a b="${digits(3, random)}">${digits(3, random)}</a>`),
  bit: kind('varbit', (random) => some(70, () => pick(['0', '1'], random), random).join('')),
  inet: kind(
    'inet',
    (random) => pick(['10.0.0.1/8', '::ffff:1.2.3.4', `2001:db8::${hex(4, random)}`], random),
    // A cast to text adds /128 that the value has not.
    (column) => `to_json(${column})`,
  ),
  cidr: kind('cidr', () => '10.0.0.0/8'),
  macaddr: kind('macaddr', (random) => hex(12, random)),
  money: kind('money', (random) => `${Math.floor(random() * 1e6)}.25`),
  hstore: kind('hstore', (random) => `"a ${digits(2, random)}"=>"x, \\"y\\"", b=>NULL`),
  range: kind('int4range', (random) => pick(['empty', '[1,5]', `(,${digits(4, random)})`], random)),
  tstzrange: kind('tstzrange', () => '["2024-01-01 00:00+05:30",infinity)'),
  multirange: kind('int4multirange', () => '{[1,3),[5,7)}'),
  point: kind('point', (random) => `(${random()},${digits(4, random)})`),
  polygon: kind('polygon', (random) => `((0,0),(${digits(3, random)},1.5))`),
  tsvector: kind('tsvector', () => 'fat:2A cat:1'),
  oid: kind('oid', () => '4000000000'),
  enum: kind('mood', (random) => pick(['sad', 'ok', `it's "so"`, '{a,b}'], random)),
  positive: kind('positive', (random) => `${digits(30, random)}.10`, asIs),
  moment: kind('moment', moment, instant),
  ints: kind('int8[]', array(whole(64n)), (column) => `to_json(${column})`),
  numerics: kind('numeric[]', array(decimal), (column) => items(column, finite)),
  texts: kind('text[]', array(text), (column) => `to_json(${column})`),
  moments: kind('timestamptz[]', array(moment), (column) => items(column, instant)),
  naives: kind('date[]', array(date), (column) => items(column, asText)),
  bytes: kind('bytea[]', array(bytes), (column) => items(column, base64)),
  jsons: kind('jsonb[]', array(json), (column) => `to_json(${column})`),
  boxes: kind(
    'box[]',
    array(() => '(1,2),(3,4)', ';'),
    (column) => items(column, asText),
  ),
  moods: kind(
    'mood[]',
    array((random) => pick(['sad', `it's "so"`, '{a,b}'], random)),
    (column) => items(column, asText),
  ),
  pair: kind('pair', pair, pairJson),
  pairs: kind('pair[]', array(pair), (column) => items(column, pairJson)),
}

const NULL_SHARE = 0.1

/** CREATE TABLE of all kinds, and INSERTs of rows with random values. `id` counts from 1; `created_at` is spread over `days` from 2024-03-01. */
export function tableOf(
  name: string,
  { rows, days, random }: { readonly rows: number; readonly days: number; readonly random: () => number },
): string {
  const kinds = Object.entries(KINDS)
  const columns = kinds.map(([column, { type }]) => `"${column}" ${type}`)
  const row = (_: unknown, at: number) => {
    const values = kinds.map(([, { value }]) =>
      random() < NULL_SHARE ? 'NULL' : `'${value(random).replaceAll("'", "''")}'`,
    )
    const moment = new Date(Date.UTC(2024, 2, 1) + Math.floor((at * days * 86_400_000) / rows)).toISOString()
    return `(${[at + 1, `'${moment}'`, ...values].join(', ')})`
  }
  return `CREATE TABLE ${name} (id int8 PRIMARY KEY, created_at timestamptz NOT NULL, ${columns.join(', ')});
INSERT INTO ${name} VALUES ${Array.from({ length: rows }, row).join(',\n')};`
}

/** A SELECT of the same rows as JSON, in the order of `id`. */
export function oracleOf(name: string): string {
  const columns = Object.entries(KINDS).map(
    ([column, { json: jsonOf }]) => `${jsonOf(`t."${column}"`)} AS "${column}"`,
  )
  return `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601'; SET extra_float_digits = 3;
SELECT row_to_json(o) FROM (SELECT id, ${instant('t.created_at')} AS created_at, ${columns.join(', ')} FROM ${name} t ORDER BY id) AS o;`
}

/** A JSON text's value, with each number as the text of its digits. */
export function exact(line: string): unknown {
  const quoted = line.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"#${token}"`,
  )
  return JSON.parse(quoted)
}
