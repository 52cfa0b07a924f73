import type { Values } from '../../options/index.ts'
import { sqlWork } from '../sql/sql-work.ts'
import { postgresAddress } from './postgres-address.ts'
import { postgresDatabase } from './postgres-database.ts'
import { postgresVendor } from './vendor.ts'

/** Tables of the Postgres whose address POSTGRES_URL has. */
export const postgresWork = sqlWork<Values<typeof postgresVendor.rows>>({
  ...postgresVendor,
  schemaOf: ({ schema }) => schema,
  connect: async ({ timeout }, from) => postgresDatabase(await postgresAddress(from), timeout),
})
