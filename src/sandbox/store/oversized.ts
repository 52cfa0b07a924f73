import type { DuckDBConnection } from '@duckdb/node-api'
import { LOG_TABLE } from './schema.ts'

/** The most bytes of a person's properties as JSON text. */
const MAX_PERSON_BYTES = 655_360

// Most persons are far below: only those are looked at whose updates could reach the limit, were all of them kept.
const UPDATES = `
  WITH updates AS (
    SELECT person_id, seq, set_fields, set_once_fields, unset_fields,
      coalesce(strlen(set_fields), 0) + coalesce(strlen(set_once_fields), 0) AS bytes
    FROM ${LOG_TABLE} JOIN person_distinct_ids USING (distinct_id)
    WHERE set_fields IS NOT NULL OR set_once_fields IS NOT NULL OR unset_fields IS NOT NULL
  )
  SELECT CAST(person_id AS VARCHAR), seq, set_fields, set_once_fields, unset_fields FROM updates
  WHERE person_id IN (SELECT person_id FROM updates GROUP BY person_id HAVING sum(bytes) > ${MAX_PERSON_BYTES})
  ORDER BY person_id, seq`

/** Finds the events whose changes of a person are refused: with them its properties would be too large. Yields their seq. */
export async function* oversizedUpdates(connection: DuckDBConnection): AsyncGenerator<bigint> {
  const updates = await connection.stream(UPDATES)
  let at: unknown
  let person = new PersonSize()
  for await (const rows of updates.yieldRows()) {
    for (const [id, seq, set, setOnce, unset] of rows) {
      if (id !== at) person = new PersonSize()
      at = id
      if (!person.update(read(setOnce), read(set), Object.values(read(unset)))) yield BigInt(String(seq))
    }
  }
}

/** The bytes of one person's properties, by name. */
class PersonSize {
  #sizes = new Map<string, number>()

  /** False if the person would be too large, and stays as it is. */
  update(setOnce: Fields, set: Fields, unset: readonly unknown[]): boolean {
    const sizes = new Map(this.#sizes)
    for (const [name, value] of Object.entries(setOnce))
      if (!sizes.has(name)) sizes.set(name, bytes(name, value))
    for (const [name, value] of Object.entries(set)) sizes.set(name, bytes(name, value))
    for (const name of unset) sizes.delete(String(name))
    const sum = [...sizes.values()].reduce((all, size) => all + size, 1)
    if (sum > MAX_PERSON_BYTES) return false
    this.#sizes = sizes
    return true
  }
}

type Fields = Readonly<Record<string, unknown>>

function read(text: unknown): Fields {
  return text === null ? {} : JSON.parse(String(text))
}

/** A member with its comma or brace. */
function bytes(name: string, value: unknown): number {
  return Buffer.byteLength(JSON.stringify({ [name]: value })) - 1
}
