import type { Row } from '../../options/index.ts'
import type { CredentialsFrom } from '../vendor-source.ts'
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
