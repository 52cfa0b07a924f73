import createParser, { type HogQLParser } from '@posthog/hogql-parser'
import type { Query } from './ast.ts'

/** A query that can't be run; the message is the answer's `detail`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

let parser: Promise<HogQLParser> | undefined

/** Integers over 2^53, which JSON.parse would round. A quote inside a string of JSON has a backslash before it. */
const LONG_INTEGER = /"value":(-?\d{16,})(?=[,}])/g

/** Parses a query by the service's own parser. QueryError, in its words, for what it refuses. */
export async function parseQuery(query: string): Promise<Query> {
  parser ??= createParser()
  const text = (await parser).parseSelect(query)
  const parsed = JSON.parse(text.replaceAll(LONG_INTEGER, '"value":"$1","value_type":"number"')) as
    | Query
    | { readonly error: true; readonly message: string }
  if ('error' in parsed) throw new QueryError(parsed.message)
  return parsed
}
