import { ByteWriter } from '../record/byte-writer.ts'
import type { Id } from '../record/id.ts'
import { ByteMemo } from '../record/text.ts'
import { isUuidV7, uuidV7 } from '../record/uuid.ts'
import { MICROS_PER_MS, MS_PER_DAY } from '../text/units.ts'

export interface Session {
  /** The vendor's own id of it. */
  readonly id: string
  /** Among whose sessions the id is the only one: the device where the source knows it, so that a login ends no session. */
  readonly owner: string
  /** Milliseconds since the epoch; undefined where nothing but the id may tell. */
  readonly start: number | undefined
}

/** The same; the owner's id need not be text. */
export type OwnedSession = Omit<Session, 'owner'> & { readonly owner: Id | string }

/**
 * The session's id as the service takes it, a UUID of version 7 whose time is less than 24 hours before the event; or why
 * there is none. A function of the one record: where a session goes on for longer, each 24 hours since its start have an
 * id of their own. `instant` in microseconds.
 */
export function sessionId(
  source: string,
  { id, owner, start = startOf(id) }: OwnedSession,
  instant: number,
): { readonly uuid: string } | { readonly unusable: string } {
  if (isUuidV7(id)) return { uuid: id.toLowerCase() }
  // The event's own time would make many sessions of one.
  if (start === undefined) return { unusable: 'a session id that does not tell when the session began' }
  const since = Math.floor(instant / MICROS_PER_MS) - start
  if (since < 0) return { unusable: 'a session id of a time after the event' }
  const from = start + Math.floor(since / MS_PER_DAY) * MS_PER_DAY
  named.length = TIME_BYTES
  named.ascii('["session",')
  named.json(source)
  named.byte(COMMA)
  if (typeof owner === 'string') named.json(owner)
  else owner.write(named)
  named.byte(COMMA)
  named.json(id)
  named.byte(CLOSE)
  if (from < 0) return { uuid: uuidV7(from, named.bytes, TIME_BYTES, named.length) }
  named.bytes.writeUIntBE(from, 0, TIME_BYTES)
  return { uuid: UUIDS.of(named.bytes, 0, named.length) }
}

const [COMMA, CLOSE] = [0x2c, 0x5d]

/** Bytes of a time in a UUID of version 7. */
const TIME_BYTES = 6

/** The time from which a session has its id, and its name. */
const named = new ByteWriter(1024)

/** The ids of sessions met lately: most have several events. */
const UUIDS = new ByteMemo(
  (bytes, start, end) => uuidV7(bytes.readUIntBE(start, TIME_BYTES), bytes, start + TIME_BYTES, end),
  { slots: 1024, longest: 150 },
)

/** Many ids are the session's start: seconds, or milliseconds. */
function startOf(id: string): number | undefined {
  const digits = id.length
  if (digits !== 9 && digits !== 10 && digits !== 12 && digits !== 13) return undefined
  let number = 0
  for (let i = 0; i < digits; i++) {
    const digit = id.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return digits < 12 ? number * 1000 : number
}
