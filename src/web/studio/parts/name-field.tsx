import { useEffect, useId, useState } from 'preact/hooks'
import { shortName } from '../../kit/name.tsx'
import { useEvents, useProperties } from '../use-records.ts'

/** Names that are suggested at once; more are found by typing. */
const SUGGESTED = 50

interface NameFieldProps {
  readonly label: string
  readonly value: string
  readonly revision: string
  /** Told of every letter. */
  readonly onInput: (name: string) => void
}

/** A field for a member's path. It suggests those that hold what is typed, out of all. */
export function MemberField(props: NameFieldProps) {
  const found = useProperties({ text: props.value, limit: SUGGESTED }, props.revision)
  const names = found.value?.rows.map(({ path, example }) => ({ name: path, about: example ?? 'empty' }))
  return <Suggesting {...props} names={names ?? []} />
}

/** A filter by an event's name in the source. A name counts once it is whole: no event is called `Or`. */
export function EventFilter(props: { value: string; revision: string; onChoose: (event: string) => void }) {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? props.value
  const found = useEvents({ text, limit: SUGGESTED }, props.revision)
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
  props: Omit<NameFieldProps, 'revision'> & {
    names: ReadonlyArray<{ readonly name: string; readonly about: string }>
  },
) {
  const id = useId()
  return (
    <label>
      {props.label}
      <input
        value={props.value}
        list={id}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <datalist id={id}>
        {props.names.map(({ name, about }) => (
          <option key={name} value={name} label={`${shortName(name, 40)} (${shortName(about, 30)})`} />
        ))}
      </datalist>
    </label>
  )
}
