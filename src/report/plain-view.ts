import type { RowView } from './rows.ts'
import type { Column } from './table.ts'

/** A view of rows that always have the same fields. */
export function plainView<Row>(...titles: (keyof Row & string)[]): RowView<Row> {
  const columns = (sample: readonly Row[]): Column<Row>[] =>
    titles.map((title) => ({
      title,
      cell: (row) => row[title],
      side: sample.length > 0 && sample.every((row) => typeof row[title] === 'number') ? 'right' : 'left',
    }))
  return { tableColumns: columns, csvColumns: columns }
}
