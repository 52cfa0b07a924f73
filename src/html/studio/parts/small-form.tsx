import { type ComponentChild, type ComponentChildren, createContext } from 'preact'
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shortName } from '../../kit/parts.tsx'
import { type Choice, Select } from './filters.tsx'
import { MemberField } from './name-field.tsx'

/** Asks for a name in place. Nothing is done for an empty name, or the one that is there already. */
export function NameForm(props: {
  label: string
  name: string
  suggestions: readonly string[]
  onName: (name: string) => void
}) {
  const [name, setName] = useState(props.name)
  const list = useId()
  const isNew = name.trim() !== '' && name !== props.name
  return (
    <SmallForm onSubmit={() => isNew && props.onName(name)}>
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
export function ZoneForm({ onZone }: { onZone: (zone: string) => void }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  const choices = zones.map((zone) => ({ value: zone, label: zone }))
  return <ChoiceForm label="Zone of times that name none" choices={choices} onChoice={onZone} />
}

/** Asks for one of a few things in place. */
export function ChoiceForm(props: {
  label: string
  choices: readonly Choice[]
  onChoice: (value: string) => void
}) {
  const [value, setValue] = useState(props.choices[0]?.value ?? '')
  return (
    <SmallForm onSubmit={() => value !== '' && props.onChoice(value)}>
      <Select label={props.label} value={value} choices={props.choices} onChoose={setValue} />
    </SmallForm>
  )
}

/** Asks in which members the day and the time of day are, and how both are written. */
export function DayAndTimeForm(props: {
  day: string
  format: string
  onApply: (day: string, time: string, format: string | null) => void
}) {
  const [day, setDay] = useState(props.day)
  const [time, setTime] = useState('')
  const [format, setFormat] = useState(props.format)
  const apply = (): void => {
    if (day !== '' && time !== '') props.onApply(day, time, format.trim() === '' ? null : format)
  }
  return (
    <SmallForm onSubmit={apply}>
      <MemberField label="Day in" value={day} onInput={setDay} />
      <MemberField label="Time of day in" value={time} onInput={setTime} />
      <label>
        Both written as
        <input value={format} spellcheck={false} onInput={(event) => setFormat(event.currentTarget.value)} />
      </label>
    </SmallForm>
  )
}

/** Asks for one of the members of the records in place, searched among all. */
export function MemberForm(props: { label: string; onChoice: (path: string) => void }) {
  const [path, setPath] = useState('')
  return (
    <SmallForm onSubmit={() => path !== '' && props.onChoice(path)}>
      <MemberField label={props.label} value={path} onInput={setPath} />
    </SmallForm>
  )
}

/** Enter applies, Escape gives up. The first field has the focus at once. */
function SmallForm(props: { onSubmit: () => void; children?: ComponentChildren }) {
  const form = useRef<HTMLFormElement>(null)
  const close = useContext(Close)
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
        close()
        props.onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      {props.children}
      <button type="submit" class="main-button">
        Apply
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </form>
  )
}

/** A button of a row: it does something, or opens a form in the place of the buttons. */
export type RowButton =
  | { readonly label: string; readonly run: () => void }
  | { readonly label: string; readonly form: ComponentChild }

/** Brings the buttons back. */
const Close = createContext(() => {})

/** The buttons of a row. `name` is what the row is about, which each button tells screen readers. */
export function RowActions(props: { name: string; buttons: readonly (RowButton | false)[] }) {
  const buttons = props.buttons.filter((button) => button !== false)
  const [open, setOpen] = useState<string>()
  const box = useRef<HTMLDivElement>(null)
  const acted = useRef(false)
  const name = shortName(props.name)
  // The button that was pressed goes away with what it did, and the focus with it: the row keeps it.
  useLayoutEffect(() => {
    if (!acted.current || open !== undefined || document.activeElement !== document.body) return
    box.current?.querySelector('button')?.focus({ preventScroll: true })
  })
  // Not useEffect: its cleanup comes after the buttons, and the focus, are gone.
  useLayoutEffect(() => () => keepPlace(box.current), [])
  const close = (): void => {
    acted.current = true
    setOpen(undefined)
  }
  const opened = buttons.find(({ label }) => label === open)
  return (
    <div
      class="row-actions"
      ref={box}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isElsewhere = relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)
        if (isElsewhere) acted.current = false
      }}
    >
      {opened && 'form' in opened ? (
        <Close.Provider value={close}>{opened.form}</Close.Provider>
      ) : (
        buttons.map((button) => (
          <button
            key={button.label}
            type="button"
            aria-label={`${button.label} ${name}`}
            onClick={() => {
              acted.current = true
              if ('form' in button) setOpen(button.label)
              else button.run()
            }}
          >
            {button.label}
          </button>
        ))
      )}
    </div>
  )
}

/** A row can leave a filtered list by what was done to it: the row that takes its place gets the focus. */
function keepPlace(box: HTMLElement | null): void {
  if (!box?.contains(document.activeElement)) return
  const rows = (): Element[] => [...document.querySelectorAll('.row-actions')]
  const place = rows().indexOf(box)
  setTimeout(() => {
    if (document.activeElement !== document.body) return
    const left = rows()
    const next = left[Math.min(place, left.length - 1)]?.querySelector('button')
    const heir = next ?? document.querySelector<HTMLElement>('main h2')
    heir?.focus({ preventScroll: true })
  })
}
