import { PosthaulError } from '../../errors.ts'
import { MS_PER_MINUTE, span } from '../../text/index.ts'
import type { Login, LoginRemark, LoginTools, VendorProject } from '../vendor-source.ts'
import type { Database } from './database.ts'
import { assertCut, readingsOf } from './readings.ts'
import { slicesOf } from './slices.ts'
import { lastDays, type SqlEngine, shapeCall, valuesOf, withDatabase } from './sql-engine.ts'
import type { SqlValues } from './sql-rows.ts'

/** So far apart the clocks may be: windows end before now, by this machine's clock. */
const MOST_APART_MS = 5 * MS_PER_MINUTE

/** The one database that the address names. */
export async function sqlLogins<V extends SqlValues>(
  engine: SqlEngine<V>,
  { settings }: VendorProject,
  tools: LoginTools,
): Promise<readonly Login[] | undefined> {
  // The dataset of BigQuery is no part of the login.
  if (settings === undefined && engine.rows.some(({ required }) => required)) return undefined
  const values = { ...valuesOf(engine, settings ?? {}), timeout: tools.patienceMs }
  const opened = <T>(work: (database: Database) => Promise<T>) => withDatabase(engine, values, tools, work)
  const place = await opened(async ({ engine: name, server, origin = server }) => ({ name, origin }))
  return [
    {
      ...place,
      ask: (signal) => opened(async (database) => (await database.info(signal)).about),
      remarks: (signal) =>
        opened(async (database) => [
          ...(await loginRemarks(database, tools, signal)),
          ...(settings === undefined ? [] : await tableRemarks({ engine, database, values }, signal)),
        ]),
    },
  ]
}

async function loginRemarks(
  database: Database,
  { clock }: LoginTools,
  signal: AbortSignal,
): Promise<LoginRemark[]> {
  const { mayWrite, now } = await database.info(signal)
  const remarks: LoginRemark[] = []
  if (mayWrite.length > 0) {
    remarks.push({
      text: `the user may write: ${mayWrite.join(', ')}`,
      cause: 'posthaul reads only, in sessions that are read-only; a user without the right is safer',
      remedy: 'make a user who may only SELECT the tables that are exported',
    })
  }
  const apart = Math.abs(now - clock.wall())
  if (apart > MOST_APART_MS) {
    remarks.push({
      text: `the server's clock is ${span(apart)} from this machine's`,
      cause: 'windows end before now, by the clock of this machine',
    })
  }
  return remarks
}

/**
 * What an export of the settings would fail of, and whether the server would read a whole table for a window of a day. Nothing
 * without settings: a login alone names no tables.
 */
async function tableRemarks<V extends SqlValues>(
  { engine, database, values }: Looked<V>,
  signal: AbortSignal,
): Promise<LoginRemark[]> {
  const call = shapeCall(engine, values, { database, windows: lastDays(1), signal })
  const remarks: LoginRemark[] = []
  const readings = await orRemark('what is exported', remarks, async () => {
    assertCut(database, values)
    return (await readingsOf(values, call)).readings
  })
  for (const reading of readings ?? []) {
    const planned = await orRemark(reading.table, remarks, async () => {
      const slices = await slicesOf(reading, call)
      // The plan of a query with {from} and {to} tells that it is one that the server takes.
      const dated = slices.find(({ slice: { where } }) => where.by === 'time' || where.by === 'ends')
      return dated && { dated, plan: await database.plan(dated.slice, signal) }
    })
    if (!planned?.plan.scans || planned.dated.slice.where.by !== 'time') continue
    remarks.push({
      text: `each window of ${reading.table} reads the whole table`,
      cause: `the server's plan: ${planned.plan.text}`,
      remedy: `${database.quick} ${reading.time} helps, or wider windows`,
    })
  }
  return remarks
}

interface Looked<V extends SqlValues> {
  readonly engine: SqlEngine<V>
  readonly database: Database
  readonly values: V
}

/** What the work gives. Where it fails for good, a remark says of what; what passes is thrown. */
async function orRemark<T>(
  what: string,
  remarks: LoginRemark[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PosthaulError) || !['auth', 'config', 'usage'].includes(error.code)) throw error
    const remedy = error.hint
    remarks.push({
      ...{ isError: true, text: `${what} can't be read`, cause: error.message },
      ...(remedy !== undefined && { remedy }),
    })
    return undefined
  }
}
