import {
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
  StatementType,
} from '@duckdb/node-api'
import type { QueryAnswer } from '../shown.ts'
import type { EventStore } from '../store/store.ts'
import { QueryError, translate } from './translate.ts'

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
function typeName(type: string): string {
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
function jsonValue(value: DuckDBValue): unknown {
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

/** A query that took longer than the endpoint allows. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout'
}

interface QueryOptions {
  /** Applies the endpoint's limits of rows. */
  readonly capped: boolean
  /** The query sees the events as the next merge will leave them. Default: recent duplicates are there too. */
  readonly merged?: boolean
  readonly timeoutMs?: number
}

/** Runs one query on the store. QueryError when it is wrong, QueryTimeout when it takes too long. */
export async function runQuery(
  store: EventStore,
  query: string,
  options: QueryOptions,
): Promise<QueryAnswer> {
  const { sql, needs, copies, limit } = translate(query, options)
  return store.read(
    async (connection) => {
      const { columns, types, results: found } = await select(connection, sql, options.timeoutMs)
      const hasMore = options.capped && found.length > limit
      const results = hasMore ? found.slice(0, limit) : found
      return { columns, types, results, hasMore, limit, offset: 0 }
    },
    { needs, copies, merged: options.merged ?? false },
  )
}

/** Runs a statement for so long at most, without end if undefined. */
async function select(connection: DuckDBConnection, sql: string, timeoutMs: number | undefined) {
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => connection.interrupt(), timeoutMs)
  try {
    const statements = await connection.extractStatements(sql)
    if (statements.count !== 1) throw new QueryError('Only one statement is allowed.')
    const statement = await statements.prepare(0)
    try {
      if (statement.statementType !== StatementType.SELECT) throw new QueryError('Only SELECT is allowed.')
      const result = await statement.run()
      const columns = result.columnNames().map((name) => name.replace('count_star()', 'count()'))
      const types = result.columnTypes().map((type, at) => [columns[at]!, typeName(type.toString())] as const)
      return { columns, types, results: (await result.getRows()).map((row) => row.map(jsonValue)) }
    } finally {
      // It holds the hash tables of its run, of the store's memory, until the engine collects garbage.
      statement.destroySync()
    }
  } catch (error) {
    if (error instanceof QueryError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    if (/^INTERRUPT/i.test(reason)) throw new QueryTimeout('Query execution timed out.')
    // The lines after the first quote the translated query, which is not what the caller wrote.
    throw new QueryError(reason.split('\n')[0]!)
  } finally {
    clearTimeout(timer)
  }
}
