import { givenOptions, type Row } from '../../options/index.ts'
import { MS_PER_DAY } from '../../text/index.ts'
import { startOfDay } from '../login.ts'
import type { CredentialsFrom, SourceSettings, World } from '../vendor-source.ts'
import type { Database } from './database.ts'
import type { SqlValues } from './sql-rows.ts'
import type { ShapeCall } from './sql-shape.ts'

/** Where a login is read from. `note`: told what a reading costs and what is asked again; left out where nobody listens. */
export type LoginFrom = CredentialsFrom & Partial<Pick<World, 'note'>>

/** An engine whose tables are exported. */
export interface SqlEngine<V extends SqlValues = SqlValues> {
  /** Its command: `postgres`. */
  readonly name: string
  readonly rows: readonly Row[]
  /** The schema that the options name. */
  schemaOf(values: V): string | undefined
  /** Opens a database. Code `auth` or `config` for an address and a login that are not whole. */
  connect(values: V, from: LoginFrom): Promise<Database>
}

/** Does what needs a database, and closes it. */
export async function withDatabase<V extends SqlValues, T>(
  engine: SqlEngine<V>,
  values: V,
  from: LoginFrom,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await engine.connect(values, from)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** What options name in a database that is open. */
export function shapeCall<V extends SqlValues>(
  engine: SqlEngine<V>,
  values: V,
  place: Pick<ShapeCall, 'database' | 'windows' | 'signal'>,
): ShapeCall {
  const { only, rowsPerPart } = values
  return { ...place, schema: engine.schemaOf(values), only, rowsPerPart }
}

/** One window of so many days up to today, for a look at what a database has. */
export function lastDays(days: number): NonNullable<ShapeCall['windows']> {
  const end = startOfDay(Date.now())
  return [{ name: 'last days', start: end - days * MS_PER_DAY, end }]
}

/** The values of an engine's options, by settings that have the options' names with underscores. */
export function valuesOf<V extends SqlValues>(engine: SqlEngine<V>, settings: SourceSettings): V {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  // The rows are those that V was made of.
  return givenOptions(engine.rows, Object.fromEntries(given.map(([name, value]) => [camel(name), value])))
    .values as unknown as V
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
