import type { FakeField, FakeTable, WireRow } from './bigquery.ts'

/** A refusal as BigQuery words it. */
export class Refusal extends Error {
  readonly status: number
  readonly reason: string

  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export interface FakeParameter {
  readonly name: string
  readonly parameterType: { readonly type: string }
  readonly parameterValue: { readonly value: string }
}

/** What a statement gives: its columns, its rows, and the bytes that it reads. */
export interface Answer {
  readonly fields: readonly FakeField[]
  readonly rows: readonly WireRow[]
  readonly bytes: number
}

interface Place {
  /** A table, or all that a pattern fits, by their whole names. */
  tables(name: string): readonly FakeTable[]
  readonly parameters: readonly FakeParameter[]
}

const NAME = '`(?:[^`\\\\]|\\\\.)+`|[\\w.-]+'
const STATEMENT = new RegExp(
  `^SELECT (?<what>.+?) FROM (?:\\((?<inner>[\\s\\S]+)\\) AS \`posthaul_rows\`|(?<table>${NAME}))(?: WHERE (?<where>[^;)]+?))?(?: ORDER BY (?<order>${NAME}))?\\s*$`,
  'i',
)
const CONDITION = new RegExp(
  `^(?<column>${NAME}) (?:(?<sign>>=|<|=) @(?<parameter>\\w+)|(?<none>IS NULL))$`,
  'i',
)
const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
}
const VALUES: Readonly<Record<string, RegExp>> = {
  TIMESTAMP: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/,
  DATETIME: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?$/,
  DATE: /^\d{4}-\d\d-\d\d$/,
  INT64: /^-?\d+$/,
  STRING: /^[\s\S]*$/,
}

const invalid = (message: string) => new Refusal(400, 'invalidQuery', message)

/** What a statement is, by the words of BigQuery's statistics. */
export function statementTypeOf(text: string): string {
  if (/;\s*\S/.test(text)) return 'SCRIPT'
  return /^\s*\(?\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SELECT'
}

/** Answers the statements that posthaul sends, and no others. */
export function answerTo(text: string, place: Place): Answer {
  const { what, inner, table, where, order } = STATEMENT.exec(text.trim())?.groups ?? {}
  if (what === undefined) throw invalid(`Syntax error: Unexpected "${text.slice(0, 40)}"`)
  const source = inner === undefined ? tableAnswer(unquoted(table!), place) : answerTo(inner, place)
  const filtered = where === undefined ? source : wanted(source, where, place)
  if (/^count\(\*\)$/i.test(what)) {
    return {
      ...filtered,
      fields: [{ name: 'f0_', type: 'INTEGER' }],
      rows: [row(String(filtered.rows.length))],
    }
  }
  const [, least] = /^MIN\((`.+`)\), MAX\(\1\)$/.exec(what) ?? []
  if (least !== undefined) return endsOf(filtered, unquoted(least))
  if (what !== '*') return columnsOf(filtered, what.split(/,\s*/))
  if (order === undefined) return filtered
  const at = indexOf(filtered.fields, unquoted(order))
  const rows = [...filtered.rows].sort((a, b) => (String(a.f[at]!.v) < String(b.f[at]!.v) ? -1 : 1))
  return { ...filtered, rows }
}

function row(...values: readonly (string | null)[]): WireRow {
  return { f: values.map((v) => ({ v })) }
}

function unquoted(name: string): string {
  return name.startsWith('`') ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name
}

function tableAnswer(name: string, place: Place): Answer & { readonly table?: FakeTable } {
  const found = place.tables(name)
  return {
    fields: found[0]!.fields,
    rows: found.flatMap(({ rows }) => rows),
    bytes: found.reduce((sum, { rows }) => sum + JSON.stringify(rows).length, 0),
    ...(found.length === 1 && { table: found[0]! }),
  }
}

function indexOf(fields: readonly FakeField[], name: string): number {
  const at = fields.findIndex((field) => field.name === name)
  if (at < 0) throw invalid(`Unrecognized name: ${name}`)
  return at
}

function columnsOf(answer: Answer, names: readonly string[]): Answer {
  const places = names.map((name) => indexOf(answer.fields, unquoted(name)))
  return {
    ...answer,
    fields: places.map((at) => answer.fields[at]!),
    rows: answer.rows.map(({ f }) => ({ f: places.map((at) => f[at]!) })),
  }
}

function endsOf(answer: Answer, name: string): Answer {
  const at = indexOf(answer.fields, name)
  const field = answer.fields[at]!
  const values = answer.rows.flatMap(({ f }) => (f[at]!.v === null ? [] : [String(f[at]!.v)]))
  values.sort((a, b) => order(a, b, typeOf(field)))
  const fields = ['f0_', 'f1_'].map((one) => ({ name: one, type: field.type }))
  return { ...answer, fields, rows: [row(values[0] ?? null, values.at(-1) ?? null)] }
}

function wanted(answer: Answer & { readonly table?: FakeTable }, where: string, place: Place): Answer {
  let { rows } = answer
  let isPart = false
  for (const condition of where.split(' AND ')) {
    const { column, sign, parameter, none } = CONDITION.exec(condition.trim())?.groups ?? {}
    if (column === undefined) throw invalid(`Syntax error: ${condition}`)
    const name = unquoted(column)
    const { partition } = answer.table ?? {}
    isPart ||= partition === name
    const isArrival = name === '_PARTITIONTIME' && partition === name
    const at = isArrival ? -1 : indexOf(answer.fields, name)
    const cellOf = ({ f, arrived }: WireRow) => (isArrival ? (arrived ?? null) : f[at]!.v)
    if (none !== undefined) rows = rows.filter((one) => cellOf(one) === null)
    else {
      const type = isArrival ? 'TIMESTAMP' : typeOf(answer.fields[at]!)
      const value = valueFor(parameter!, type, place.parameters)
      rows = rows.filter((one) => {
        const own = cellOf(one)
        return own !== null && holds(order(String(own), value, type), sign!)
      })
    }
  }
  return { ...answer, rows, ...(isPart && { bytes: JSON.stringify(rows).length }) }
}

function typeOf({ type }: FakeField): string {
  return TYPES[type] ?? type
}

function holds(order: number, sign: string): boolean {
  return sign === '=' ? order === 0 : sign === '<' ? order < 0 : order >= 0
}

function valueFor(name: string, type: string, parameters: readonly FakeParameter[]): string {
  const found = parameters.find((one) => one.name === name)
  if (!found) throw invalid(`Query parameter '${name}' not found`)
  const given = found.parameterType.type
  if (given !== type) {
    throw invalid(`No matching signature for operator for argument types: ${type}, ${given}`)
  }
  const { value } = found.parameterValue
  if (!(VALUES[type] ?? /^/).test(value)) throw invalid(`Invalid value for ${type}: ${value}`)
  return type === 'TIMESTAMP' ? String(BigInt(Date.parse(value)) * 1000n) : value
}

function order(a: string, b: string, type: string): number {
  if (type === 'TIMESTAMP' || type === 'INT64')
    return Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b))
  const [left, right] = type === 'DATETIME' ? [a, b].map(padded) : [a, b]
  return left! < right! ? -1 : left! > right! ? 1 : 0
}

function padded(text: string): string {
  const [seconds, fraction = ''] = text.replace(' ', 'T').split('.')
  return `${seconds}.${fraction.padEnd(6, '0')}`
}
