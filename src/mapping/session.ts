import { parseTime } from '../record/time.ts'
import { isUuidV7, uuidV7 } from '../record/uuid.ts'
import { MICROS_PER_MS, MS_PER_DAY } from '../units.ts'

/** A session as its vendor names it. */
export interface Session {
  /** The vendor's own id of it. */
  readonly id: string
  /** Among whose sessions the id is the only one: the device where the source knows it, so that a login ends no session. */
  readonly owner: string
  /** Milliseconds since the epoch; undefined where nothing but the id may tell. */
  readonly start: number | undefined
}

/**
 * The session's id as the service takes it, a UUID of version 7 whose time is less than 24 hours before the event; or why
 * there is none. A function of the one record: where a session goes on for longer, each 24 hours since its start have an
 * id of their own. `instant` in microseconds.
 */
export function sessionId(
  source: string,
  { id, owner, start = startOf(id) }: Session,
  instant: number,
): { readonly uuid: string } | { readonly unusable: string } {
  if (isUuidV7(id)) return { uuid: id.toLowerCase() }
  // The event's own time would make many sessions of one.
  if (start === undefined) return { unusable: 'a session id that does not tell when the session began' }
  const since = Math.floor(instant / MICROS_PER_MS) - start
  if (since < 0) return { unusable: 'a session id of a time after the event' }
  const from = start + Math.floor(since / MS_PER_DAY) * MS_PER_DAY
  const before = lastOf.get(owner)
  if (before !== undefined && before.id === id && before.from === from && before.source === source)
    return before
  const name = `["session",${JSON.stringify(source)},${JSON.stringify(owner)},${JSON.stringify(id)}]`
  const made = { source, id, from, uuid: uuidV7(from, name) }
  if (lastOf.size >= OWNERS) lastOf.clear()
  lastOf.set(owner, made)
  return made
}

/** The session that was made last for each owner: most events are of the same one as the event before. */
const lastOf = new Map<string, { source: string; id: string; from: number; uuid: string }>()
const OWNERS = 10_000

/** Many ids are the session's start: seconds, or milliseconds. */
function startOf(id: string): number | undefined {
  if (/^\d{12,13}$/.test(id)) return Number(id)
  return /^\d{9,10}$/.test(id) ? Number(id) * 1000 : undefined
}

/** Gives the event the session that the mapping file names. `start` is the text of a time, as in `fields.timestamp`. */
export function mapSession(
  draft: { session(session: Session): void; unusable(what: string): void },
  { id, owner, start }: { readonly id: string; readonly owner: string; readonly start: string | undefined },
  zone: string | undefined,
): void {
  try {
    draft.session({
      id,
      owner,
      start: start === undefined ? undefined : Math.floor(parseTime(start, zone) / MICROS_PER_MS),
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    draft.unusable('a session_start that is no time')
  }
}
