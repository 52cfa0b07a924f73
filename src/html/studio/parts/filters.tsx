import type { EventRow, Outcome, PropertyRow, StudioInput } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { shortName } from '../../kit/parts.tsx'

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
