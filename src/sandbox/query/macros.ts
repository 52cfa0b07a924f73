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

/** One function of the query language: its parameter lists (overloads) and what each means in DuckDB. */
type Macro = readonly [name: string, ...overloads: (readonly [parameters: string, body: string])[]]

const json = (name: string, kind: 'json_extract' | 'json_extract_string', cast: string): Macro => [
  name,
  ['j, a', cast.replace('?', extract(kind, 'a'))],
  ['j, a, b', cast.replace('?', extract(kind, 'a', 'b'))],
]

const MACRO_TABLE: readonly Macro[] = [
  // Times. A column of times is an instant; cast to TIMESTAMP it is what the clocks of the project's zone show.
  ['yesterday', ['', 'current_date() - 1']],
  ['toDate', ['x', 'CAST(CAST(x AS TIMESTAMP) AS DATE)']],
  ['toDateTime', ['x', 'CAST(x AS TIMESTAMP)'], ['x, z', 'timezone(z, CAST(x AS TIMESTAMP))']],
  ['toDateTime64', ['x, p', 'CAST(x AS TIMESTAMP)'], ['x, p, z', 'timezone(z, CAST(x AS TIMESTAMP))']],
  ['parseDateTimeBestEffort', ['x', 'CAST(x AS TIMESTAMP)']],
  ['fromUnixTimestamp', ['x', 'to_timestamp(x)']],
  ['toUnixTimestamp', ['x', 'CAST(floor(epoch(CAST(x AS TIMESTAMPTZ))) AS BIGINT)']],
  ['toUnixTimestamp64Micro', ['x', 'epoch_us(CAST(x AS TIMESTAMPTZ))']],
  ['toTimeZone', ['x, z', 'timezone(z, CAST(x AS TIMESTAMPTZ))']],
  ['toStartOfMinute', ['x', trunc('minute')]],
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
  ['toMonday', ['x', `CAST(${trunc('week')} AS DATE)`]],
  ['toStartOfMonth', ['x', `CAST(${trunc('month')} AS DATE)`]],
  ['toStartOfQuarter', ['x', `CAST(${trunc('quarter')} AS DATE)`]],
  ['toStartOfYear', ['x', `CAST(${trunc('year')} AS DATE)`]],
  ['toStartOfInterval', ['x, i', 'time_bucket(i, CAST(x AS TIMESTAMP))']],
  ['dateTrunc', ['unit, x', 'date_trunc(unit, CAST(x AS TIMESTAMP))']],
  ...['Second', 'Minute', 'Hour', 'Day', 'Week', 'Month', 'Year'].map(
    (unit): Macro => [`toInterval${unit}`, ['n', `to_${unit.toLowerCase()}s(CAST(n AS INTEGER))`]],
  ),
  ['toYear', ['x', 'year(CAST(x AS TIMESTAMP))']],
  ['toMonth', ['x', 'month(CAST(x AS TIMESTAMP))']],
  ['toDayOfMonth', ['x', 'day(CAST(x AS TIMESTAMP))']],
  ['toHour', ['x', 'hour(CAST(x AS TIMESTAMP))']],
  ['toYYYYMM', ['x', "CAST(strftime(CAST(x AS TIMESTAMP), '%Y%m') AS INTEGER)"]],
  ['toYYYYMMDD', ['x', "CAST(strftime(CAST(x AS TIMESTAMP), '%Y%m%d') AS INTEGER)"]],
  ['formatDateTime', ['x, f', 'strftime(CAST(x AS TIMESTAMP), f)']],
  // Types.
  ['toString', ['x', 'CAST(x AS VARCHAR)']],
  ['toInt', ['x', 'TRY_CAST(x AS BIGINT)']],
  ['toFloat', ['x', 'TRY_CAST(x AS DOUBLE)']],
  ['toUUID', ['x', 'CAST(x AS UUID)']],
  // Properties.
  json('JSONExtractString', 'json_extract_string', "coalesce(?, '')"),
  json('JSONExtractRaw', 'json_extract', "coalesce(CAST(? AS VARCHAR), '')"),
  json('JSONExtractInt', 'json_extract_string', 'coalesce(TRY_CAST(? AS BIGINT), 0)'),
  json('JSONExtractFloat', 'json_extract_string', 'coalesce(TRY_CAST(? AS DOUBLE), 0)'),
  json('JSONExtractBool', 'json_extract_string', "coalesce(? = 'true', false)"),
  json('JSONHas', 'json_extract', '? IS NOT NULL'),
  ['JSONExtractKeys', ['j', 'json_keys(j)']],
  // Aggregates.
  ['uniq', ['x', 'count(DISTINCT x)']],
  ['uniqExact', ['x', 'count(DISTINCT x)']],
  ['uniqIf', ['x, c', 'count(DISTINCT CASE WHEN c THEN x END)']],
  ['uniqExactIf', ['x, c', 'count(DISTINCT CASE WHEN c THEN x END)']],
  ['sumIf', ['x, c', 'coalesce(sum(x) FILTER (c), 0)']],
  ['avgIf', ['x, c', 'avg(x) FILTER (c)']],
  ['minIf', ['x, c', 'min(x) FILTER (c)']],
  ['maxIf', ['x, c', 'max(x) FILTER (c)']],
  ['groupUniqArray', ['x', 'list(DISTINCT x)']],
  // Sums of unsigned numbers wrap; DuckDB's grow to 128 bits.
  [
    'wrapped_sum',
    ['x', `CASE WHEN typeof(any_value(x)) = 'UBIGINT' THEN sum(x) % ${2n ** 64n}::HUGEINT ELSE sum(x) END`],
  ],
  // Bits. The first byte of a binary text is the lowest of the number, as on the service's processors.
  ['swapped_bytes', ['n', swapped]],
  ['reinterpretAsUInt64', ['x', 'swapped_bytes(CAST(CAST(x AS BIT) AS UBIGINT))']],
  // Conditions and texts.
  ['is_null', ['x', 'x IS NULL']],
  ['is_not_null', ['x', 'x IS NOT NULL']],
  ['ifNull', ['x, y', 'coalesce(x, y)']],
  ['empty', ['x', "coalesce(CAST(x AS VARCHAR), '') IN ('', '[]')"]],
  ['notEmpty', ['x', "coalesce(CAST(x AS VARCHAR), '') NOT IN ('', '[]')"]],
  ['equals', ['x, y', 'x = y']],
  ['notEquals', ['x, y', 'x != y']],
  [
    'multiIf',
    ['a, b, z', 'CASE WHEN a THEN b ELSE z END'],
    ['a, b, c, d, z', 'CASE WHEN a THEN b WHEN c THEN d ELSE z END'],
    ['a, b, c, d, e, f, z', 'CASE WHEN a THEN b WHEN c THEN d WHEN e THEN f ELSE z END'],
  ],
  ['match', ['x, pattern', 'regexp_matches(x, pattern)']],
  ['positionCaseInsensitiveUTF8', ['x, y', 'instr(lower(x), lower(y))']],
  ['startsWith', ['x, y', 'starts_with(x, y)']],
  ['endsWith', ['x, y', 'ends_with(x, y)']],
  ['replaceAll', ['x, y, z', 'replace(x, y, z)']],
  ['has', ['x, y', 'list_contains(x, y)']],
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
  ['arrayJoin', 'unnest'],
  ['tuple', 'row'],
  ['array', 'list_value'],
  ['dateDiff', 'date_diff'],
  ['toInt64', 'toInt'],
  ['toInt32', 'toInt'],
  ['toFloat64', 'toFloat'],
  ['toIntOrZero', 'toInt'],
  ['toFloatOrZero', 'toFloat'],
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

/** Functions with parameters in a first pair of parentheses. */
export const WITH_PARAMETERS: Readonly<Record<string, (params: readonly string[], arg: string) => string>> = {
  quantile: ([level], arg) => `quantile_cont(${arg}, ${level})`,
  quantileExact: ([level], arg) => `quantile_disc(${arg}, ${level})`,
  quantiles: (levels, arg) => `quantile_cont(${arg}, [${levels.join(', ')}])`,
  topK: ([count], arg) => `approx_top_k(${arg}, ${count})`,
  groupArray: ([count], arg) => `list(${arg})[:${count}]`,
  groupUniqArray: ([count], arg) => `list(DISTINCT ${arg})[:${count}]`,
}
