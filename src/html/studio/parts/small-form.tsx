import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Choice } from './filters.tsx'
import { MemberField } from './name-field.tsx'

/** Asks for a name in place. Nothing is done for an empty name, or the one that is there already. */
export function NameForm(props: {
  label: string
  name: string
  suggestions: readonly string[]
  onName: (name: string) => void
  close: () => void
}) {
  const [name, setName] = useState(props.name)
  const list = useId()
  const isNew = name.trim() !== '' && name !== props.name
  return (
    <SmallForm close={props.close} onSubmit={() => isNew && props.onName(name)}>
      <label>
        {props.label}
        <input
          value={name}
          list={list}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {props.suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </SmallForm>
  )
}

/** Asks for a time zone in place: first the one of this browser, then all. */
export function ZoneForm(props: { onZone: (zone: string) => void; close: () => void }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  return (
    <ChoiceForm
      label="Zone of times that name none"
      choices={zones.map((zone) => ({ value: zone, label: zone }))}
      onChoice={props.onZone}
      close={props.close}
    />
  )
}

/** Asks for one of a few things in place. */
export function ChoiceForm(props: {
  label: string
  choices: readonly Choice[]
  onChoice: (value: string) => void
  close: () => void
}) {
  const [value, setValue] = useState(props.choices[0]?.value ?? '')
  return (
    <SmallForm close={props.close} onSubmit={() => value !== '' && props.onChoice(value)}>
      <label>
        {props.label}
        <select value={value} onChange={(event) => setValue(event.currentTarget.value)}>
          {props.choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      </label>
    </SmallForm>
  )
}

/** Asks in which members the day and the time of day are, and how both are written. */
export function DayAndTimeForm(props: {
  day: string
  format: string
  revision: string
  onApply: (day: string, time: string, format: string | null) => void
  close: () => void
}) {
  const { revision } = props
  const [day, setDay] = useState(props.day)
  const [time, setTime] = useState('')
  const [format, setFormat] = useState(props.format)
  const apply = (): void => {
    if (day !== '' && time !== '') props.onApply(day, time, format.trim() === '' ? null : format)
  }
  return (
    <SmallForm close={props.close} onSubmit={apply}>
      <MemberField label="Day in" value={day} revision={revision} onInput={setDay} />
      <MemberField label="Time of day in" value={time} revision={revision} onInput={setTime} />
      <label>
        Both written as
        <input value={format} spellcheck={false} onInput={(event) => setFormat(event.currentTarget.value)} />
      </label>
    </SmallForm>
  )
}

/** Asks for one of the members of the records in place, searched among all. */
export function MemberForm(props: {
  label: string
  revision: string
  onChoice: (path: string) => void
  close: () => void
}) {
  const [path, setPath] = useState('')
  return (
    <SmallForm close={props.close} onSubmit={() => path !== '' && props.onChoice(path)}>
      <MemberField label={props.label} value={path} revision={props.revision} onInput={setPath} />
    </SmallForm>
  )
}

/** Enter applies, Escape gives up. The first field has the focus at once. */
function SmallForm(props: { onSubmit: () => void; close: () => void; children?: ComponentChildren }) {
  const form = useRef<HTMLFormElement>(null)
  // Not useEffect, which waits for a frame: keys pressed meanwhile would be lost.
  useLayoutEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement | HTMLSelectElement>('input, select')
    field?.focus()
    if (field instanceof HTMLInputElement) field.select()
  }, [])
  return (
    <form
      ref={form}
      class="small-form"
      onSubmit={(event) => {
        event.preventDefault()
        props.close()
        props.onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.close()
      }}
    >
      {props.children}
      <button type="submit" class="main-button">
        Apply
      </button>
      <button type="button" onClick={props.close}>
        Cancel
      </button>
    </form>
  )
}
