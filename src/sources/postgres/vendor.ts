import { SCHEMA, sqlVendor } from '../sql/sql-rows.ts'

export const postgresVendor = sqlVendor({
  name: 'postgres',
  description: 'rows of tables, views or a query, by windows of a time column',
  help: `
Credentials: POSTGRES_URL, postgres://user:password@host/database, from the
environment or from the file that POSTGRES_URL_FILE names. In a password write
%40 for @, %2F for /, %25 for %. A user who may only read is enough, and best.
The certificate of another machine is verified: ?sslrootcert=<file> names its
authority, ?sslmode=disable goes without TLS.`,
  credentials: 'POSTGRES_URL',
  signs: ['POSTGRES_URL', 'POSTGRES_URL_FILE'],
  own: [SCHEMA],
})
