import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  type DuckDBMaterializedResult,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api'

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^TIMESTAMP/, "DateTime64(6, 'UTC')"],
  [/^DATE$/, 'Date'],
  [/^UUID$/, 'UUID'],
  [/^(BIGINT|HUGEINT|UBIGINT)$/, 'Int64'],
  [/^(INTEGER|SMALLINT|TINYINT)$/, 'Int32'],
  [/^(DOUBLE|FLOAT|DECIMAL)/, 'Float64'],
  [/^BOOLEAN$/, 'Bool'],
  [/\[\]$/, 'Array(String)'],
]

/** The service's name of a DuckDB type. */
export function typeName(type: string): string {
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'String'
}

/** Microseconds since the epoch as the service writes a time: six decimals, or none when they are zero. */
export function isoTime(micros: bigint): string {
  const millis = micros / 1000n - (micros % 1000n < 0n ? 1n : 0n)
  const rest = (((micros % 1_000_000n) + 1_000_000n) % 1_000_000n).toString().padStart(6, '0')
  const seconds = new Date(Number(millis)).toISOString().slice(0, -5)
  return rest === '000000' ? `${seconds}Z` : `${seconds}.${rest}Z`
}

/** A value as the query endpoint puts it into JSON. Integers beyond 2^53 come as their digits. */
export function jsonValue(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  }
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    return isoTime(value.micros)
  }
  if (value instanceof DuckDBDateValue) return value.toString()
  if (value instanceof DuckDBDecimalValue) return value.toDouble()
  if (value instanceof DuckDBListValue) return value.items.map(jsonValue)
  if (value instanceof DuckDBStructValue) return Object.values(value.entries).map(jsonValue)
  return String(value)
}

/** Columns, types and rows of a result. */
export async function tabulate(result: DuckDBMaterializedResult) {
  const columns = result.columnNames().map((name) => name.replace('count_star()', 'count()'))
  const types = result.columnTypes().map((type, at) => [columns[at]!, typeName(type.toString())] as const)
  return { columns, types, results: (await result.getRows()).map((row) => row.map(jsonValue)) }
}
