import { ownOf } from '../../text/json.ts'
import type { Derived } from '../store/store.ts'
import type { Constant, Expr, Query } from './ast.ts'
import { parseQuery, QueryError } from './parse.ts'
import { printQuery } from './print.ts'

/** The rows of a query without LIMIT, and the most rows of any query. */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 50_000

/** A query in DuckDB's language. */
interface Translation {
  readonly sql: string
  /** The derived tables it reads. */
  readonly needs: readonly Derived[]
  /** It looks at the whole of an event's properties, or at their `$set` or `$set_once`. */
  readonly copies: boolean
  readonly limit: number
  readonly offset: number
}

const NEEDS: Readonly<Record<string, Derived>> = {
  groups: 'groups',
  person: 'persons',
  poe: 'persons',
  persons: 'persons',
  person_id: 'persons',
  person_properties: 'persons',
  person_distinct_ids: 'persons',
}

/**
 * Turns a query of the service's language into DuckDB's. `capped` applies the endpoint's limits of rows and refuses OFFSET. QueryError for what
 * the service's parser refuses and for what the sandbox can't run.
 */
export async function translate(query: string, { capped }: { capped: boolean }): Promise<Translation> {
  const parsed = await parseQuery(query)
  if (capped && parsed.offset) {
    throw new QueryError('OFFSET is not supported on queries made with a personal API key')
  }
  const chains = [...fields(parsed)]
  const { body, limit, offset } = limits(named(parsed, [...query]), capped)
  return {
    sql: printQuery(body),
    needs: [...new Set(chains.flat().flatMap((part) => ownOf(NEEDS, String(part)) ?? []))],
    copies: chains.some(readsCopies),
    limit,
    offset,
  }
}

/** The chains of all fields and tables of a query, `properties['key']` as one more name. */
function* fields(node: unknown): Generator<readonly (string | number)[]> {
  if (Array.isArray(node)) for (const one of node) yield* fields(one)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const {
    array,
    chain,
    node: kind,
    property,
  } = node as {
    node?: string
    chain?: readonly (string | number)[]
    array?: { chain?: readonly (string | number)[] }
    property?: { value?: unknown }
  }
  if (kind === 'Field' && chain) return yield chain
  if (kind === 'ArrayAccess' && array?.chain && typeof property?.value === 'string') {
    return yield [...array.chain, property.value]
  }
  for (const value of Object.values(node)) yield* fields(value)
}

function readsCopies(chain: readonly (string | number)[]): boolean {
  if (chain.at(-1) === '*') return true
  const at = chain.indexOf('properties')
  if (at < 0) return false
  return at === chain.length - 1 || /^\$set(_once)?$/.test(String(chain[at + 1]))
}

/** Names each column by its source, as the service does. `points` are the query's code points, which its places count. */
function named(query: Query, points: readonly string[]): Query {
  if (query.node === 'SelectSetQuery') {
    return { ...query, initial_select_query: named(query.initial_select_query, points) }
  }
  const select = query.select.map((expr): Expr => {
    if (expr.node === 'Field' || expr.node === 'Alias' || !expr.start || !expr.end) return expr
    const alias = points.slice(expr.start.offset, expr.end.offset).join('')
    return { node: 'Alias', alias, expr }
  })
  return { ...query, select }
}

/** Asks for one row more than the limit, so that the answer knows whether there are more. */
function limits(query: Query, capped: boolean) {
  const given = wholeNumber(query.limit)
  const offset = wholeNumber(query.offset) ?? 0
  if (!capped) return { body: query, limit: given ?? 0, offset }
  const limit = Math.min(given ?? (query.limit ? MAX_LIMIT : DEFAULT_LIMIT), MAX_LIMIT)
  const more: Constant = { node: 'Constant', value: limit + 1 }
  return { body: { ...query, limit: more }, limit, offset }
}

function wholeNumber(expr: Expr | null | undefined): number | undefined {
  return expr?.node === 'Constant' && typeof expr.value === 'number' ? expr.value : undefined
}
