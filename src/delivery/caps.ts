import { PosthaulError } from '../errors.ts'
import { MICROS_PER_MS, MS_PER_HOUR } from '../text/index.ts'

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

/** The error of an import at the volume cap of `events`. */
export function volumeReached(events: number): PosthaulError {
  const message = `the volume cap is reached: ${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'} of this migration, over all inputs`
  if (events >= OPEN_EVENTS) {
    const hint = 'ask the service before you send more; then add --approved --max-events <n>'
    return new PosthaulError(message, { code: 'paused', hint })
  }
  const hint = 'the rest is sent when the cap is raised; up to 20 million events you need not ask the service'
  const options = { '--max-events': String(OPEN_EVENTS) }
  return new PosthaulError(message, { code: 'paused', hint, options })
}
