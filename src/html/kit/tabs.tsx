import { number } from '../../text/words.ts'

export interface Tab {
  readonly id: string
  readonly label: string
  readonly badge?: number | string
}

/** A row of tabs, moved along by the arrow keys. The panel of each is a `TabPanel` of the same id. */
export function Tabs(props: {
  label: string
  tabs: readonly Tab[]
  selected: string
  onSelect: (id: string) => void
}) {
  const { tabs, selected, onSelect } = props
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === selected)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const { id } = tabs[(to + tabs.length) % tabs.length]!
    onSelect(id)
    document.getElementById(`tab-${id}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {tabs.map(({ id, label, badge }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === selected}
          aria-controls={id === selected ? `panel-${id}` : undefined}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {label}
          {badge !== undefined && (
            <span class="badge">{typeof badge === 'number' ? number(badge) : badge}</span>
          )}
        </button>
      ))}
    </div>
  )
}
