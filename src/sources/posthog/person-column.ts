import { TEMPORARY_DAYS } from '../../record/index.ts'
import type { VendorCall } from '../source.ts'
import { type VendorClient, VendorError } from '../vendor-client.ts'
import { queryRows } from './query.ts'

/** The service has no column of persons' state as of the event. */
class NoPersonColumn extends VendorError {}

// The column's name comes right after the words, so that an answer that repeats the whole query is not taken for this one.
const UNKNOWN_COLUMN =
  /\b(?:unable to resolve|not found|unknown|no such|missing)(?: \w+)*\s*[:"'`]\s*["'`]?poe\b|["'`]poe(?:\.properties)?["'`] (?:was )?not found/i

/** Takes a refusal for one of this column, if the service's words say so. */
export function noPersonColumn(status: number, words: string): VendorError | undefined {
  if (status !== 400 || !UNKNOWN_COLUMN.test(words)) return undefined
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
    return this.#isThere ? undefined : 'this server knows no person properties of events (poe.properties)'
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
  async look(client: VendorClient, path: string, call: Pick<VendorCall, 'signal'>): Promise<void> {
    if (!this.#isThere) return
    try {
      const query = { sql: 'SELECT poe.properties FROM events LIMIT 1', columns: 1, refused: noPersonColumn }
      await queryRows({ client, path }, query, call)
    } catch (error) {
      if (!(error instanceof NoPersonColumn)) throw error
      this.#isThere = false
    }
  }
}
