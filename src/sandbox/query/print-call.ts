import type { Call, Expr, OrderExpr, WindowExpr, WindowFrame, WindowFunction } from './ast.ts'
import { RENAMED } from './macros.ts'
import { functionName, identifier } from './names.ts'
import { QueryError } from './parse.ts'

/** Writes an expression in DuckDB's language. */
export type Print = (expr: Expr) => string

type Printer = (args: readonly string[], call: Call) => string

const joined =
  (sign: string): Printer =>
  (args) =>
    `(${args.join(` ${sign} `)})`

/** Functions that DuckDB spells in another way than as a function. */
const SPECIAL: Readonly<Record<string, Printer>> = {
  and: joined('AND'),
  or: joined('OR'),
  not: ([arg]) => `(NOT ${arg})`,
  // A null makes the whole a null, which DuckDB's concat() skips.
  concat: (args) => `(${args.map((arg) => `CAST(${arg} AS VARCHAR)`).join(' || ')})`,
  exists: ([query]) => `EXISTS ${query}`,
  multiIf: (args) => {
    const cases = args.slice(0, -1)
    const pairs = cases.flatMap((arg, at) => (at % 2 === 0 ? [`WHEN ${arg} THEN ${cases[at + 1]}`] : []))
    return `CASE ${pairs.join(' ')} ELSE ${args.at(-1)} END`
  },
}

/** Functions with parameters in a first pair of parentheses. */
const WITH_PARAMETERS: Readonly<Record<string, (params: readonly string[], arg: string) => string>> = {
  quantile: ([level], arg) => `quantile_cont(${arg}, ${level})`,
  quantileExact: ([level], arg) => `quantile_disc(${arg}, ${level})`,
  quantiles: (levels, arg) => `quantile_cont(${arg}, [${levels.join(', ')}])`,
  topK: ([count], arg) => `approx_top_k(${arg}, ${count})`,
  groupArray: ([count], arg) => `list(${arg})[:${count}]`,
  groupUniqArray: ([count], arg) => `list(DISTINCT ${arg})[:${count}]`,
}

/** A call of a function. QueryError where the sandbox can't run it. */
export function printCall(call: Call, printExpr: Print): string {
  const { name, params } = call
  const args = call.args.map(printExpr)
  const special = own(SPECIAL, name)
  if (special) return special(args, call)
  if (params && params.length > 0) {
    const print = own(WITH_PARAMETERS, name)
    if (!print || args.length !== 1 || call.distinct) throw cannotRun(`${name}(…)(…)`)
    return print(params.map(printExpr), args[0]!) + filter(call.filter_expr, printExpr)
  }
  const order = call.order_by
    ? ` ORDER BY ${call.order_by.map((one) => printOrder(one, printExpr)).join(', ')}`
    : ''
  const values = `${call.distinct ? 'DISTINCT ' : ''}${distinctArgs(call, args)}${order}`
  return `${nameOf(name)}(${values})${filter(call.filter_expr, printExpr)}`
}

/** Several columns to count distinctly are one value to DuckDB. */
function distinctArgs({ name, distinct }: Call, args: readonly string[]): string {
  return distinct && name === 'count' && args.length > 1 ? `(${args.join(', ')})` : args.join(', ')
}

function nameOf(name: string): string {
  return functionName(RENAMED.get(name) ?? name)
}

function filter(expr: Expr | null | undefined, printExpr: Print): string {
  return expr ? ` FILTER (WHERE ${printExpr(expr)})` : ''
}

/** A function over a window. */
export function printWindowFunction(call: WindowFunction, printExpr: Print): string {
  if (call.args.length > 0) throw cannotRun(`${call.name}(…)(…) OVER`)
  const over = call.over_expr
    ? `(${printWindow(call.over_expr, printExpr)})`
    : identifier(call.over_identifier ?? '')
  return `${nameOf(call.name)}(${call.exprs.map(printExpr).join(', ')}) OVER ${over}`
}

export function printWindow({ partition_by, order_by, ...frame }: WindowExpr, printExpr: Print): string {
  const parts: string[] = []
  if (partition_by?.length) parts.push(`PARTITION BY ${partition_by.map(printExpr).join(', ')}`)
  if (order_by?.length) parts.push(`ORDER BY ${order_by.map((one) => printOrder(one, printExpr)).join(', ')}`)
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
export function printOrder({ expr, order }: OrderExpr, printExpr: Print): string {
  return `${printExpr(expr)} ${order}`
}

/** The error for what the service's parser takes and the sandbox has no counterpart for. */
export function cannotRun(what: string): QueryError {
  return new QueryError(`The sandbox can't run ${what}: the service can.`)
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
