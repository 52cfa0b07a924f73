import { keyOf } from '../record/keys.ts'
import type { Members } from '../record/members.ts'
import { MOST_IMPORT_IDS } from '../record/notes.ts'

/** Tells an import's events apart from all others in the project; the service's own importer uses the same name. */
export const IMPORT_ID = '$import_job_id'

const KEY = keyOf(IMPORT_ID)

// A query sees a property as the JSON text that the service keeps, without its quotes: what JSON escapes looks different.
const ESCAPED = /["\\\p{Cc}\u2028\u2029]/u

/** True if a query finds the events that carry this id. */
export function isQueryable(id: string): boolean {
  return id !== '' && !ESCAPED.test(id)
}

/**
 * Counts the id of another importer than `own`, which stays: the event may have come this way before. The mapping file
 * can set one too.
 */
export function countImporter(properties: Members, own: string | null, counts: Record<string, number>): void {
  const json = properties.json(KEY)
  if (json === undefined) return
  const text = json.startsWith('"') ? (JSON.parse(json) as string) : ''
  if (text === own) return
  // Under '' those that a query can't tell.
  const id = isQueryable(text) ? text : ''
  if (id in counts || Object.keys(counts).length <= MOST_IMPORT_IDS) counts[id] = (counts[id] ?? 0) + 1
}
