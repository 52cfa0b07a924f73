import type { ChartTables } from './chart-tables.ts'
import { RECORDS_TABLE } from './read-records.ts'

/** A vendor's name of an event, the final one that its events got (null for records that became none), and how many they are. */
export interface NamePair {
  readonly vendor: string
  readonly final: string | null
  readonly events: number
}

/** The names of events on both sides, as the raw records have them, which were read. */
export async function eventNames(tables: ChartTables): Promise<NamePair[]> {
  const rows = await tables.rows(`
    SELECT vname, name, count(*) FROM ${RECORDS_TABLE}
    WHERE vname IS NOT NULL GROUP BY ALL ORDER BY ALL`)
  return rows.map(([vendor, final, events]) => ({
    vendor: String(vendor),
    final: final === null ? null : String(final),
    events: Number(events),
  }))
}
