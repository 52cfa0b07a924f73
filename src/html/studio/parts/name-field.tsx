import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shortName } from '../../kit/parts.tsx'
import { useRows } from '../api.ts'
import { useShown } from '../session.ts'
import { Select } from './filters.tsx'

/** Names that are suggested at once; more are found by typing. */
const SUGGESTED = 50

interface NameFieldProps {
  readonly label: string
  readonly value: string
  /** Told of every letter. */
  readonly onInput: (name: string) => void
}

/** A field for a member's path: a list where they are few, else one that finds those that hold what is typed. */
export function MemberField(props: NameFieldProps) {
  const { label, value, onInput } = props
  const { revision } = useShown().moment.model
  const [isMany, setMany] = useState(false)
  const found = useRows('properties', { ...(isMany && { text: value }), limit: SUGGESTED }, revision).value
  if (!isMany && found !== undefined && found.all > SUGGESTED) setMany(true)
  const names = (found?.rows ?? []).map(({ path, example }) => ({ name: path, about: example ?? 'empty' }))
  if (isMany) return <Suggesting {...props} names={names} takesFocus />
  const isKnown = value === '' || names.some(({ name }) => name === value)
  return (
    <Select
      label={label}
      value={value}
      choices={[
        { value: '', label: 'choose' },
        ...(isKnown ? [] : [{ value, label: shortName(value, 40) }]),
        ...names.map((one) => ({ value: one.name, label: aboutName(one) })),
      ]}
      onChoose={onInput}
    />
  )
}

interface Suggestion {
  readonly name: string
  readonly about: string
}

function aboutName({ name, about }: Suggestion): string {
  return `${shortName(name, 40)} (${shortName(about, 30)})`
}

/** A filter by an event's name in the source. A name counts once it is whole: no event is called `Or`. */
export function EventFilterField(props: { value: string; onChoose: (event: string) => void }) {
  const { revision } = useShown().moment.model
  const [typed, setTyped] = useState<string>()
  const text = typed ?? props.value
  const found = useRows('events', { text, limit: SUGGESTED }, revision)
  const names = found.value?.rows.flatMap(({ source, count }) =>
    source === null ? [] : [{ name: source, about: String(count) }],
  )
  const choose = (name: string): void => {
    const isWhole = name === '' || names?.some((known) => known.name === name) === true
    setTyped(isWhole ? undefined : name)
    if (isWhole) props.onChoose(name)
  }
  // A name that is put in at once is found whole only after it was asked for.
  useEffect(() => {
    if (typed !== undefined && names?.some(({ name }) => name === typed)) choose(typed)
  }, [found.value])
  return <Suggesting label="Event" value={text} onInput={choose} names={names ?? []} />
}

function Suggesting(
  props: NameFieldProps & {
    names: readonly Suggestion[]
    /** True for a field that comes in the place of another: it takes the focus that was lost with that one. */
    takesFocus?: boolean
  },
) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (props.takesFocus && document.activeElement === document.body) field.current?.focus()
  }, [])
  return (
    <label>
      {props.label}
      <input
        ref={field}
        value={props.value}
        list={id}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        {props.names.map((one) => (
          <option key={one.name} value={one.name} label={aboutName(one)} />
        ))}
      </datalist>
    </label>
  )
}
