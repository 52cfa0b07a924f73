import type { CredentialsFrom, TableSample, World } from '../vendor-source.ts'
import type { JsonRow } from './database.ts'
import { readingsOf } from './readings.ts'
import { ndjsonWriter } from './row-lines.ts'
import { type NamedSlice, slicesOf } from './slices.ts'
import { lastDays, type SqlEngine, shapeCall } from './sql-engine.ts'
import type { SqlValues } from './sql-rows.ts'
import type { ShapeCall } from './sql-shape.ts'

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
