import type { Mapped } from '../../src/mapping/mapped.ts'

/** The line of the event that a record became; empty where it became none. */
export function eventText(mapped: Mapped): string {
  return mapped.status === 'event' ? mapped.text : ''
}
