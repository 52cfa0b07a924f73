import {
  duration,
  type Row,
  row,
  exportRows as rows,
  transformRows,
  type Values,
  wholeNumber,
} from '../../options/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import type { VendorRow } from '../vendor-source.ts'
import type { Only } from './database.ts'
import { SHAPE_NAMES, SHAPES, shapeNamed } from './sql-shapes.ts'

/** Reads `team_id=2`. */
function only(text: string): Only {
  const at = text.indexOf('=')
  if (at < 1) throw new RangeError('expected a column and its value, such as team_id=2')
  return { column: text.slice(0, at), value: text.slice(at + 1) }
}

const TABLE = row({
  flag: '--table <name...>',
  help: 'tables or views to read, such as app.events',
})

const QUERY = row({
  flag: '--query <file>',
  help: 'file with a SELECT to read in their place; {from} and {to} in it are the ends of a window',
})

const LIKE = row({
  flag: '--like <shape>',
  choices: SHAPE_NAMES,
  help: 'a shape that posthaul knows: which tables, by which time',
})

export const SCHEMA = row({
  flag: '--schema <name>',
  otherwise: "the connection's own",
  help: 'schema or database of the tables that --like and --list look at',
})

const TIME_COLUMN = row({
  flag: '--time-column <name>',
  help: 'column that windows go by: that of arrival, where there is one',
})

const KEY = row({
  flag: '--key <column>',
  help: 'for a table without a time: its unique key, in whose order it is read',
})

const ROWS_PER_PART = row({
  flag: '--rows-per-part <n>',
  shown: 'seldom',
  parse: wholeNumber(1),
  otherwise: 'windows as --window says, and 1,000,000 values of a --key',
  help: 'most rows of a part: a window of more is cut, to an hour at least; values of a --key that is a whole number',
})

const ONLY = row({
  flag: '--only <column=value...>',
  parse: only,
  help: 'only rows that have this value there, such as team_id=2',
})

const OVERLAP = row({
  flag: '--overlap <duration>',
  parse: duration,
  default: '0s',
  help: 'how long after its end a window still gets rows: until then each run reads it again',
})

const NULLS = row({
  flag: '--nulls <choice>',
  shown: 'seldom',
  choices: ['omit', 'keep'],
  default: 'omit',
  help: 'members that are NULL: left out, or null',
})

const ROWS_PER_SECOND = row({
  flag: '--rows-per-second <n>',
  parse: wholeNumber(1),
  otherwise: 'as fast as the server gives them',
  help: 'most rows read in a second',
})

const LIST = row({
  flag: '--list',
  help: 'show the tables with rows, span and size, and which shape they are; read nothing',
})

const [FROM, TO, OUT] = WHAT_ROWS

/** What of a database is read, in the order of help. */
const SQL_WHAT_ROWS = [TABLE, QUERY, LIKE, TIME_COLUMN, KEY, ONLY] as const

/** How it is read. */
const SQL_HOW_ROWS = [
  { ...rows.WINDOW, default: '24h' },
  OVERLAP,
  ROWS_PER_PART,
  NULLS,
  transformRows.BIG_INTEGERS,
  ROWS_PER_SECOND,
] as const

/**
 * The options of an export of an engine's tables, in the order of its help. `own`: those that only this engine has. What `--list`
 * does without is asked for when it is needed.
 */
function sqlRows<const R extends readonly Row[]>(engine: string, ...own: R) {
  const { required: _, ...from } = FROM
  const { required: __, ...out } = OUT
  const choices = SHAPES.filter(({ engines }) => engines.includes(engine)).map(({ name }) => name)
  return [
    ...[TABLE, QUERY, { ...LIKE, choices }, TIME_COLUMN, KEY, ONLY],
    from,
    TO,
    out,
    ...own,
    LIST,
    ...WHETHER_ROWS,
    ...SQL_HOW_ROWS,
    { ...rows.CONCURRENCY, default: '1', help: 'statements at once' },
    ...HOW_ROWS.filter((one) => one !== rows.BASE_URL),
  ] as const
}

/** What tells a first look which rows it is for. Others than tables have no use for them. */
export const SQL_SAMPLE_ROWS = [TABLE, QUERY, LIKE, SCHEMA, ONLY].map((one) => ({
  ...one,
  shown: 'seldom' as const,
}))

/** Those of them that a migration file takes. */
export const SQL_SETTINGS = [...SQL_WHAT_ROWS, ...SQL_HOW_ROWS] as const

/** Lines of a new migration file. */
export const SQL_FIRST_LINES = [
  '# the tables, and the column that windows go by: export with --list shows them',
  'table: [app.events]',
  'time_column: created_at',
]

/** An engine as export, run, doctor and their help know it. `own`: the options that only it has. */
export function sqlVendor<const Name extends string, const R extends readonly Row[]>({
  own,
  ...row
}: Pick<VendorRow<Name>, 'name' | 'description' | 'help' | 'credentials' | 'signs'> & { readonly own: R }) {
  return {
    ...row,
    rows: sqlRows(row.name, ...own),
    settings: [...SQL_SETTINGS, ...own],
    variables: {},
    firstLines: SQL_FIRST_LINES,
    // That of the shape, if the source of a migration file names one.
    preset: ({ like }: { readonly like?: unknown }) =>
      typeof like === 'string' ? shapeNamed(like).preset : undefined,
  } satisfies VendorRow<Name>
}

/** The values of an export of tables. */
export type SqlValues = Values<ReturnType<typeof sqlRows<[]>>>
