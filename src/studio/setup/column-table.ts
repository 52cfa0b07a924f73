import type { ColumnMapping } from '../../mapping/index.ts'
import type { ColumnQuery, ColumnRow, ColumnTable } from '../studio-data.ts'
import { pageOf } from '../table-pages.ts'
import { pathOfColumn } from './dotted-column.ts'
import { columnReader, columnsIn, keysIn, ruleOf } from './said-columns.ts'
import type { SampledCells } from './sampled-cells.ts'

const MOST_CELLS = 3
const SHOWN_CHARACTERS = 80

/** Columns of the input, with what the text of a mapping makes of their cells. */
export function columnTable({ columns, rows }: SampledCells, query: ColumnQuery): ColumnTable {
  const said = columnsIn(keysIn(query.yaml) ?? {})
  const wanted = (query.text ?? '').toLowerCase()
  const fitting = [...columns].filter(([name]) => name.toLowerCase().includes(wanted))
  return {
    rows: pageOf(fitting, query).map(([name, cells]) => columnRow(name, cells, rows, said)),
    total: fitting.length,
    all: columns.size,
  }
}

function columnRow(
  column: string,
  cells: readonly string[],
  records: number,
  said: ColumnMapping,
): ColumnRow {
  const target = Object.hasOwn(said.columns, column) ? said.columns[column] : undefined
  const isDropped = target === null || (target === undefined && said.rest === 'drop')
  const read = columnReader(target ?? undefined, said)
  const bad: string[] = []
  const good: string[] = []
  let unfit = 0
  for (const cell of cells) {
    const fits = read(cell) !== undefined
    if (!fits) unfit++
    const some = fits ? good : bad
    if (some.length < MOST_CELLS && !some.includes(cell)) some.push(cell)
  }
  return {
    column,
    path: pathOfColumn(column, said),
    rule: isDropped ? { type: 'dropped' } : ruleOf(target),
    filled: cells.length,
    records,
    unfit: isDropped ? 0 : unfit,
    cells: [...bad, ...good].map((cell) => {
      const value = read(cell)
      return {
        text: shortened(cell),
        value: isDropped ? null : shortened(value ?? JSON.stringify(cell)),
        fits: value !== undefined,
      }
    }),
  }
}

function shortened(text: string): string {
  const letters = [...text.slice(0, 4 * SHOWN_CHARACTERS)]
  return letters.length > SHOWN_CHARACTERS ? `${letters.slice(0, SHOWN_CHARACTERS).join('')}…` : text
}
