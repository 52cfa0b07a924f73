import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shortName } from '../../kit/parts.tsx'
import { useShown } from '../session.ts'
import { type Choice, Select } from './filters.tsx'

/** Names that are suggested at once; more are found by typing. */
const SUGGESTED = 50

/** A field for a name, which suggests some. */
function NameField(props: {
  label: string
  value: string
  suggestions: readonly string[]
  onInput: (name: string) => void
}) {
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
        {props.suggestions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  )
}

interface FormField {
  readonly label: string
  /** What stands in it at first. */
  readonly value?: string
  /** A list to choose from, else text. */
  readonly choices?: readonly Choice[]
  readonly suggestions?: readonly string[]
  /** A member of the records, searched among all. */
  readonly isMember?: boolean
  readonly isOptional?: boolean
}

/** What is asked in place of a row's buttons. `onApply` is given the values in the order of the fields. */
export interface Asked {
  readonly fields: readonly FormField[]
  readonly onApply: (...values: string[]) => void
}

/** Enter applies, Escape gives up. The first field has the focus at once. A form that lacks a value, or has no new one, does nothing. */
function SmallForm({ fields, onApply, close }: Asked & { close: () => void }) {
  const { properties } = useShown().moment.model
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(() =>
    fields.map(({ value, choices }) => value ?? choices?.[0]?.value ?? ''),
  )
  // Not useEffect, which waits for a frame: keys pressed meanwhile would be lost.
  useLayoutEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement | HTMLSelectElement>('input, select')
    field?.focus()
    if (field instanceof HTMLInputElement) field.select()
  }, [])
  const apply = (): void => {
    const isWhole = fields.every(({ isOptional }, at) => isOptional || values[at]!.trim() !== '')
    const isNew = fields.some(({ choices, value = '' }, at) => choices !== undefined || values[at] !== value)
    if (isWhole && isNew) onApply(...values)
  }
  return (
    <form
      ref={form}
      class="small-form"
      onSubmit={(event) => {
        event.preventDefault()
        close()
        apply()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      {fields.map(({ label, choices, suggestions = [], isMember }, at) => {
        const set = (value: string): void => setValues(values.with(at, value))
        const field = { label, value: values[at]! }
        if (choices) return <Select key={label} {...field} choices={choices} onChoose={set} />
        const wanted = field.value.toLowerCase()
        const members = isMember ? properties.filter(({ path }) => path.toLowerCase().includes(wanted)) : []
        const names = [...suggestions, ...members.slice(0, SUGGESTED).map(({ path }) => path)]
        return <NameField key={label} {...field} suggestions={names} onInput={set} />
      })}
      <button type="submit" class="main-button">
        Apply
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </form>
  )
}

/** Asks for one of the members of the records. */
export function askMember(label: string, onApply: (path: string) => void): Asked {
  return { fields: [{ label, isMember: true }], onApply }
}

/** The zone of this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Asks for a time zone: first the one of this browser, then all. */
export function askZone(onApply: (zone: string) => void): Asked {
  const zones = [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
  const choices = zones.map((zone) => ({ value: zone, label: zone }))
  return { fields: [{ label: 'Zone of times that name none', choices }], onApply }
}

/** Asks in which members the day and the time of day are, and how both are written. `formats`: the forms of times. */
export function askDayAndTime(
  day: string,
  formats: readonly string[],
  onApply: (day: string, time: string, format: string | null) => void,
): Asked {
  const [format = 'YYYY-MM-DD'] = formats
  return {
    fields: [
      { label: 'Day in', value: day, isMember: true },
      { label: 'Time of day in', isMember: true },
      {
        label: 'Both written as',
        value: /[hH]/.test(format) ? format : `${format} HH:mm`,
        isOptional: true,
      },
    ],
    onApply: (day, time, format) => onApply(day!, time!, format!.trim() === '' ? null : format!),
  }
}

/** A button of a row: it does something, or opens a form in the place of the buttons. */
export type RowButton =
  | { readonly label: string; readonly run: () => void }
  | { readonly label: string; readonly asks: Asked }

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
      {opened && 'asks' in opened ? (
        <SmallForm {...opened.asks} close={close} />
      ) : (
        buttons.map((button) => (
          <button
            key={button.label}
            type="button"
            aria-label={`${button.label} ${name}`}
            onClick={() => {
              acted.current = true
              if ('asks' in button) setOpen(button.label)
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
