import type { Values } from '../../options/index.ts'
import type { SqlEngine } from '../sql/sql-engine.ts'
import { sqlWork } from '../sql/sql-work.ts'
import { clickhouseAddress } from './clickhouse-address.ts'
import { ClickHouseDatabase } from './clickhouse-database.ts'
import { CLICKHOUSE_ROWS } from './vendor.ts'

type ClickHouseValues = Values<typeof CLICKHOUSE_ROWS>

/** Tables of ClickHouse, over HTTP at the address that CLICKHOUSE_URL has. */
const clickhouseEngine: SqlEngine<ClickHouseValues> = {
  name: 'clickhouse',
  rows: CLICKHOUSE_ROWS,
  schemaOf: ({ schema }) => schema,
  async connect({ timeout }, from) {
    return new ClickHouseDatabase(await clickhouseAddress(from), timeout)
  },
}

export const clickhouseWork = sqlWork(clickhouseEngine)
