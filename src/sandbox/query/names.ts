import { QueryError } from './parse.ts'

/** A name in quotes, as DuckDB wants it. */
export function identifier(name: string): string {
  return name === '*' ? name : `"${name.replaceAll('"', '""')}"`
}

export function stringLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A column or a property: `event`, `e.timestamp`, `properties.$groups.organization`, `person.properties.email`. */
export function fieldPath(chain: readonly (string | number)[]): string {
  const parts = chain.map(String)
  // `person.properties.x` of an event, or of its own copy: its columns are part of the events table here.
  const person = parts.findIndex((part) => part === 'person' || part === 'poe')
  if (person >= 0 && person < parts.length - 1) parts.splice(person, 2, `person_${parts[person + 1]}`)
  const holder = parts.findIndex((part) => part === 'properties' || part === 'person_properties')
  if (holder < 0 || holder === parts.length - 1) return parts.map(identifier).join('.')
  const column = parts
    .slice(0, holder + 1)
    .map(identifier)
    .join('.')
  const path = parts.slice(holder + 1).map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return `json_extract_string(${column}, ${stringLiteral(path.join(''))})`
}

// DuckDB's functions that read the machine or the store's own tables are not part of the service.
const HIDDEN = /^(sandbox_|duckdb_|pragma_|pg_|sqlite_|read_|query$|query_table$|getenv$|glob$)/i

/** Refuses functions of DuckDB's that look outside. */
export function functionName(name: string): string {
  if (HIDDEN.test(name)) throw new QueryError(`Unsupported function call '${name}(...)'`)
  return name
}
