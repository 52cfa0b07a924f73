import type { ComponentChildren } from 'preact'
import { shortName } from '../../kit/name.tsx'

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

/** A list to choose from; the value '' is `all`. Labels may be any text of the data. */
export function ChoiceField(props: {
  label: string
  value: string
  all: string
  choices: readonly Choice[]
  onChoose: (value: string) => void
}) {
  const { value, choices } = props
  const isKnown = value === '' || choices.some((choice) => choice.value === value)
  return (
    <label>
      {props.label}
      <select value={value} onChange={(event) => props.onChoose(event.currentTarget.value)}>
        <option value="">{props.all}</option>
        {!isKnown && <option value={value}>{shortName(value, 50)}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {shortName(choice.label, 50)}
          </option>
        ))}
      </select>
    </label>
  )
}
