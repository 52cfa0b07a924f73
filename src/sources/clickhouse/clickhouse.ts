import type { Values } from '../../options/index.ts'
import { sqlWork } from '../sql/sql-work.ts'
import { clickhouseAddress } from './clickhouse-address.ts'
import { clickhouseDatabase } from './clickhouse-database.ts'
import { clickhouseVendor } from './vendor.ts'

/** Tables of ClickHouse, over HTTP at the address that CLICKHOUSE_URL has. */
export const clickhouseWork = sqlWork<Values<typeof clickhouseVendor.rows>>({
  ...clickhouseVendor,
  schemaOf: ({ schema }) => schema,
  connect: async ({ timeout }, from) => clickhouseDatabase(await clickhouseAddress(from), timeout),
})
