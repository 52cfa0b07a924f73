import type { ComponentChild } from 'preact'
import { useRef, useState } from 'preact/hooks'
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
  actions: readonly RowAction[]
}) {
  const { forms = [], actions } = props
  const [open, setOpen] = useState<string>()
  const box = useRef<HTMLDivElement>(null)
  const name = shortName(props.name)
  const close = (): void => {
    setOpen(undefined)
    // The button is there again only after the next rendering.
    requestAnimationFrame(() => box.current?.querySelector('button')?.focus())
  }
  const form = forms.find(({ label }) => label === open)
  return (
    <div class="row-actions" ref={box}>
      {form !== undefined
        ? form.form(close)
        : [...forms.map(({ label }) => ({ label, run: () => setOpen(label) })), ...actions].map(
            ({ label, run }) => (
              <button key={label} type="button" aria-label={`${label} ${name}`} onClick={run}>
                {label}
              </button>
            ),
          )}
    </div>
  )
}
