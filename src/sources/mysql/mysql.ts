import type { Values } from '../../options/index.ts'
import { sqlWork } from '../sql/sql-work.ts'
import { mysqlAddress } from './mysql-address.ts'
import { mysqlDatabase } from './mysql-database.ts'
import { loadMysql } from './mysql-session.ts'
import { mysqlVendor } from './vendor.ts'

/** Tables of MySQL or MariaDB, at the address that MYSQL_URL has. */
export const mysqlWork = sqlWork<Values<typeof mysqlVendor.rows>>({
  ...mysqlVendor,
  schemaOf: ({ schema }) => schema,
  async connect({ timeout: quietMs }, from) {
    return mysqlDatabase({ address: await mysqlAddress(from), driver: await loadMysql(), quietMs })
  },
})
