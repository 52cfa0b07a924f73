import { MICROS_PER_MS, MS_PER_HOUR } from '../units.ts'

/** The service wants to be asked before a migration that sends more events a minute than this. */
export const OPEN_PER_MINUTE = 10_000
/** The service wants to be asked before a migration of more events than this. */
export const OPEN_EVENTS = 20_000_000

/** The service can bill events younger than this as live ones. */
export const YOUNG_HOURS = 48

/** The instant (microseconds) from which events count as young, given the time `nowMs` (ms since the epoch). */
export function youngSince(nowMs: number): number {
  return (nowMs - YOUNG_HOURS * MS_PER_HOUR) * MICROS_PER_MS
}
