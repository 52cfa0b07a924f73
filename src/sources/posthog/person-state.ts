import { z } from 'zod'
import { TEMPORARY_DAYS } from '../../record/index.ts'
import { countCell } from '../../service/index.ts'
import type { PersonState, VendorCall } from '../source.ts'
import type { WindowSpan } from '../window.ts'
import type { EventQueries } from './events.ts'
import { queryRows, sqlInstant } from './query.ts'

// Of no rows some servers say null where the service says that none has it.
const countsRow = z.union([z.tuple([countCell, countCell]), z.tuple([z.literal(0), z.null()])])

interface Exported {
  readonly windows: readonly WindowSpan[]
  readonly persons: boolean
  /** All events come by query; downloads have what was known of their person, whatever columns queries know. */
  readonly byQuery: boolean
}

/**
 * Tells where the persons' state of an export comes from. `persons`: the persons model is exported. Else the project
 * is asked whether events older than the days that `$set` is kept still have it: one on the new storage has lost it, and the
 * rows have `person_properties` for it, if the server knows them. What keeps it from being asked is no failure.
 */
export async function personState(
  { client, path, person }: EventQueries,
  { windows, persons, byQuery }: Exported,
  call: Pick<VendorCall, 'signal'>,
): Promise<PersonState> {
  if (persons) return { from: 'persons', withoutSet: null }
  try {
    const sql = oldEventsQuery(windows[0]!.start, windows.at(-1)!.end)
    const rows = await queryRows({ client, path }, { sql, columns: 2 }, call)
    const [old, set] = countsRow.parse(rows[0])
    if (byQuery) await person.look(client, path, call)
    const reason = person.missing
    if (!old || set !== 0) return { from: 'events', withoutSet: 0, reason }
    return { from: reason === undefined ? 'person_properties' : 'none', withoutSet: old, reason }
  } catch (error) {
    return {
      from: 'unknown',
      withoutSet: null,
      reason: error instanceof Error ? error.message : String(error),
    }
  }
}

function oldEventsQuery(start: number, end: number): string {
  return (
    'SELECT count(), countIf(isNotNull(properties.$set) OR isNotNull(properties.$set_once)) FROM events ' +
    `WHERE timestamp >= ${sqlInstant(start)} AND timestamp < ${sqlInstant(end)} ` +
    `AND dateDiff('day', created_at, now()) > ${TEMPORARY_DAYS}`
  )
}
