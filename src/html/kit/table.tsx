import type { ComponentChildren } from 'preact'
import { number } from '../../text/words.ts'
import { Name } from './parts.tsx'
import { percent } from './words.ts'

interface TableColumn {
  readonly label: string
  /** Numbers stand to the right. */
  readonly align?: 'left' | 'right'
  /** False where nothing can be sorted by it. */
  readonly sortable?: boolean
}

/** A column of numbers. */
export function right(label: string): TableColumn {
  return { label, align: 'right' }
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

/** Pixels. A bar of what is more than nothing is never shorter, so that it is seen. */
const LEAST = 3

export interface BarRow {
  readonly label: ComponentChildren
  /** 0 to 1: the length of the bar. */
  readonly share: number
  /** What the number says, where that is not the percentage. */
  readonly text?: string
  /** The same before, as a second bar. */
  readonly before?: number
  /** More cells, one for each of `more`. */
  readonly cells?: readonly ComponentChildren[]
}

/** A table whose numbers are bars too, such as the share of records that have a property. */
export function BarList(props: {
  caption: ComponentChildren
  /** The headings of the label, the number, and the number before. */
  columns: { label: string; share: string; before?: string; more?: readonly string[] }
  rows: readonly BarRow[]
}) {
  const { label, share, before, more = [] } = props.columns
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div class="scroll" tabIndex={0}>
      <table class="bars">
        <caption>{props.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <td class="bar" />
            {before !== undefined && (
              <th scope="col" class="right">
                {before}
              </th>
            )}
            <th scope="col" class="right">
              {share}
            </th>
            {more.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">{row.label}</th>
              <td class="bar">
                <Bars share={row.share} before={before === undefined ? undefined : row.before} />
              </td>
              {before !== undefined && (
                <td class="right soft">{row.before === undefined ? '–' : percent(row.before)}</td>
              )}
              <td class="right">{row.text ?? percent(row.share)}</td>
              {more.map((heading, cell) => (
                <td key={heading}>{row.cells?.[cell]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Bars({ share, before }: { share: number; before: number | undefined }) {
  const length = (value: number) => `${(Math.min(1, Math.max(0, value || 0)) * 100).toFixed(1)}%`
  const place = before === undefined ? { y: 0, height: 10 } : { y: 7, height: 9 }
  return (
    <svg height={before === undefined ? 10 : 16} aria-hidden="true">
      <rect class="bar-ground" width="100%" height="100%" rx="2" />
      {before !== undefined && <rect class="bar-before" width={length(before)} height="6" rx="2" />}
      {share > 0 && share < 0.05 && <rect class="bar-value" width={LEAST} {...place} />}
      <rect class="bar-value" width={length(share)} {...place} rx="2" />
    </svg>
  )
}
