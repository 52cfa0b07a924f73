import { type InputFile, readAs } from '../../inputs/input-file.ts'
import { readSpread } from '../../inputs/spread.ts'
import { type ColumnMapping, type Encoding, type Escapes, NO_COLUMNS } from '../../mapping/columns.ts'
import { isTextTable, readHeaders } from '../headers.ts'
import type { Asked, ColumnRule } from '../server/requests.ts'
import { MOST_ROWS, type SampleOptions } from '../studio-sample.ts'
import { columnReader, columnsIn, keysIn, ruleOf, SET } from './said-columns.ts'

const MOST_CELLS = 3
const SHOWN_CHARACTERS = 80

/** Columns of the input that a search fits, with what the text of a mapping makes of their cells: the first of them. */
export function columnTable({ columns, rows }: SampledCells, { yaml, text = '' }: Asked<'columns'>) {
  const said = columnsIn(keysIn(yaml) ?? {})
  const wanted = text.toLowerCase()
  const fitting = [...columns].filter(([name]) => name.toLowerCase().includes(wanted))
  return {
    rows: fitting.slice(0, MOST_ROWS).map(([name, cells]) => columnRow(name, cells, rows, said)),
    total: fitting.length,
    all: columns.size,
  }
}

/** `filled` cells of `records`; `unfit` ones are not of the type, and stay text. Those are shown first. */
function columnRow(column: string, cells: readonly string[], records: number, said: ColumnMapping) {
  const target = Object.hasOwn(said.columns, column) ? said.columns[column] : undefined
  const isDropped = target === null || (target === undefined && said.rest === 'drop')
  const rule: ColumnRule = isDropped ? { type: 'dropped' } : ruleOf(target)
  const read = columnReader(target ?? undefined, said)
  const all = cells.map((cell) => ({ cell, value: read(cell) }))
  const bad = all.filter(({ value }) => value === undefined)
  const some = [bad, all.filter(({ value }) => value !== undefined)].flatMap((ones) =>
    [...new Map(ones.map((one) => [one.cell, one])).values()].slice(0, MOST_CELLS),
  )
  const shown = some.map(({ cell, value }) => {
    return { text: shortened(cell), value: isDropped ? null : shortened(value ?? JSON.stringify(cell)) }
  })
  const unfit = isDropped ? 0 : bad.length
  const person = target?.path[0] === SET
  return { column, rule, person, filled: cells.length, records, unfit, cells: shown }
}

function shortened(text: string): string {
  const letters = [...text.slice(0, 4 * SHOWN_CHARACTERS)]
  return letters.length > SHOWN_CHARACTERS ? `${letters.slice(0, SHOWN_CHARACTERS).join('')}…` : text
}

/** The cells of a sample as they are in the file, column by column in the order of the header; `rows` were read. */
export type SampledCells = NonNullable<Awaited<ReturnType<typeof sampleCells>>>

/** Columns that tell rows apart. */
export function uniqueColumns({ columns, rows }: SampledCells): string[] {
  const isUnique = (cells: readonly string[]) => cells.length === rows && new Set(cells).size === rows
  return rows < 2 ? [] : [...columns].filter(([, cells]) => isUnique(cells)).map(([name]) => name)
}

/** Undefined where no input is a table of text with a header. */
export async function sampleCells(
  inputs: readonly InputFile[],
  { encoding, escapes }: { readonly encoding: Encoding | undefined; readonly escapes: Escapes | undefined },
  { records: wanted, stop }: SampleOptions,
) {
  const tables = readAs(inputs.filter(isTextTable), { encoding })
  if (tables.length === 0) return undefined
  const { names, nameless } = await readHeaders(tables)
  const left = Object.fromEntries(nameless.map((name) => [name, null]))
  const columns = { ...NO_COLUMNS, columns: left, escapes }
  const { records } = await readSpread(tables, { records: wanted, columns, stop })
  const cells = new Map(names.map((name) => [name, [] as string[]]))
  for (const { bytes } of records) {
    for (const [name, cell] of Object.entries(JSON.parse(bytes.toString('utf8')) as Record<string, string>))
      cells.get(name)?.push(cell)
  }
  return { columns: cells, rows: records.length }
}
