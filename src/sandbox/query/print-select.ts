import type { Cte, Expr, JoinExpr, Query, SelectQuery, SelectSetQuery } from './ast.ts'
import { fieldPath, identifier } from './names.ts'
import { QueryError } from './parse.ts'
import { cannotRun, type Print, printOrder, printWindow } from './print-call.ts'

/** Parts of a SELECT that the parser takes, DuckDB has not, and no query of an import needs. */
const NOT_HERE: readonly (readonly [part: string, words: string])[] = [
  ['array_join_op', 'ARRAY JOIN'],
  ['limit_by', 'LIMIT BY'],
  ['limit_with_ties', 'WITH TIES'],
]

/** A query in DuckDB's language, without parentheses. */
export function printSelect(query: Query, printExpr: Print): string {
  return query.node === 'SelectQuery' ? select(query, printExpr) : union(query, printExpr)
}

function union(query: SelectSetQuery, printExpr: Print): string {
  const rest = query.subsequent_select_queries.map(
    ({ set_operator, select_query }) =>
      ` ${set_operator.replace(' DISTINCT', '')} (${printSelect(select_query, printExpr)})`,
  )
  return `(${printSelect(query.initial_select_query, printExpr)})${rest.join('')}${rows(query, printExpr)}`
}

function select(query: SelectQuery, printExpr: Print): string {
  for (const [part, words] of NOT_HERE) {
    if ((query as unknown as Record<string, unknown>)[part]) throw cannotRun(words)
  }
  const where = [query.prewhere, query.where].flatMap((expr) => (expr ? [printExpr(expr)] : []))
  return [
    withClause(query.ctes ?? [], printExpr),
    `SELECT ${query.distinct ? 'DISTINCT ' : ''}${query.select.map(printExpr).join(', ')}`,
    query.select_from ? `FROM ${from(query.select_from, printExpr)}` : '',
    where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
    groupBy(query, printExpr),
    clause('HAVING', query.having, printExpr),
    clause('QUALIFY', query.qualify, printExpr),
    windows(query, printExpr),
    query.order_by?.length
      ? `ORDER BY ${query.order_by.map((one) => printOrder(one, printExpr)).join(', ')}`
      : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
    .concat(rows(query, printExpr))
}

function rows({ limit, offset }: Query, printExpr: Print): string {
  return `${limit ? ` LIMIT ${printExpr(limit)}` : ''}${offset ? ` OFFSET ${printExpr(offset)}` : ''}`
}

function clause(word: string, expr: Expr | null, printExpr: Print): string {
  return expr ? `${word} ${printExpr(expr)}` : ''
}

function groupBy({ group_by, group_by_mode: mode }: SelectQuery, printExpr: Print): string {
  if (mode === 'all') return 'GROUP BY ALL'
  if (!group_by?.length) return ''
  const exprs = group_by.map(printExpr).join(', ')
  return `GROUP BY ${mode ? `${mode.toUpperCase()}(${exprs})` : exprs}`
}

function windows({ window_exprs }: SelectQuery, printExpr: Print): string {
  const named = Object.entries(window_exprs ?? {})
  if (named.length === 0) return ''
  return `WINDOW ${named.map(([name, expr]) => `${identifier(name)} AS (${printWindow(expr, printExpr)})`).join(', ')}`
}

function withClause(ctes: readonly Cte[], printExpr: Print): string {
  if (ctes.length === 0) return ''
  if (ctes.some(({ cte_type }) => cte_type !== 'subquery')) throw cannotRun('WITH of a value')
  const recursive = ctes.some((cte) => cte.recursive) ? 'RECURSIVE ' : ''
  return `WITH ${recursive}${ctes.map(({ name, expr }) => `${identifier(name)} AS ${printExpr(expr)}`).join(', ')}`
}

function from(join: JoinExpr, printExpr: Print): string {
  let sql = table(join, printExpr)
  for (let next = join.next_join; next; next = next.next_join) {
    const { constraint } = next
    const on = constraint
      ? constraint.constraint_type === 'USING'
        ? ` USING (${using(constraint.expr, printExpr)})`
        : ` ON ${printExpr(constraint.expr)}`
      : ''
    sql += ` ${next.join_type ?? 'CROSS JOIN'} ${table(next, printExpr)}${on}`
  }
  return sql
}

function using(expr: Expr, printExpr: Print): string {
  return expr.node === 'Tuple' ? expr.exprs.map(printExpr).join(', ') : printExpr(expr)
}

// The store's own tables and those of DuckDB are not part of the service.
const HIDDEN = /^(sandbox_|duckdb_|pragma_|pg_|sqlite_|information_schema)/i

function table(join: JoinExpr, printExpr: Print): string {
  const { table: source, table_args, alias, column_aliases, table_final, sample } = join
  if (table_args) throw cannotRun('functions in FROM')
  if (table_final) throw cannotRun('FINAL')
  if (sample) throw cannotRun('SAMPLE')
  const columns = column_aliases?.length ? `(${column_aliases.map(identifier).join(', ')})` : ''
  const name = alias === null ? '' : ` AS ${identifier(alias)}${columns}`
  if (source.node !== 'Field') return `(${printSelect(source, printExpr)})${name}`
  // One name only: with a dot or a slash DuckDB would look for a file or another schema.
  const [first] = source.chain
  if (source.chain.length !== 1 || typeof first !== 'string' || HIDDEN.test(first) || /[./*?]/.test(first)) {
    throw new QueryError(`Unknown table \`${source.chain.join('.')}\`.`)
  }
  return fieldPath(source.chain) + name
}
