import { ownOf } from '../../text/json.ts'
import type {
  Call,
  Constant,
  Cte,
  Expr,
  JoinExpr,
  OrderExpr,
  Query,
  SelectQuery,
  SelectSetQuery,
  WindowExpr,
  WindowFrame,
  WindowFunction,
} from './ast.ts'
import { RENAMED, SPECIAL, WITH_PARAMETERS } from './macros.ts'
import { fieldPath, functionName, identifier, stringLiteral } from './names.ts'
import { QueryError } from './parse.ts'

/** A call of a function. QueryError where the sandbox can't run it. */
function printCall(call: Call): string {
  const { name, params } = call
  const args = call.args.map(printExpr)
  const special = ownOf(SPECIAL, name)
  if (special) return special(args)
  if (params && params.length > 0) {
    const print = ownOf(WITH_PARAMETERS, name)
    if (!print || args.length !== 1 || call.distinct) throw cannotRun(`${name}(…)(…)`)
    return print(params.map(printExpr), args[0]!) + filter(call.filter_expr)
  }
  const order = call.order_by ? ` ORDER BY ${call.order_by.map(printOrder).join(', ')}` : ''
  const values = `${call.distinct ? 'DISTINCT ' : ''}${distinctArgs(call, args)}${order}`
  return `${nameOf(name)}(${values})${filter(call.filter_expr)}`
}

/** Several columns to count distinctly are one value to DuckDB. */
function distinctArgs({ name, distinct }: Call, args: readonly string[]): string {
  return distinct && name === 'count' && args.length > 1 ? `(${args.join(', ')})` : args.join(', ')
}

function nameOf(name: string): string {
  return functionName(RENAMED.get(name) ?? name)
}

function filter(expr: Expr | null | undefined): string {
  return expr ? ` FILTER (WHERE ${printExpr(expr)})` : ''
}

/** A function over a window. */
function printWindowFunction(call: WindowFunction): string {
  if (call.args.length > 0) throw cannotRun(`${call.name}(…)(…) OVER`)
  const over = call.over_expr ? `(${printWindow(call.over_expr)})` : identifier(call.over_identifier ?? '')
  return `${nameOf(call.name)}(${printAll(call.exprs)}) OVER ${over}`
}

function printWindow({ partition_by, order_by, ...frame }: WindowExpr): string {
  const parts: string[] = []
  if (partition_by?.length) parts.push(`PARTITION BY ${printAll(partition_by)}`)
  if (order_by?.length) parts.push(`ORDER BY ${order_by.map(printOrder).join(', ')}`)
  const { frame_method: method, frame_start: start, frame_end: end } = frame
  if (method && start) {
    parts.push(end ? `${method} BETWEEN ${bound(start)} AND ${bound(end)}` : `${method} ${bound(start)}`)
  }
  return parts.join(' ')
}

function bound({ frame_type: type, frame_value: value }: WindowFrame): string {
  return type === 'CURRENT ROW' ? type : `${value ?? 'UNBOUNDED'} ${type}`
}

/** Nulls come last, up and down, as in DuckDB. */
function printOrder({ expr, order }: OrderExpr): string {
  return `${printExpr(expr)} ${order}`
}

/** The error for what the service's parser takes and the sandbox has no counterpart for. */
function cannotRun(what: string): QueryError {
  return new QueryError(`The sandbox can't run ${what}: the service can.`)
}

type Of<Node extends string> = Extract<Expr, { node: Node }>

/** How DuckDB writes each kind of node. */
const PRINTERS: { readonly [Node in Expr['node']]: (expr: Of<Node>) => string } = {
  Field: ({ chain }) => fieldPath(chain),
  Constant: constant,
  Call: (call) => printCall(call),
  WindowFunction: (call) => printWindowFunction(call),
  SelectQuery: (query) => `(${printQuery(query)})`,
  SelectSetQuery: (query) => `(${printQuery(query)})`,
  Alias: ({ expr, alias }) => `${printExpr(expr)} AS ${identifier(alias)}`,
  And: ({ exprs }) => `(${exprs.map(printExpr).join(' AND ')})`,
  Or: ({ exprs }) => `(${exprs.map(printExpr).join(' OR ')})`,
  Not: ({ expr }) => `(NOT ${printExpr(expr)})`,
  Array: ({ exprs }) => `[${printAll(exprs)}]`,
  Tuple: ({ exprs }) => `row(${printAll(exprs)})`,
  ArithmeticOperation: ({ left, op, right }) => `(${printExpr(left)} ${op} ${printExpr(right)})`,
  IsDistinctFrom: ({ left, right }) => `(${printExpr(left)} IS DISTINCT FROM ${printExpr(right)})`,
  CompareOperation: compare,
  BetweenExpr: ({ expr, low, high, negated }) =>
    `(${printExpr(expr)} ${negated ? 'NOT ' : ''}BETWEEN ${printExpr(low)} AND ${printExpr(high)})`,
  ArrayAccess: access,
  TupleAccess: ({ tuple, index }) => `struct_extract_at(${printExpr(tuple)}, ${index})`,
  TypeCast: ({ expr, type_name }) => `CAST(${printExpr(expr)} AS ${typeOf(type_name)})`,
  TryCast: ({ expr, type_name }) => `TRY_CAST(${printExpr(expr)} AS ${typeOf(type_name)})`,
}

/** An expression in DuckDB's language. QueryError for what the sandbox has no counterpart for. */
function printExpr(expr: Expr): string {
  const print = PRINTERS[expr.node] as ((one: Expr) => string) | undefined
  if (!print) throw cannotRun(expr.node)
  return print(expr)
}

function constant({ value, value_type }: Constant): string {
  if (value === null) return 'NULL'
  if (value_type === 'number') return /^-?\d+$/.test(String(value)) ? String(value) : `'${value}'::DOUBLE`
  return typeof value === 'string' ? stringLiteral(value) : String(value)
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': '=',
  like: 'LIKE',
  ilike: 'ILIKE',
  'not like': 'NOT LIKE',
  'not ilike': 'NOT ILIKE',
}
const MATCHES: Readonly<Record<string, readonly [negated: boolean, flags: string]>> = {
  '=~': [false, ''],
  '=~*': [false, ", 'i'"],
  '!~': [true, ''],
  '!~*': [true, ", 'i'"],
}

function compare({ left, op, right, is_null_comparison_style }: Of<'CompareOperation'>): string {
  const [a, b] = [printExpr(left), printExpr(right)]
  if (is_null_comparison_style) return `(${a} IS ${op === '!=' ? 'NOT ' : ''}NULL)`
  if (/cohort$/.test(op)) throw cannotRun(`'${op}'`)
  const match = MATCHES[op]
  if (match) return `(${match[0] ? 'NOT ' : ''}regexp_matches(${a}, ${b}${match[1]}))`
  const isIn = /^(?:global )?(not )?in$/.exec(op)
  if (isIn) return `(${a} ${isIn[1] ? 'NOT ' : ''}IN ${members(right)})`
  return `(${a} ${COMPARISONS[op] ?? op} ${b})`
}

/** The right side of IN: a list of values, or a query. */
function members(right: Expr): string {
  if (right.node === 'Tuple' || right.node === 'Array') return `(${printAll(right.exprs)})`
  return right.node === 'Constant' ? `(${printExpr(right)})` : printExpr(right)
}

/** `properties['a b']` is a path; other brackets count from one, as DuckDB's do. */
function access({ array, property }: Of<'ArrayAccess'>): string {
  const isKey = property.node === 'Constant' && typeof property.value === 'string'
  const chain = isKey ? chainOf(array) : undefined
  if (chain && isKey) return fieldPath([...chain, property.value as string])
  return `${printExpr(array)}[${printExpr(property)}]`
}

function chainOf(expr: Expr): readonly (string | number)[] | undefined {
  if (expr.node === 'Field') return expr.chain
  if (expr.node !== 'ArrayAccess' || expr.property.node !== 'Constant') return undefined
  const chain = chainOf(expr.array)
  return chain && typeof expr.property.value === 'string' ? [...chain, expr.property.value] : undefined
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  str: 'VARCHAR',
  float: 'DOUBLE',
  float64: 'DOUBLE',
  int: 'BIGINT',
  int64: 'BIGINT',
  int32: 'INTEGER',
  bool: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
  uuid: 'UUID',
}

function typeOf(name: string): string {
  const type = TYPES[name.toLowerCase().replace(/^nullable\((.*)\)$/, '$1')]
  if (type === undefined) throw cannotRun(`a cast to ${name}`)
  return type
}

/** Parts of a SELECT that the parser takes, DuckDB has not, and no query of an import needs. */
const NOT_HERE: readonly (readonly [part: string, words: string])[] = [
  ['array_join_op', 'ARRAY JOIN'],
  ['limit_by', 'LIMIT BY'],
  ['limit_with_ties', 'WITH TIES'],
]

function printAll(exprs: readonly Expr[]): string {
  return exprs.map(printExpr).join(', ')
}

/** A query in DuckDB's language, without parentheses. */
export function printQuery(query: Query): string {
  return query.node === 'SelectQuery' ? select(query) : union(query)
}

function union(query: SelectSetQuery): string {
  const rest = query.subsequent_select_queries.map(
    ({ set_operator, select_query }) =>
      ` ${set_operator.replace(' DISTINCT', '')} (${printQuery(select_query)})`,
  )
  return `(${printQuery(query.initial_select_query)})${rest.join('')}${rows(query)}`
}

function select(query: SelectQuery): string {
  for (const [part, words] of NOT_HERE) {
    if ((query as unknown as Record<string, unknown>)[part]) throw cannotRun(words)
  }
  const where = [query.prewhere, query.where].flatMap((expr) => (expr ? [printExpr(expr)] : []))
  return [
    withClause(query.ctes ?? []),
    `SELECT ${query.distinct ? 'DISTINCT ' : ''}${printAll(query.select)}`,
    query.select_from ? `FROM ${from(query.select_from)}` : '',
    where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
    groupBy(query),
    clause('HAVING', query.having),
    clause('QUALIFY', query.qualify),
    windows(query),
    query.order_by?.length ? `ORDER BY ${query.order_by.map(printOrder).join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
    .concat(rows(query))
}

function rows({ limit, offset }: Query): string {
  return `${limit ? ` LIMIT ${printExpr(limit)}` : ''}${offset ? ` OFFSET ${printExpr(offset)}` : ''}`
}

function clause(word: string, expr: Expr | null): string {
  return expr ? `${word} ${printExpr(expr)}` : ''
}

function groupBy({ group_by, group_by_mode: mode }: SelectQuery): string {
  if (mode === 'all') return 'GROUP BY ALL'
  if (!group_by?.length) return ''
  const exprs = printAll(group_by)
  return `GROUP BY ${mode ? `${mode.toUpperCase()}(${exprs})` : exprs}`
}

function windows({ window_exprs }: SelectQuery): string {
  const named = Object.entries(window_exprs ?? {})
  if (named.length === 0) return ''
  return `WINDOW ${named.map(([name, expr]) => `${identifier(name)} AS (${printWindow(expr)})`).join(', ')}`
}

function withClause(ctes: readonly Cte[]): string {
  if (ctes.length === 0) return ''
  if (ctes.some(({ cte_type }) => cte_type !== 'subquery')) throw cannotRun('WITH of a value')
  const recursive = ctes.some((cte) => cte.recursive) ? 'RECURSIVE ' : ''
  return `WITH ${recursive}${ctes.map(({ name, expr }) => `${identifier(name)} AS ${printExpr(expr)}`).join(', ')}`
}

function from(join: JoinExpr): string {
  let sql = table(join)
  for (let next = join.next_join; next; next = next.next_join) {
    const { constraint } = next
    const on = constraint
      ? constraint.constraint_type === 'USING'
        ? ` USING (${using(constraint.expr)})`
        : ` ON ${printExpr(constraint.expr)}`
      : ''
    sql += ` ${next.join_type ?? 'CROSS JOIN'} ${table(next)}${on}`
  }
  return sql
}

function using(expr: Expr): string {
  return expr.node === 'Tuple' ? printAll(expr.exprs) : printExpr(expr)
}

// The store's own tables and those of DuckDB are not part of the service.
const HIDDEN = /^(sandbox_|duckdb_|pragma_|pg_|sqlite_|information_schema)/i

function table(join: JoinExpr): string {
  const { table: source, table_args, alias, column_aliases, table_final, sample } = join
  if (table_args) throw cannotRun('functions in FROM')
  if (table_final) throw cannotRun('FINAL')
  if (sample) throw cannotRun('SAMPLE')
  const columns = column_aliases?.length ? `(${column_aliases.map(identifier).join(', ')})` : ''
  const name = alias === null ? '' : ` AS ${identifier(alias)}${columns}`
  if (source.node !== 'Field') return `(${printQuery(source)})${name}`
  // One name only: with a dot or a slash DuckDB would look for a file or another schema.
  const [first] = source.chain
  if (source.chain.length !== 1 || typeof first !== 'string' || HIDDEN.test(first) || /[./*?]/.test(first)) {
    throw new QueryError(`Unknown table \`${source.chain.join('.')}\`.`)
  }
  return fieldPath(source.chain) + name
}
