import type { ComponentChild } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shortName } from '../../kit/name.tsx'

export interface RowAction {
  readonly label: string
  readonly run: () => void
}

/** A button that opens a form in the place of the buttons. `close` brings them back. */
export interface RowForm {
  readonly label: string
  readonly form: (close: () => void) => ComponentChild
}

/** The buttons of a row. `name` is what the row is about, which each button tells screen readers. */
export function RowActions(props: {
  name: string
  forms?: readonly RowForm[]
  actions?: readonly RowAction[]
  /** Forms and actions in another order than forms first. */
  buttons?: ReadonlyArray<RowAction | RowForm>
}) {
  const { buttons = [...(props.forms ?? []), ...(props.actions ?? [])] } = props
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
  const form = buttons.find((button): button is RowForm => button.label === open && 'form' in button)
  return (
    <div
      class="row-actions"
      ref={box}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isElsewhere = relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)
        if (isElsewhere) acted.current = false
      }}
    >
      {form !== undefined
        ? form.form(close)
        : buttons.map((button) => (
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
          ))}
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
