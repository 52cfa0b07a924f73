import type { Parameter, Relation, Slice, TablePath, Where } from './database.ts'
import { withEnds } from './query-ends.ts'

/** What an engine writes in its own way. */
export interface SqlSpelling {
  /** Finds the ends of windows in a query of the user's: `queryEnds` of the dialect. */
  readonly ends: RegExp
  /** A name as an identifier: `"created_at"`. */
  quoted(name: string): string
  /** Stands for a parameter in the text: `$1`. `index` counts from 0. */
  placeholder(parameter: Parameter, index: number): string
  /** A condition besides IS NULL that is true for values of a time column that are in no window. */
  timeless?(column: string): string
  /** The end of a statement in which keys are ordered byte by byte, whatever the collation. */
  ordered?(column: string): string
}

/** A statement, and the values of its placeholders in their order. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** `SELECT` of the rows of a slice: `*`, columns, or what is made of all rows: `count(*)`. */
export function statementOf(
  { relation, where, only }: Slice,
  what: string,
  spelling: SqlSpelling,
): Statement {
  const parameters: Parameter[] = []
  const bound = (parameter: Parameter) => spelling.placeholder(parameter, parameters.push(parameter) - 1)
  const from = sourceText(relation, where, spelling, bound)
  const conditions = [
    ...conditionsOf(where, spelling, bound),
    ...only.map(({ column, value }) => {
      return `${spelling.quoted(column)} = ${bound({ kind: 'only', column, value })}`
    }),
  ]
  const filter = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const key = what !== 'count(*)' && where.by === 'all' && where.order
  const order = key ? ` ORDER BY ${(spelling.ordered ?? spelling.quoted)(key.name)}` : ''
  return { text: `SELECT ${what} FROM ${from}${filter}${order}`, parameters }
}

/** All rows of a relation. */
export function wholeOf(relation: Relation): Slice {
  return { relation, where: { by: 'all' }, only: [] }
}

/** `"app"."events"`. */
export function tableText({ schema, name }: TablePath, { quoted }: Pick<SqlSpelling, 'quoted'>): string {
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`
}

/** Notes a parameter; what stands for it in the text. */
type Bound = (parameter: Parameter) => string

function sourceText(relation: Relation, where: Where, spelling: SqlSpelling, bound: Bound): string {
  if (relation.kind === 'table') return tableText(relation, spelling)
  const text = withEnds(relation.text, spelling.ends, (end) => {
    if (where.by !== 'ends') throw new RangeError('a query with ends is read by windows')
    const { start, end: last } = where.span
    return bound({ kind: 'time', column: undefined, at: end === 'from' ? start : last })
  })
  return `(\n${text}\n) AS ${spelling.quoted('posthaul_rows')}`
}

function conditionsOf(where: Where, spelling: SqlSpelling, bound: Bound): string[] {
  if (where.by === 'all' || where.by === 'ends') return []
  const { column } = where
  const name = spelling.quoted(column.name)
  if (where.by === 'no time') {
    const others = spelling.timeless?.(name)
    return [others === undefined ? `${name} IS NULL` : `(${name} IS NULL OR ${others})`]
  }
  const [least, end] =
    where.by === 'time'
      ? [where.span.start, where.span.end].map((at) => bound({ kind: 'time', column, at }))
      : [where.from, where.to].map((value) => {
          return bound({ kind: 'key', column: column.name, value: String(value) })
        })
  // The column itself, not wrapped in a function: so the server can use an index.
  return [`${name} >= ${least}`, `${name} < ${end}`]
}
