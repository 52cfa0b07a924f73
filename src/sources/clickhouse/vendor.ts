import { SCHEMA, sqlVendor } from '../sql/sql-rows.ts'

export const clickhouseVendor = sqlVendor({
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
  own: [SCHEMA],
})
