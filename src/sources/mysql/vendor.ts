import { SCHEMA, sqlVendor } from '../sql/sql-rows.ts'

export const mysqlVendor = sqlVendor({
  name: 'mysql',
  description: 'rows of tables in MySQL or MariaDB',
  help: `
Credentials: MYSQL_URL, such as mysql://reader:password@db.example.com/shop,
from the environment, or from the file that MYSQL_URL_FILE names. Write odd
characters of a password as in any URL: %40 for @. TLS is verified for every
server that is not on this machine: ?tls-ca=/path/ca.pem names an authority of
your own, ?tls=disable goes without, ?tls=verify asks for it here too.
?socket=/run/mysqld/mysqld.sock goes by a socket. The user needs SELECT on what
is read, and nothing else.`,
  credentials: 'MYSQL_URL',
  signs: ['MYSQL_URL'],
  own: [SCHEMA],
})
