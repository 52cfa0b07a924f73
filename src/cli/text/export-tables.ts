import type { ExportListResult } from '../../jobs/results.ts'
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
} from '../../text/index.ts'

type Listed = ExportListResult['tables'][number]

const MOST_COLUMNS = 3

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

/** What a database has, for a person: a table a line, and how one is read. */
export function exportTablesText(result: ExportListResult, width: number): string {
  const { server, tables, shapes, vendor } = result
  const table = new Table(TABLE_COLUMNS, tables, width - 2)
  const rows = tables.length === 0 ? [] : [table.head(), ...tables.map((one) => table.row(one))]
  const lines = [
    ...fold(`${visible(server)}: ${plural(tables.length, 'table')}`, '  ', 'export: '),
    ...rows.map((row) => `  ${row}`),
    ...shapes.map((shape) => `  next: ${posthaulLine(['export', vendor, '--like', shape, ...FROM_AND_OUT])}`),
    ...(shapes.length === 0 ? nextLines(result) : []),
  ]
  return `${lines.join('\n')}\n`
}

const FROM_AND_OUT = ['--from', '2024-03-01', '--out', 'raw/']

function nextLines({ vendor, tables }: ExportListResult): string[] {
  const dated = tables.find(({ times }) => times.length > 0)
  if (dated === undefined) return []
  const words = ['--table', nameOf(dated), '--time-column', dated.times[0]!]
  return fold(posthaulLine(['export', vendor, ...words, ...FROM_AND_OUT]), '    ', '  next: ')
}

function nameOf({ schema, name }: Listed): string {
  return schema === null ? name : `${schema}.${name}`
}

function columnsOf({ times, keys }: Listed): string {
  return firstFew(times.length > 0 ? times : keys, MOST_COLUMNS)
}
