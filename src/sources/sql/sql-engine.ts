import { givenOptions, type Row } from '../../options/index.ts'
import type { CredentialsFrom, SourceSettings } from '../vendor-source.ts'
import type { Database } from './database.ts'
import type { SqlValues } from './sql-rows.ts'

/** An engine whose tables are exported. */
export interface SqlEngine<V extends SqlValues = SqlValues> {
  /** Its command: `postgres`. */
  readonly name: string
  readonly rows: readonly Row[]
  /** The schema that the options name. */
  schemaOf(values: V): string | undefined
  /** Opens a database. Code `auth` or `config` for an address and a login that are not whole. */
  connect(values: V, from: CredentialsFrom): Promise<Database>
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
