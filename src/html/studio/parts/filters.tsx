import type { ComponentChildren } from 'preact'
import type { EventFate, Outcome, PropertyFate, StudioInput } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { shortName } from '../../kit/parts.tsx'

/** A row of fields that say which rows are shown. */
export function Filters({ children }: { children?: ComponentChildren }) {
  return (
    <search class="filters" aria-label="Filter">
      {children}
    </search>
  )
}

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

/** Two buttons that go to what is before and after; undefined where there is nothing. */
export function StepButtons(props: {
  words: readonly [before: string, after: string]
  /** What is gone through, for screen readers: `names`. */
  what?: string
  before: (() => void) | undefined
  after: (() => void) | undefined
  children?: ComponentChildren
}) {
  const { words, what, children } = props
  return (
    <div class="line">
      {[props.before, props.after].map((step, at) => (
        <button key={words[at]} type="button" aria-disabled={step === undefined} onClick={() => step?.()}>
          {words[at]}
          {what !== undefined && <span class="unseen"> {what}</span>}
        </button>
      ))}
      {children}
    </div>
  )
}

/** Turns the pages of a table whose rows the server has; nothing for a table of one page. `what`: `names`. */
export function Pager(props: {
  what: string
  offset: number
  size: number
  total: number
  onOffset: (offset: number) => void
}) {
  const { what, offset, size, total, onOffset } = props
  if (total <= size) return null
  return (
    <StepButtons
      words={['Earlier', 'Later']}
      what={what}
      before={offset === 0 ? undefined : () => onOffset(offset - size)}
      after={offset + size >= total ? undefined : () => onOffset(offset + size)}
    >
      <span class="soft small">
        {number(offset + 1)} to {number(Math.min(offset + size, total))} of {number(total)} {what}
      </span>
    </StepButtons>
  )
}

/** A table's caption: how many rows a filter fits, of how many. `of`: the records that were read. */
export function countWords(what: string, { total, all }: { total: number; all: number }, of: string): string {
  return total === all ? `${plural(all, what)} in ${of}` : `${number(total)} of ${plural(all, what)} in ${of}`
}

/** What counts are of: `all 300 records`, or `a sample of 2,000 records`. */
export function sampleWords({ records, whole }: Pick<StudioInput, 'records' | 'whole'>): string {
  return whole ? `all ${plural(records, 'record')}` : `a sample of ${plural(records, 'record')}`
}

type Fate = EventFate | PropertyFate | Outcome

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
