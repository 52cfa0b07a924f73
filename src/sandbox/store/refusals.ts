import type { DuckDBConnection } from '@duckdb/node-api'
import type { Warning } from '../warnings/log.ts'
import type { WarningType } from '../warnings/types.ts'
import { rebuildIdentities } from './identities.ts'
import { LOG_TABLE, REFUSED_TABLE } from './schema.ts'

/** What the persons' store refused, oldest first: merges, and changes that make a person too large. */
export async function refusals(connection: DuckDBConnection): Promise<Warning[]> {
  await rebuildIdentities(connection)
  const found = await connection.runAndReadAll(
    `SELECT type, CAST(uuid AS VARCHAR), distinct_id, joins, epoch_ms(received_at)
    FROM ${REFUSED_TABLE} JOIN ${LOG_TABLE} USING (seq) ORDER BY seq`,
  )
  return found.getRows().map(([type, uuid, id, joins, at]) => {
    const [eventUuid, distinctId] = [String(uuid), String(id)]
    const details = { eventUuid, distinctId, ...(joins !== null && { otherDistinctId: joins }) }
    return { type: type as WarningType, at: Number(at), eventUuid, distinctId, details }
  })
}
