import type { RowView } from './rows.ts'
import type { Column } from './table.ts'

/** A group as it is shown. */
export interface GroupRow {
  readonly group_type_index: number
  readonly group_key: string
  readonly group_properties: unknown
  readonly created_at: string
}

const KEY: Column<GroupRow> = { title: 'key', cell: (row) => row.group_key }

/** How groups are shown: key, creation, then the properties that most of them have. */
export const groupsView: RowView<GroupRow> = {
  tableColumns: (sample) => [
    KEY,
    { title: 'created', cell: (row) => row.created_at.slice(0, 19).replace('T', ' '), whole: true },
    ...commonest(sample)
      .filter(([, groups]) => groups * 2 > sample.length)
      .map(([name]) => property(name, sample)),
  ],
  csvColumns: (sample) => {
    const names = commonest(sample).map(([name]) => name)
    const known = new Set(names)
    return [
      { title: 'group_type_index', cell: (row) => row.group_type_index },
      { title: 'group_key', cell: (row) => row.group_key },
      { title: 'created_at', cell: (row) => row.created_at },
      ...names.map((name) => property(name)),
      // What the first rows did not have: the columns are fixed by then, and nothing may be lost.
      { title: 'other_properties', cell: (row) => others(row, known) },
    ]
  },
}

function property(title: string, sample: readonly GroupRow[] = []): Column<GroupRow> {
  const cell = (row: GroupRow) => propertiesOf(row)[title]
  const numeric = sample.every((row) => ['number', 'undefined'].includes(typeof cell(row)))
  return { title, cell, side: numeric ? 'right' : 'left' }
}

function propertiesOf(row: GroupRow): Record<string, unknown> {
  const { group_properties: value } = row
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function commonest(sample: readonly GroupRow[]): [name: string, groups: number][] {
  const tally = new Map<string, number>()
  for (const row of sample) {
    for (const name of Object.keys(propertiesOf(row))) tally.set(name, (tally.get(name) ?? 0) + 1)
  }
  return [...tally].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}

function others(row: GroupRow, known: ReadonlySet<string>): unknown {
  const rest = Object.entries(propertiesOf(row)).filter(([name]) => !known.has(name))
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}
