import { type DuckDBConnection, StatementType } from '@duckdb/node-api'
import type { EventStore } from '../store/store.ts'
import { tabulate } from './answer.ts'
import { QueryError } from './parse.ts'
import type { QueryAnswer } from './query-answer.ts'
import { translate } from './translate.ts'

/** A query that took longer than the endpoint allows. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout'
}

export interface QueryOptions {
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
  const { sql, needs, copies, limit, offset } = await translate(query, options)
  return store.read(
    async (connection) => {
      const table = await withDeadline(connection, options.timeoutMs, () => select(connection, sql))
      const hasMore = options.capped && table.results.length > limit
      return {
        ...table,
        results: hasMore ? table.results.slice(0, limit) : table.results,
        hasMore,
        limit,
        offset,
      }
    },
    { needs, copies, merged: options.merged ?? false },
  )
}

async function select(connection: DuckDBConnection, sql: string) {
  try {
    const statements = await connection.extractStatements(sql)
    if (statements.count !== 1) throw new QueryError('Only one statement is allowed.')
    const statement = await statements.prepare(0)
    if (statement.statementType !== StatementType.SELECT) throw new QueryError('Only SELECT is allowed.')
    return await tabulate(await statement.run())
  } catch (error) {
    if (error instanceof QueryError || isInterrupt(error)) throw error
    // The lines after the first quote the translated query, which is not what the caller wrote.
    throw new QueryError(error instanceof Error ? error.message.split('\n')[0]! : String(error))
  }
}

async function withDeadline<T>(
  connection: DuckDBConnection,
  timeoutMs: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => connection.interrupt(), timeoutMs)
  try {
    return await work()
  } catch (error) {
    throw isInterrupt(error) ? new QueryTimeout('Query execution timed out.') : error
  } finally {
    clearTimeout(timer)
  }
}

function isInterrupt(error: unknown): boolean {
  return error instanceof Error && /^INTERRUPT/i.test(error.message)
}
