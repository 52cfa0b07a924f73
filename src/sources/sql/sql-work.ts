import { type RetryOptions, retrying, systemClock } from '../../http/index.ts'
import { span } from '../../text/index.ts'
import { windowsFrom } from '../export-options.ts'
import type { ExportOrder } from '../source.ts'
import type { VendorWork, World } from '../vendor-source.ts'
import type { Database } from './database.ts'
import { assertCut, readingsOf } from './readings.ts'
import { type NamedSlice, slicesOf, VALUES_IN_RANGE } from './slices.ts'
import { type SqlEngine, shapeCall, valuesOf } from './sql-engine.ts'
import { sqlLogins } from './sql-logins.ts'
import type { SqlValues } from './sql-rows.ts'
import { sqlOrder } from './sql-source.ts'
import { sampleOf, tablesOf } from './table-list.ts'

/** What asks the databases of an engine. */
export function sqlWork<V extends SqlValues>(engine: SqlEngine<V>): VendorWork<V> {
  return {
    order: (values, world) => sqlOrderOf(engine, values, world),
    tables: (values, world) => tablesOf(engine, values, world),
    sample: (given, world) => sampleOf(engine, valuesOf(engine, given), world),
    logins: (project, tools) => sqlLogins(engine, project, tools),
  }
}

/** What an export of tables is asked for, its database open. */
async function sqlOrderOf<V extends SqlValues>(
  engine: SqlEngine<V>,
  values: V,
  world: World,
): Promise<{ readonly order: ExportOrder; readonly close: () => Promise<void> }> {
  const database = await engine.connect(values, world)
  try {
    const order = await orderFrom({ engine, database }, values, world)
    return { order, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function orderFrom<V extends SqlValues>(
  { engine, database }: { readonly engine: SqlEngine<V>; readonly database: Database },
  values: V,
  world: World,
): Promise<ExportOrder> {
  const { interrupted: signal } = world
  assertCut(database, values)
  const windows =
    values.from === undefined
      ? undefined
      : windowsFrom({ from: values.from, to: values.to }, values.window, Date.now())
  const call = shapeCall(engine, values, { database, windows, signal })
  // As windows are, what is asked before the first of them is asked again where the connection breaks.
  const retry = retryOf(values, world)
  const { readings, preset, identity } = await retrying(() => readingsOf(values, call), retry)
  const slices: NamedSlice[] = []
  for (const reading of readings) {
    slices.push(...(await retrying(() => slicesOf(reading, call), retry)))
  }
  const { rowsPerPart: mostRows } = values
  const count = ({ slice }: NamedSlice) => retrying(() => database.count(slice, signal), retry)
  return sqlOrder({
    preset,
    identity: {
      ...{ vendor: engine.name, server: database.server, ...identity },
      ...{ window: `${values.window / 3_600_000}h`, rows_per_part: String(mostRows ?? VALUES_IN_RANGE) },
      // Windows of both kinds have the same names.
      ...(mostRows !== undefined && windows && { windows: 'by their rows' }),
      ...{ only: values.only.map(({ column, value }) => `${column}=${value}`).join(' ') },
      ...{ nulls: values.nulls, big_integers: values.bigIntegers },
    },
    database,
    slices,
    ...(mostRows !== undefined && { sizing: { mostRows, count } }),
    overlapMs: values.overlap,
    lines: { nulls: values.nulls === 'keep', bigIntegersAsStrings: values.bigIntegers === 'string' },
    rowsPerSecond: values.rowsPerSecond,
    clock: systemClock,
  })
}

function retryOf({ retryFor: retryForMs }: SqlValues, { interrupted: signal, note }: World): RetryOptions {
  return {
    ...{ retryForMs, signal, clock: systemClock, random: Math.random },
    onRetry: ({ message }, waitMs) => note(`${message}; asked again in ${span(waitMs)}`),
  }
}
