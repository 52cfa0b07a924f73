import { type DuckDBConnection, DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api'
import type { GroupCreatedAt } from '../pipeline/project-rules.ts'
import { TYPES_TABLE } from './schema.ts'

/** The service keeps this many group types a project. */
export const MAX_GROUP_TYPES = 5

interface GroupType {
  readonly name: string
  /** Microseconds since the epoch. */
  readonly createdAt: bigint | null
}

/** The project's group types. The place of a type in the list is its index; neither changes, nor does created_at. */
export class GroupTypes {
  readonly #createdAt: GroupCreatedAt
  readonly #indexes = new Map<string, number>()
  /** Types that are not in the table yet. */
  #unsaved: GroupType[] = []

  constructor(known: readonly string[], createdAt: GroupCreatedAt) {
    known.forEach((name, index) => {
      this.#indexes.set(name, index)
    })
    this.#createdAt = createdAt
  }

  static async load(connection: DuckDBConnection, createdAt: GroupCreatedAt): Promise<GroupTypes> {
    const rows = await connection.runAndReadAll(
      `SELECT group_type FROM ${TYPES_TABLE} ORDER BY group_type_index`,
    )
    return new GroupTypes(
      rows.getRows().map(([name]) => String(name)),
      createdAt,
    )
  }

  /** The index of a type, which the event makes if it is new. Undefined for a sixth type, which the service ignores. */
  indexOf(name: string, event: { timestamp: bigint; receivedAt: bigint }): number | undefined {
    const known = this.#indexes.get(name)
    if (known !== undefined || this.#indexes.size >= MAX_GROUP_TYPES) return known
    const times = { event: event.timestamp, arrival: event.receivedAt, null: null }
    this.#unsaved.push({ name, createdAt: times[this.#createdAt] })
    const index = this.#indexes.size
    this.#indexes.set(name, index)
    return index
  }

  /** Writes new types to the table. Those that can't be written are tried again by the next call. */
  async save(connection: DuckDBConnection): Promise<void> {
    for (let type = this.#unsaved[0]; type; type = this.#unsaved[0]) {
      const created = type.createdAt === null ? null : new DuckDBTimestampValue(type.createdAt)
      const values: DuckDBValue[] = [type.name, this.#indexes.get(type.name)!, created]
      await connection.run(`INSERT INTO ${TYPES_TABLE} VALUES ($1, $2, $3)`, values)
      this.#unsaved = this.#unsaved.filter((other) => other !== type)
    }
  }
}
