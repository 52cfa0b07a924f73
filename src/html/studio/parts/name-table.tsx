import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { EventRow, PropertyRow } from '../../../studio/studio-data.ts'
import { number } from '../../../text/words.ts'
import { Notice } from '../../kit/parts.tsx'
import { TableView } from '../../kit/table.tsx'
import { useRows } from '../api.ts'
import { replacePlace } from '../place.ts'
import { useShown } from '../session.ts'
import { countWords, Filters, fateWords, Pager, SearchField, Select } from './filters.tsx'
import { EventFilterField } from './forms.tsx'

const ROWS = 100

type Rows = { readonly events: EventRow; readonly properties: PropertyRow }

/** A table of the names of events, or of members: searched, filtered by what becomes of them, a page at a time. */
export function NameTable<View extends keyof Rows>(props: {
  view: View
  /** What a row is. */
  one: string
  /** What counts are of. */
  of: string
  params: URLSearchParams
  fates: readonly Rows[View]['fate'][]
  /** With a filter by event. */
  byEvent?: boolean
  columns: Parameters<typeof TableView>[0]['columns']
  cells: (row: Rows[View]) => readonly ComponentChildren[]
  none: ComponentChildren
}) {
  const { view, one, of, params, fates, byEvent = false } = props
  const { revision } = useShown().moment.model
  const [offset, setOffset] = useState(0)
  const at = (name: string): string => params.get(name) ?? ''
  const [text, fate, event] = [at('text'), at('fate'), byEvent ? at('event') : '']
  const show = (change: Readonly<Record<string, string>>): void => {
    setOffset(0)
    replacePlace(view, { text, fate, event, ...change })
  }
  const chosen = fates.find((known) => known === fate)
  const asked = { text, fate: chosen, ...(byEvent && { event }), offset, limit: ROWS }
  const { value: table, failure } = useRows(view, asked as object, revision)
  const counts: Partial<Record<string, number>> = table?.fates ?? {}
  return (
    <>
      <Filters>
        <SearchField label="Search all names" value={text} onInput={(typed) => show({ text: typed })} />
        {byEvent && <EventFilterField value={event} onChoose={(value) => show({ event: value })} />}
        <Select
          label="Fate"
          value={fate}
          all={`All (${number(table?.all ?? 0)})`}
          choices={fates
            .filter((known) => (counts[known] ?? 0) > 0)
            .map((known) => ({ value: known, label: `${fateWords(known)} (${number(counts[known]!)})` }))}
          onChoose={(value) => show({ fate: value })}
        />
      </Filters>
      {failure !== undefined && <Notice level="error" title={failure.message} />}
      {table !== undefined && (
        <>
          <div class="stack">
            <TableView
              caption={countWords(one, table, of)}
              columns={props.columns}
              rows={(table.rows as readonly Rows[View][]).map(props.cells)}
            />
          </div>
          {table.total === 0 && <p>{props.none}</p>}
          {'others' in table && table.others > 0 && (
            <p class="soft">
              {number(table.others)} more values are of paths that are too many to be told apart.
            </p>
          )}
          <Pager what={`${one}s`} offset={offset} size={ROWS} total={table.total} onOffset={setOffset} />
        </>
      )}
    </>
  )
}
