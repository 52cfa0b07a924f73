import { MS_PER_DAY, MS_PER_MINUTE, span } from '../../text/index.ts'
import { startOfDay } from '../login.ts'
import type { Login, LoginRemark, LoginTools, VendorProject } from '../vendor-source.ts'
import type { Database } from './database.ts'
import { readingsOf } from './readings.ts'
import { slicesOf } from './slices.ts'
import { type SqlEngine, valuesOf } from './sql-engine.ts'
import type { SqlValues } from './sql-rows.ts'

/** So far apart the clocks may be: windows end before now, by this machine's clock. */
const MOST_APART_MS = 5 * MS_PER_MINUTE

/** The one database that the address names. */
export async function sqlLogins<V extends SqlValues>(
  engine: SqlEngine<V>,
  { settings = {} }: VendorProject,
  tools: LoginTools,
): Promise<readonly Login[]> {
  const values = valuesOf(engine, settings)
  const opened = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await engine.connect({ ...values, timeout: tools.patienceMs }, tools)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  const { name, origin } = await opened(async ({ engine: name, server: origin }) => ({ name, origin }))
  return [
    {
      name,
      origin,
      ask: (signal) => opened(async (database) => (await database.info(signal)).about),
      remarks: (signal) =>
        opened(async (database) => [
          ...(await loginRemarks(database, tools, signal)),
          ...(await scanRemarks({ engine, database, values }, signal)),
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

/** Whether the server would read a whole table for a window of a day; nothing where no table is named. */
async function scanRemarks<V extends SqlValues>(
  {
    engine,
    database,
    values,
  }: { readonly engine: SqlEngine<V>; readonly database: Database; readonly values: V },
  signal: AbortSignal,
): Promise<LoginRemark[]> {
  if (values.table.length === 0 && values.query === undefined && values.like === undefined) return []
  const end = startOfDay(Date.now())
  const day = { name: 'yesterday', start: end - MS_PER_DAY, end }
  const windows = [day]
  const cut = { windows, rowsPerPart: values.rowsPerPart, only: values.only }
  const place = { database, schema: engine.schemaOf(values), windows, signal }
  const { readings } = await readingsOf(values, place)
  const remarks: LoginRemark[] = []
  for (const reading of readings) {
    const slices = await slicesOf(reading, cut, { database, signal })
    const dated = slices.find(({ slice: { where } }) => where.by === 'time')
    const plan = dated && (await database.plan(dated.slice, signal))
    if (!plan?.scans) continue
    remarks.push({
      text: `each window of ${reading.table} reads the whole table`,
      cause: `the server's plan: ${plan.text}`,
      remedy: `an index on ${reading.time} helps, or wider windows`,
    })
  }
  return remarks
}
