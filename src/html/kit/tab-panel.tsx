import type { ComponentChildren } from 'preact'

/** What the tab of the same id shows. Only that of the selected tab is rendered. */
export function TabPanel({ id, children }: { id: string; children?: ComponentChildren }) {
  return (
    <div role="tabpanel" id={`panel-${id}`} aria-labelledby={`tab-${id}`}>
      {children}
    </div>
  )
}
