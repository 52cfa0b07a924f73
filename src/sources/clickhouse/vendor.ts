import { presetOfShape, SCHEMA, SQL_FIRST_LINES, SQL_SETTINGS, sqlRows } from '../sql/sql-rows.ts'
import { vendorRow } from '../vendor-source.ts'

/** The options of `export clickhouse`, in the order of its help. */
export const CLICKHOUSE_ROWS = sqlRows('clickhouse', SCHEMA)

export const clickhouseVendor = vendorRow({
  name: 'clickhouse',
  description: 'rows of tables, views or a query, by windows of a time column',
  help: `
Credentials: CLICKHOUSE_URL, https://user:password@host:8443/database, from the
environment or from the file that CLICKHOUSE_URL_FILE names. Signs in a password
that have a meaning in addresses are written as %40 for @, %2F for /, %25 for %.
A user with readonly=2 is enough, and best. With https:// the certificate is
verified, and ?tls-ca=<file> names its authority; http:// goes without.
Copies that a ReplacingMergeTree has not merged yet are rows too: a --query can
say FINAL.`,
  credentials: 'CLICKHOUSE_URL',
  signs: ['CLICKHOUSE_URL', 'CLICKHOUSE_URL_FILE'],
  rows: CLICKHOUSE_ROWS,
  settings: [...SQL_SETTINGS, SCHEMA],
  variables: {},
  preset: presetOfShape,
  firstLines: SQL_FIRST_LINES,
})
