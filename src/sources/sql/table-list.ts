import { PosthaulError } from '../../errors.ts'
import type { CredentialsFrom, World } from '../vendor-source.ts'
import type { Database, ListedTable, TableColumn, TableInfo, TableList } from './database.ts'
import { type SqlEngine, withDatabase } from './sql-engine.ts'
import type { SqlValues } from './sql-rows.ts'
import { tableReading } from './sql-shape.ts'
import { SHAPES } from './sql-shapes.ts'

/** What a database has: its tables and what can be said of them without reading their rows. */
export function tablesOf<V extends SqlValues>(
  engine: SqlEngine<V>,
  values: V,
  { interrupted: signal, ...from }: Pick<World, 'interrupted'> & CredentialsFrom,
): Promise<TableList> {
  return withDatabase(engine, values, from, async (database) => {
    const { about } = await database.info(signal)
    const found = await database.tables(engine.schemaOf(values), signal)
    const tables: ListedTable[] = []
    for (const table of found) tables.push(await listed(table, database, signal))
    const shapes = SHAPES.filter(({ engines, fits }) => engines.includes(engine.name) && fits(found))
    return { about, tables, shapes: shapes.map(({ name }) => name) }
  })
}

async function listed(table: TableInfo, database: Database, signal: AbortSignal): Promise<ListedTable> {
  const { relation } = tableReading(table)
  let columns: readonly TableColumn[]
  try {
    columns = await database.columns(relation, signal)
  } catch (error) {
    // The list was made before, and what passes is over with the next one.
    if (!(error instanceof PosthaulError) || !['auth', 'config'].includes(error.code)) throw error
    return { ...table, times: [], keys: [], span: undefined, problem: error.message }
  }
  const times = columns.filter(({ time }) => time !== undefined)
  const keys = columns.filter(({ integer, nullable }) => integer && !nullable)
  const [first] = times
  // It is for the eye: where it takes longer than the server allows, the list goes on without it.
  const span = await (first && database.span(relation, first, signal))?.catch((error: unknown) => {
    if (signal.aborted) throw error
    return undefined
  })
  return { ...table, times: names(times), keys: names(keys), span, problem: undefined }
}

function names(columns: readonly TableColumn[]): string[] {
  return columns.map(({ name }) => name)
}
