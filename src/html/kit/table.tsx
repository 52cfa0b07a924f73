import type { ComponentChildren } from 'preact'
import { number } from '../../text/index.ts'
import { Name } from './name.tsx'

export interface TableColumn {
  readonly label: string
  /** Numbers stand to the right. */
  readonly align?: 'left' | 'right'
  /** False where nothing can be sorted by it. */
  readonly sortable?: boolean
}

export interface Sorting {
  /** The place of the column that the rows are sorted by. */
  readonly column: number
  readonly descending: boolean
  readonly onSort: (column: number) => void
}

/**
 * A table. The first cell of a row is its heading; a number is a count, and gets its separators; a text may be any that
 * came with the data. `sorting` makes its column
 * headings buttons, for pages with a script.
 */
export function TableView(props: {
  caption: ComponentChildren
  columns: readonly TableColumn[]
  rows: readonly (readonly ComponentChildren[])[]
  sorting?: Sorting
}) {
  const { columns, sorting } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={column.label}
                scope="col"
                class={column.align}
                aria-sort={column.sortable === false ? undefined : sortOf(at, sorting)}
              >
                {sorting === undefined || column.sortable === false ? (
                  column.label
                ) : (
                  <button type="button" onClick={() => sorting.onSort(at)}>
                    {column.label}
                    <span aria-hidden="true">
                      {sorting.column !== at ? '' : sorting.descending ? ' ▾' : ' ▴'}
                    </span>
                  </button>
                )}
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

function sortOf(
  column: number,
  sorting: Sorting | undefined,
): 'ascending' | 'descending' | 'none' | undefined {
  if (sorting === undefined) return undefined
  if (sorting.column !== column) return 'none'
  return sorting.descending ? 'descending' : 'ascending'
}
