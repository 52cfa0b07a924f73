import type { RecordView } from '../../mapping/index.ts'

/** The names of the service's mobile libraries for what an app did. Others keep mParticle's. */
const TRANSITIONS: ReadonlyMap<string, string> = new Map([
  ['application_foreground', 'Application Opened'],
  ['application_background', 'Application Backgrounded'],
])

/** The name of a change of an app's state: its first run and an upgrade are events of their own. */
export function applicationEvent(record: RecordView): string {
  const transition = record.text('transition')
  if (transition === undefined) return 'application_state_transition'
  if (transition !== 'application_initialized') return TRANSITIONS.get(transition) ?? transition
  if (record.text('is_first_run') === 'true') return 'Application Installed'
  return record.text('is_upgrade') === 'true' ? 'Application Updated' : transition
}

/** The name of an event of commerce: what was done with products, or with promotions, or that products were seen. */
export function commerceEvent(record: RecordView): string {
  const [action, promotion] = [record.text('action'), record.text('promotion')]
  if (action !== undefined) return `commerce: ${action}`
  if (promotion !== undefined) return `commerce: promotion ${promotion}`
  return record.kind('impressions') === undefined ? 'commerce' : 'commerce: impression'
}
