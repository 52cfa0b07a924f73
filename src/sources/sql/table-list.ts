import { PosthaulError } from '../../errors.ts'
import type { CredentialsFrom, TableSample, World } from '../vendor-source.ts'
import type { Database, JsonRow, ListedTable, TableColumn, TableInfo, TableList } from './database.ts'
import { readingsOf } from './readings.ts'
import { ndjsonWriter } from './row-lines.ts'
import { type NamedSlice, slicesOf } from './slices.ts'
import { lastDays, type SqlEngine, shapeCall, withDatabase } from './sql-engine.ts'
import type { SqlValues } from './sql-rows.ts'
import { type ShapeCall, tableReading } from './sql-shape.ts'
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

/** Enough to tell what a column holds. */
const MOST_ROWS = 5000
/** Where rows are looked for that only a window gives. */
const LAST_DAYS = 30

/** The first rows of each table that the options name, for a look at what its columns hold. */
export async function* sampleOf<V extends SqlValues>(
  engine: SqlEngine<V>,
  values: V,
  { interrupted: signal, ...from }: Pick<World, 'interrupted'> & CredentialsFrom,
): AsyncGenerator<TableSample> {
  const database = await engine.connect(values, from)
  try {
    const call = shapeCall(engine, values, { database, windows: lastDays(LAST_DAYS), signal })
    const { readings } = await readingsOf(values, call)
    for (const reading of readings) {
      const [slice] = await slicesOf({ ...reading, time: undefined, key: undefined }, call)
      if (slice) yield { table: reading.table, lines: await firstLines(slice, call) }
    }
  } finally {
    await database.close()
  }
}

async function firstLines(
  { slice }: NamedSlice,
  { database, signal }: Pick<ShapeCall, 'database' | 'signal'>,
): Promise<Buffer> {
  let linesOf: ReturnType<typeof ndjsonWriter> | undefined
  const rows: JsonRow[] = []
  const ignored = () => undefined
  const call = {
    signal,
    notFinite: ignored,
    notText: ignored,
    columns: (names: readonly string[]) => {
      linesOf = ndjsonWriter(names, { nulls: false, bigIntegersAsStrings: false })
    },
  }
  for await (const batch of database.read(slice, call)) {
    rows.push(...batch)
    if (rows.length >= MOST_ROWS) break
  }
  return linesOf?.(rows.slice(0, MOST_ROWS)) ?? Buffer.alloc(0)
}
