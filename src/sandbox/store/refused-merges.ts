import type { DuckDBConnection } from '@duckdb/node-api'
import type { Warning } from '../warnings/log.ts'
import { PersonIndex } from './persons.ts'
import { LOG_TABLE } from './schema.ts'

/** The identity events that merged nobody, oldest first. They are found in the log, as the persons themselves are. */
export async function refusedMerges(connection: DuckDBConnection): Promise<Warning[]> {
  const index = new PersonIndex()
  const warnings: Warning[] = []
  const joins = await connection.stream(
    `SELECT event, distinct_id, joins, CAST(uuid AS VARCHAR), epoch_ms(received_at)
    FROM ${LOG_TABLE} WHERE joins IS NOT NULL AND profile ORDER BY seq`,
  )
  for await (const rows of joins.yieldRows()) {
    for (const [event, distinctId, other, eventUuid, at] of rows.map((row) => row.map(String))) {
      const join = { event: event!, distinctId: distinctId!, other: other! }
      const type = index.apply(join)
      if (!type) continue
      const details = { eventUuid, distinctId, otherDistinctId: other }
      warnings.push({ type, at: Number(at), eventUuid: eventUuid!, distinctId: distinctId!, details })
    }
  }
  return warnings
}
