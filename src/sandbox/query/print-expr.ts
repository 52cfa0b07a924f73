import type { Constant, Expr, Query } from './ast.ts'
import { fieldPath, identifier, stringLiteral } from './names.ts'
import { cannotRun, printCall, printWindowFunction } from './print-call.ts'
import { printSelect } from './print-select.ts'

type Of<Node extends string> = Extract<Expr, { node: Node }>

/** How DuckDB writes each kind of node. */
const PRINTERS: { readonly [Node in Expr['node']]: (expr: Of<Node>) => string } = {
  Field: ({ chain }) => fieldPath(chain),
  Constant: constant,
  Call: (call) => printCall(call, printExpr),
  WindowFunction: (call) => printWindowFunction(call, printExpr),
  SelectQuery: (query) => `(${printQuery(query)})`,
  SelectSetQuery: (query) => `(${printQuery(query)})`,
  Alias: ({ expr, alias }) => `${printExpr(expr)} AS ${identifier(alias)}`,
  And: ({ exprs }) => `(${exprs.map(printExpr).join(' AND ')})`,
  Or: ({ exprs }) => `(${exprs.map(printExpr).join(' OR ')})`,
  Not: ({ expr }) => `(NOT ${printExpr(expr)})`,
  Array: ({ exprs }) => `[${exprs.map(printExpr).join(', ')}]`,
  Tuple: ({ exprs }) => `row(${exprs.map(printExpr).join(', ')})`,
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
export function printExpr(expr: Expr): string {
  const print = PRINTERS[expr.node] as ((one: Expr) => string) | undefined
  if (!print) throw cannotRun(expr.node)
  return print(expr)
}

/** A query in DuckDB's language, without parentheses. */
export function printQuery(query: Query): string {
  return printSelect(query, printExpr)
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
  if (right.node === 'Tuple' || right.node === 'Array') return `(${right.exprs.map(printExpr).join(', ')})`
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
