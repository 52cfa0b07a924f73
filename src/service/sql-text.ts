/** A text as a literal of the service's query language. */
export function sqlText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** A time column as text in UTC, whatever the project's zone: `2024-03-01 12:34:56.789123`. */
export function sqlUtc(column: string): string {
  return `toString(toTimeZone(${column}, 'UTC'))`
}
