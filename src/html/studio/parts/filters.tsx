import type { ComponentChildren } from 'preact'
import type { EventRow, Outcome, PropertyRow, StudioInput } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { shortName } from '../../kit/parts.tsx'
import { TableView } from '../../kit/table.tsx'
import { replacePlace } from '../place.ts'

export function SearchField(props: { label: string; value: string; onInput: (text: string) => void }) {
  return (
    <label>
      {props.label}
      <input
        type="search"
        value={props.value}
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  )
}

export interface Choice {
  readonly value: string
  readonly label: string
}

/**
 * A list to choose from. `name` is for screen readers, where the label doesn't say what it is about. `all`: of a filter, what
 * the value '' stands for. Labels may be any text of the data.
 */
export function Select(props: {
  value: string
  choices: readonly Choice[]
  onChoose: (value: string) => void
  label?: string
  name?: string
  all?: string
}) {
  const { label, name, value, choices, onChoose, all } = props
  const shown = all === undefined ? choices : [{ value: '', label: all }, ...choices]
  const isKnown = shown.some((choice) => choice.value === value)
  return (
    <label>
      {label}
      <select aria-label={name} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {[...shown, ...(isKnown ? [] : [{ value, label: value }])].map((choice) => (
          <option key={choice.value} value={choice.value}>
            {shortName(choice.label, 50)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A table's caption: how many rows a filter fits, of how many, and how many are shown. `of`: the records that were read. */
export function countWords(what: string, { total, all, rows }: Counted, of: string): string {
  const fitting = total === all ? plural(all, what) : `${number(total)} of ${plural(all, what)}`
  const first = rows.length < total ? `; the first ${number(rows.length)} are shown` : ''
  return `${fitting} in ${of}${first}`
}

interface Counted {
  readonly rows: readonly unknown[]
  readonly total: number
  readonly all: number
}

/** What counts are of: `all 300 records`, or `a sample of 2,000 records`. */
export function sampleWords({ records, whole }: Pick<StudioInput, 'records' | 'whole'>): string {
  return whole ? `all ${plural(records, 'record')}` : `a sample of ${plural(records, 'record')}`
}

type Fate = EventRow['fate'] | PropertyRow['fate'] | Outcome

const LOOKS: Readonly<
  Record<Fate, readonly [colour: 'good' | 'warning' | 'error' | 'plain', words: string]>
> = {
  mapped: ['good', 'mapped'],
  unmapped: ['warning', 'not mapped'],
  dropped: ['plain', 'dropped'],
  rejected: ['error', 'rejected'],
  event: ['good', 'event'],
  filtered: ['plain', 'left out'],
  kept: ['good', 'kept'],
  renamed: ['good', 'renamed'],
  person: ['good', 'person'],
  used: ['good', 'used'],
  changed: ['warning', 'changed'],
  'left out': ['plain', 'left out'],
  'not sent': ['error', 'not sent'],
}

/** What becomes of something, in a word and a colour. */
export function FateChip({ fate }: { fate: Fate }) {
  const [colour, words] = LOOKS[fate]
  return <span class={`chip ${colour}`}>{words}</span>
}

export function fateWords(fate: Fate): string {
  return LOOKS[fate][1]
}

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
