import { MICROS_PER_MS, MS_PER_HOUR } from '../units.ts'

/** Events a minute beyond which the service wants to be asked before a migration begins. */
export const OPEN_PER_MINUTE = 10_000
/** Events in all beyond which the service wants to be asked before a migration begins. */
export const OPEN_EVENTS = 20_000_000

/** Younger events than this can be billed as live ones. */
export const YOUNG_HOURS = 48

/** The instant (microseconds) from which events are young, at a time in milliseconds since the epoch. */
export function youngSince(nowMs: number): number {
  return (nowMs - YOUNG_HOURS * MS_PER_HOUR) * MICROS_PER_MS
}
