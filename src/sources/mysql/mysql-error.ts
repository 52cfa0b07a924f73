import type { ErrorDetails, PosthaulError } from '../../errors.ts'
import { redactorOf } from '../../http/index.ts'
import { VendorError } from '../vendor-client.ts'
import type { MysqlAddress } from './mysql-address.ts'

const RETRY: ErrorDetails = { code: 'unavailable', fate: 'retry' }
const LOGIN: ErrorDetails = {
  code: 'auth',
  hint: 'check the user and the password in MYSQL_URL, and from which hosts this user may log in',
}
const RIGHT: ErrorDetails = {
  code: 'auth',
  hint: 'let the user read what is exported: GRANT SELECT ON … TO …',
}
const SLOW: ErrorDetails = {
  code: 'unavailable',
  hint: 'give a shorter --window or a longer --timeout; an index on the column of the windows helps most',
}
const TLS: ErrorDetails = {
  code: 'config',
  hint: 'name the authority of its certificate in MYSQL_URL: ?tls-ca=/path/ca.pem; ?tls=disable goes without TLS',
}

const WRONG: ErrorDetails = { code: 'config', hint: 'check the tables, the columns and the query' }

/** The unknown table. */
export const NO_SUCH_TABLE = 1146

/** What the numbers of the server's errors mean; any other is a mistake in what was asked. */
const MEANING: Readonly<Record<number, ErrorDetails>> = {
  // A login, and the right to a database, a table, a column, a routine.
  ...Object.fromEntries([1045, 1130, 1251, 1698, 3118].map((number) => [number, LOGIN])),
  ...Object.fromEntries([1044, 1142, 1143, 1227, 1370].map((number) => [number, RIGHT])),
  1049: { code: 'config', hint: 'check the database in MYSQL_URL' },
  // max_statement_time of MariaDB, max_execution_time of MySQL.
  1969: SLOW,
  3024: SLOW,
  // Too many connections, shutdown, network, locks, a limit an hour, a statement or a connection that was killed, a table that was altered.
  ...Object.fromEntries(
    [
      1040, 1053, 1152, 1158, 1159, 1160, 1161, 1203, 1205, 1213, 1226, 1317, 1412, 1615, 1927, 3169, 4031,
    ].map((number) => [number, RETRY]),
  ),
}

/** An error of the driver or the server, without secrets. */
export function mysqlError(error: unknown, { server, secrets }: MysqlAddress): PosthaulError {
  const { errno = 0, code = '' } = error as { readonly errno?: number; readonly code?: string }
  const cause = redactorOf(secrets).error(error)
  const said = (details: ErrorDetails) =>
    new VendorError(`MySQL (${server}): ${cause.message} (${errno >= 1000 ? errno : code})`, {
      ...details,
      ...(errno >= 1000 && { status: errno }),
      cause,
    })
  if (errno >= 1000) return said(MEANING[errno] ?? WRONG)
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|SELF_SIGNED|EPROTO/.test(code)) return said(TLS)
  if (/^AUTH_SWITCH|^HANDSHAKE/.test(code)) return said(LOGIN)
  return said({ ...RETRY, hint: 'check the address in MYSQL_URL, and that the server runs' })
}
