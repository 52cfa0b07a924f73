const trunc = (unit: string): string => `date_trunc('${unit}', CAST(x AS TIMESTAMP))`
const pointer = (key: string): string => `'/' || replace(replace(${key}, '~', '~0'), '/', '~1')`
const extract = (kind: 'json_extract' | 'json_extract_string', ...keys: string[]): string =>
  `${kind}(j, ${keys.map(pointer).join(' || ')})`

const swapped = [0, 8, 16, 24, 32, 40, 48, 56]
  .map((at) => {
    const byte = `(n & ${255n << BigInt(at)}::UBIGINT)`
    return at < 32 ? `(${byte} << ${56 - 2 * at})` : `(${byte} >> ${2 * at - 56})`
  })
  .join(' | ')

const WRAP = `${2n ** 64n}::HUGEINT`

/** One function of the query language: its parameter lists (overloads) and what each means in DuckDB. */
type Macro = readonly [name: string, ...overloads: (readonly [parameters: string, body: string])[]]

const json = (name: string, kind: 'json_extract' | 'json_extract_string', cast: string): Macro => [
  name,
  ['j, a', cast.replace('?', extract(kind, 'a'))],
  ['j, a, b', cast.replace('?', extract(kind, 'a', 'b'))],
]

const MACRO_TABLE: readonly Macro[] = [
  // Times. A column of times is an instant; cast to TIMESTAMP it is what the clocks of the project's zone show.
  ['toDate', ['x', 'CAST(CAST(x AS TIMESTAMP) AS DATE)']],
  ['toDateTime', ['x', 'CAST(x AS TIMESTAMP)'], ['x, z', 'timezone(z, CAST(x AS TIMESTAMP))']],
  ['toDateTime64', ['x, p', 'CAST(x AS TIMESTAMP)'], ['x, p, z', 'timezone(z, CAST(x AS TIMESTAMP))']],
  ['toUnixTimestamp', ['x', 'CAST(floor(epoch(CAST(x AS TIMESTAMPTZ))) AS BIGINT)']],
  ['toTimeZone', ['x, z', 'timezone(z, CAST(x AS TIMESTAMPTZ))']],
  ['toStartOfHour', ['x', trunc('hour')]],
  ['toStartOfDay', ['x', trunc('day')]],
  [
    'toStartOfWeek',
    ['x', "CAST(date_trunc('week', CAST(x AS TIMESTAMP) + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)"],
    [
      'x, mode',
      "CAST(CASE mode % 2 WHEN 1 THEN date_trunc('week', CAST(x AS TIMESTAMP)) " +
        "ELSE date_trunc('week', CAST(x AS TIMESTAMP) + INTERVAL 1 DAY) - INTERVAL 1 DAY END AS DATE)",
    ],
  ],
  ['toStartOfMonth', ['x', `CAST(${trunc('month')} AS DATE)`]],
  ...['Minute', 'Hour', 'Day', 'Week', 'Month'].map(
    (unit): Macro => [`toInterval${unit}`, ['n', `to_${unit.toLowerCase()}s(CAST(n AS INTEGER))`]],
  ),
  ['toYYYYMM', ['x', "CAST(strftime(CAST(x AS TIMESTAMP), '%Y%m') AS INTEGER)"]],
  // Types.
  ['toString', ['x', 'CAST(x AS VARCHAR)']],
  ['toInt', ['x', 'TRY_CAST(x AS BIGINT)']],
  ['toFloat', ['x', 'TRY_CAST(x AS DOUBLE)']],
  ['toUUID', ['x', 'CAST(x AS UUID)']],
  // Properties.
  json('JSONExtractString', 'json_extract_string', "coalesce(?, '')"),
  json('JSONExtractRaw', 'json_extract', "coalesce(CAST(? AS VARCHAR), '')"),
  json('JSONExtractInt', 'json_extract_string', 'coalesce(TRY_CAST(? AS BIGINT), 0)'),
  json('JSONHas', 'json_extract', '? IS NOT NULL'),
  // Aggregates.
  ['uniq', ['x', 'count(DISTINCT x)']],
  ['uniqExact', ['x', 'count(DISTINCT x)']],
  ['sumIf', ['x, c', 'coalesce(sum(x) FILTER (c), 0)']],
  ['avgIf', ['x, c', 'avg(x) FILTER (c)']],
  ['minIf', ['x, c', 'min(x) FILTER (c)']],
  ['maxIf', ['x, c', 'max(x) FILTER (c)']],
  // Sums of unsigned numbers wrap; DuckDB's grow to 128 bits.
  ['wrapped_sum', ['x', `CASE WHEN typeof(any_value(x)) = 'HUGEINT' THEN sum(x) % ${WRAP} ELSE sum(x) END`]],
  // Bits. The first byte of a binary text is the lowest of the number, as on the service's processors.
  ['swapped_bytes', ['n', swapped]],
  // Of 128 bits, as sums of unsigned numbers wrap where DuckDB's would be too large.
  ['reinterpretAsUInt64', ['x', 'CAST(swapped_bytes(CAST(CAST(x AS BIT) AS UBIGINT)) AS HUGEINT)']],
  ['wrapped', ['n', `CAST(((n % ${WRAP}) + ${WRAP}) % ${WRAP} AS UBIGINT)`]],
  [
    'cityHash64',
    [
      'x',
      "CAST(CASE WHEN typeof(x) = 'VARCHAR' THEN city_hash_of_text(CAST(x AS VARCHAR)) " +
        'ELSE city_hash_of_number(wrapped(TRY_CAST(x AS HUGEINT))) END AS HUGEINT)',
    ],
  ],
  ['intDiv', ['x, y', 'x // y']],
  // Conditions and texts.
  ['is_null', ['x', 'x IS NULL']],
  ['is_not_null', ['x', 'x IS NOT NULL']],
  ['ifNull', ['x, y', 'coalesce(x, y)']],
  ['empty', ['x', "coalesce(CAST(x AS VARCHAR), '') IN ('', '[]')"]],
  ['notEmpty', ['x', "coalesce(CAST(x AS VARCHAR), '') NOT IN ('', '[]')"]],
  ['match', ['x, pattern', 'regexp_matches(x, pattern)']],
  ['startsWith', ['x, y', 'starts_with(x, y)']],
  ['replaceAll', ['x, y, z', 'replace(x, y, z)']],
]

/** Statements that define the query language's functions on a DuckDB connection. */
export const MACROS = MACRO_TABLE.map(([name, ...overloads]) => {
  const bodies = overloads.map(([parameters, body]) => `(${parameters}) AS (${body})`)
  return `CREATE OR REPLACE TEMP MACRO ${name} ${bodies.join(', ')};`
}).join('\n')

/** Functions that DuckDB has under another name, and functions whose names a macro cannot have. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  // Of the sandbox's clock, which a test can move: the store defines it for each read.
  ['now', 'service_now'],
  ['isNull', 'is_null'],
  ['isNotNull', 'is_not_null'],
  ['any', 'any_value'],
  ['groupArray', 'list'],
  ['groupBitXor', 'bit_xor'],
  ['sum', 'wrapped_sum'],
  ['dateDiff', 'date_diff'],
])

type Printer = (args: readonly string[]) => string

/** Functions that DuckDB spells in another way than as a function. */
export const SPECIAL: Readonly<Record<string, Printer>> = {
  // A null makes the whole a null, which DuckDB's concat() skips.
  concat: (args) => `(${args.map((arg) => `CAST(${arg} AS VARCHAR)`).join(' || ')})`,
  multiIf: (args) => {
    const cases = args.slice(0, -1)
    const pairs = cases.flatMap((arg, at) => (at % 2 === 0 ? [`WHEN ${arg} THEN ${cases[at + 1]}`] : []))
    return `CASE ${pairs.join(' ')} ELSE ${args.at(-1)} END`
  },
}
