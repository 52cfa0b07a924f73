import type { ComponentChildren } from 'preact'
import type { EventRow, PropertyRow } from '../../../studio/studio-data.ts'
import { number } from '../../../text/words.ts'
import { TableView } from '../../kit/table.tsx'
import { replacePlace } from '../place.ts'
import { countWords, fateWords, SearchField, Select } from './filters.tsx'

/** Rows that are shown at once: the search looks through all. */
const ROWS = 100

type Rows = { readonly events: EventRow; readonly properties: PropertyRow }

/** A table of the names of events, or of members: searched, and filtered by what becomes of them. */
export function NameTable<View extends keyof Rows>(props: {
  view: View
  all: readonly Rows[View][]
  /** What a row is. */
  one: string
  /** What counts are of. */
  of: string
  params: URLSearchParams
  /** What a search looks at. */
  names: (row: Rows[View]) => readonly string[]
  columns: Parameters<typeof TableView>[0]['columns']
  cells: (row: Rows[View]) => readonly ComponentChildren[]
  none: ComponentChildren
}) {
  const { view, all, one, of, params } = props
  const [text, fate] = [params.get('text') ?? '', params.get('fate') ?? '']
  const show = (change: Readonly<Record<string, string>>): void =>
    replacePlace(view, { text, fate, ...change })
  const fates = [...new Set(all.map((row) => row.fate))]
  const wanted = text.toLowerCase()
  const fitting = all.filter(
    (row) =>
      (fate === '' || row.fate === fate) &&
      props.names(row).some((name) => name.toLowerCase().includes(wanted)),
  )
  const rows = fitting.slice(0, ROWS)
  return (
    <>
      <search class="filters" aria-label="Filter">
        <SearchField label="Search all names" value={text} onInput={(typed) => show({ text: typed })} />
        <Select
          label="Fate"
          value={fate}
          all={`All (${number(all.length)})`}
          choices={fates.map((known) => ({
            value: known,
            label: `${fateWords(known)} (${number(all.filter((row) => row.fate === known).length)})`,
          }))}
          onChoose={(value) => show({ fate: value })}
        />
      </search>
      <div class="stack">
        <TableView
          caption={countWords(one, { rows, total: fitting.length, all: all.length }, of)}
          columns={props.columns}
          rows={rows.map(props.cells)}
        />
      </div>
      {rows.length === 0 && <p>{props.none}</p>}
    </>
  )
}
