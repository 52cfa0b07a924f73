import type { ExportListResult } from '../../jobs/index.ts'
import {
  bytes,
  type Column,
  firstFew,
  fold,
  number,
  plural,
  posthaulLine,
  Table,
  visible,
  withOptions,
} from '../../text/index.ts'

type Listed = ExportListResult['tables'][number]

const MOST_COLUMNS = 3

const FOR_LIST_ONLY = { '--list': undefined, '--json': undefined }

const TABLE_COLUMNS: readonly Column<Listed>[] = [
  { title: 'table', cell: nameOf },
  { title: 'rows', side: 'right', whole: true, cell: ({ rows }) => (rows === null ? '?' : number(rows)) },
  {
    title: 'size',
    side: 'right',
    whole: true,
    cell: (table) => (table.bytes === null ? '?' : bytes(table.bytes)),
  },
  { title: 'first', whole: true, cell: ({ first }) => first?.slice(0, 10) },
  { title: 'last', whole: true, cell: ({ last }) => last?.slice(0, 10) },
  { title: 'times or keys', cell: columnsOf },
]

/** What a database has, for a person: a table a line, and how one is read. `argv`: the command line that asked. */
export function exportTablesText(result: ExportListResult, argv: readonly string[], width: number): string {
  const { server, tables, shapes } = result
  const table = new Table(TABLE_COLUMNS, tables, width - 2)
  const rows = tables.length === 0 ? [] : [table.head(), ...tables.map((one) => table.row(one))]
  const lines = [
    ...fold(`${visible(server)}: ${plural(tables.length, 'table')}`, '  ', 'export: '),
    ...rows.map((row) => `  ${row}`),
    ...tables.flatMap(problemLines),
    ...shapes.flatMap((shape) => nextLines(argv, { '--like': shape })),
    ...(shapes.length === 0 ? nextOf(tables, argv) : []),
  ]
  return `${lines.join('\n')}\n`
}

function problemLines(table: Listed): string[] {
  if (table.problem === null) return []
  return fold(visible(`${nameOf(table)} can't be read: ${table.problem}`), '    ', '  ? ')
}

/** The export of the largest table that has a time. */
function nextOf(tables: readonly Listed[], argv: readonly string[]): string[] {
  const dated = tables.filter(({ times }) => times.length > 0)
  const [table] = dated.sort((one, other) => (other.rows ?? 0) - (one.rows ?? 0))
  if (table === undefined) return []
  const [day] = /^[12]\d{3}-\d\d-\d\d/.exec(table.first ?? '') ?? []
  return nextLines(argv, {
    ...{ '--table': nameOf(table), '--time-column': table.times[0]! },
    ...(day !== undefined && { '--from': day }),
  })
}

/** The command goes on from the one that asked, so that it has the same dataset or schema. */
function nextLines(argv: readonly string[], options: Readonly<Record<string, string>>): string[] {
  const { '--from': from = '2024-03-01' } = options
  const words = { ...FOR_LIST_ONLY, ...options, '--from': from, '--out': 'raw/' }
  return fold(posthaulLine(withOptions(argv, words)), '    ', '  next: ')
}

function nameOf({ schema, name }: Listed): string {
  return schema === null ? name : `${schema}.${name}`
}

function columnsOf({ times, keys }: Listed): string {
  return firstFew(times.length > 0 ? times : keys, MOST_COLUMNS)
}
