/** Tells an import's events apart from all others in the project; the service's own importer uses the same name. */
export const IMPORT_ID = '$import_job_id'

// A query sees a property as the JSON text that the service keeps, without its quotes: what JSON escapes looks different.
const ESCAPED = /["\\\p{Cc}\u2028\u2029]/u

/** True if a query finds the events that carry this id. */
export function isQueryable(id: string): boolean {
  return id !== '' && !ESCAPED.test(id)
}
