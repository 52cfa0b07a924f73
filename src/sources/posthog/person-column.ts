import { z } from 'zod'
import { TEMPORARY_DAYS } from '../../record/stored-properties.ts'
import { countCell } from '../../service/query.ts'
import type { PersonState, VendorCall } from '../source.ts'
import { VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type QueryPlace, queryRows, sqlInstant } from './query.ts'

/** The service has no column of persons' state as of the event. */
class NoPersonColumn extends VendorError {}

// The column's name comes right after the words, so that an answer that repeats the whole query is not taken for this one.
const UNKNOWN_COLUMN =
  /\b(?:unable to resolve|not found|unknown|no such|missing)(?: \w+)*\s*[:"'`]\s*["'`]?poe\b|["'`]poe(?:\.properties)?["'`] (?:was )?not found/i

/** Takes a refusal for one of this column, if the service's words say so. */
export function noPersonColumn(status: number, words: string, raw: string): VendorError | undefined {
  if (status !== 400 || !UNKNOWN_COLUMN.test(raw)) return undefined
  return new NoPersonColumn(`400: ${words}`, { code: 'config', status })
}

/** The column for a server that doesn't know it: rows keep their shape. */
const NOTHING = "'{}'"

/**
 * The event's own copy of its person, as a column of queries: all that is left of what events set, once the days that
 * $set is kept are over. A server that doesn't know the column is asked without it.
 */
export class PersonColumn {
  #isThere = true

  /** Undefined until a query was refused because of the column. */
  get missing(): string | undefined {
    return this.#isThere ? undefined : 'this server has no person properties on events (poe.properties)'
  }

  get sql(): string {
    return this.#isThere
      ? `if(dateDiff('day', created_at, now()) > ${TEMPORARY_DAYS}, poe.properties, '{}')`
      : NOTHING
  }

  /** True if the query was refused because of the column, and should be sent again without it. Says so once. */
  isRefused(error: unknown, sql: string, note: VendorCall['note']): boolean {
    if (!(error instanceof NoPersonColumn) || sql === NOTHING) return false
    if (this.#isThere) {
      this.#isThere = false
      note(`${this.missing}: events come without what was known of their person`)
    }
    return true
  }

  /** Asks a server that no query for events has told of. */
  async look(place: QueryPlace, call: Pick<VendorCall, 'signal'>): Promise<void> {
    if (!this.#isThere) return
    try {
      const query = { sql: 'SELECT poe.properties FROM events LIMIT 1', columns: 1, refused: noPersonColumn }
      await queryRows(place, query, call)
    } catch (error) {
      if (!(error instanceof NoPersonColumn)) throw error
      this.#isThere = false
    }
  }
}

/** Where events are asked for. */
export interface EventQueries extends QueryPlace {
  readonly person: PersonColumn
}

// Of no rows some servers say null where the service says that none has it.
const countsRow = z.union([z.tuple([countCell, countCell]), z.tuple([z.literal(0), z.null()])])

/**
 * Tells where the persons' state of an export comes from. `persons`: the persons model is exported. Else the project
 * is asked whether events older than the days that `$set` is kept still have it: one on the new storage has lost it, and the
 * rows have `person_properties` for it, if the server knows them. What keeps it from being asked is no failure. `byQuery`: all
 * events come by query; downloads have what was known of their person, whatever columns queries know.
 */
export async function personState(
  { person, ...place }: EventQueries,
  {
    windows,
    persons,
    byQuery,
  }: { readonly windows: readonly WindowSpan[]; readonly persons: boolean; readonly byQuery: boolean },
  call: Pick<VendorCall, 'signal'>,
): Promise<PersonState> {
  if (persons) return { from: 'persons', withoutSet: null }
  try {
    const sql = oldEventsQuery(windows[0]!.start, windows.at(-1)!.end)
    const rows = await queryRows(place, { sql, columns: 2 }, call)
    const [old, set] = countsRow.parse(rows[0])
    if (byQuery) await person.look(place, call)
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
