import type { ComponentChildren } from 'preact'
import { number } from '../../text/words.ts'
import { Name } from './parts.tsx'

interface TableColumn {
  readonly label: string
  /** Numbers stand to the right. */
  readonly align?: 'left' | 'right'
}

/** A column of numbers. */
export function right(label: string): TableColumn {
  return { label, align: 'right' }
}

interface TableProps {
  readonly caption: ComponentChildren
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** A table. The first cell of a row is its heading; a number gets its separators; a text may be any that came with the data. */
export function TableView(props: TableProps) {
  const { columns } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={column.align}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells, row) => (
            <tr key={row}>
              {columns.map(({ label, align }, at) => {
                const cell = cells[at]
                return at === 0 ? (
                  <th key={label} scope="row" class={align}>
                    {shown(cell)}
                  </th>
                ) : (
                  <td key={label} class={align}>
                    {shown(cell)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function shown(cell: ComponentChildren) {
  if (typeof cell === 'number') return number(cell)
  return typeof cell === 'string' ? <Name text={cell} most={120} /> : cell
}

/** Rows that are seen at once; two more are not worth a fold. */
const SEEN = 10
const SLACK = 2

/** The first rows of a long table, and the others behind a line that opens them. `what`: what these rows are. */
export function LongTable({ what, ...table }: TableProps & { what: string }) {
  const { rows } = table
  if (rows.length <= SEEN + SLACK) return <TableView {...table} />
  return (
    <>
      <TableView {...table} rows={rows.slice(0, SEEN)} />
      <details class="more">
        <summary>
          {number(rows.length - SEEN)} more {what}
        </summary>
        <TableView {...table} rows={rows.slice(SEEN)} />
      </details>
    </>
  )
}
