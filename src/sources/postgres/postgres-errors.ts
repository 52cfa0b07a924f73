import { type ErrorDetails, PosthaulError } from '../../errors.ts'
import { redactorOf } from '../../http/index.ts'
import { VendorError } from '../vendor-client.ts'
import type { PostgresAddress } from './postgres-address.ts'

/** What the server's codes mean for an export: https://www.postgresql.org/docs/current/errcodes-appendix.html. First match counts. */
const OF_SERVER: readonly (readonly [RegExp, ErrorDetails])[] = [
  [
    /^28/,
    { code: 'auth', hint: 'check user and password in POSTGRES_URL, and that pg_hba.conf lets them in' },
  ],
  [
    /^42501/,
    {
      code: 'auth',
      hint: 'give the user the right to read: GRANT SELECT ON … TO …, GRANT USAGE ON SCHEMA … TO …',
    },
  ],
  // Of a database without an encoding, SQL_ASCII.
  [
    /^22021/,
    {
      code: 'config',
      hint: "convert the column in a --query: convert_from(convert(convert_to(name, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'SQL_ASCII')",
    },
  ],
  [/^3D000/, { code: 'config', hint: 'check the name of the database in POSTGRES_URL' }],
  [/^42P01|^3F000/, { code: 'config', hint: 'see the tables: --list' }],
  // Cancelled by a standby that must go on, by an administrator, by a restart; a lock, or too many connections.
  [/^(?:08|25P0|40|53|55P03|57)/, { code: 'unavailable', fate: 'retry' }],
]

const TIMED_OUT: ErrorDetails = {
  code: 'unavailable',
  hint: 'give a longer --timeout or a shorter --window; an index on the time column makes each window quick',
}

const TLS: ErrorDetails = {
  code: 'config',
  hint: 'name the authority of its certificate in POSTGRES_URL, ?sslrootcert=<file>; only where the network is trusted, ?sslmode=disable',
}

/** The error for what the driver threw, without the password. `timedOut`: the statement took as long as it may. */
export function postgresError(
  error: unknown,
  { server, password }: Pick<PostgresAddress, 'server' | 'password'>,
  timedOut = false,
): PosthaulError {
  if (error instanceof PosthaulError) return error
  const cause = redactorOf(password ? [password] : []).error(error)
  const state = sqlState(error)
  const said = `Postgres (${server}): ${cause.message || state || 'the connection broke'}${state ? ` (${state})` : ''}`
  return new VendorError(said, { ...detailsOf(cause, state, timedOut), cause })
}

/** True for the server's refusal of a table that it does not have. */
export function isNoTable(error: unknown): error is VendorError {
  return error instanceof VendorError && (error.cause as NodeJS.ErrnoException | undefined)?.code === '42P01'
}

function detailsOf(cause: Error, state: string | undefined, timedOut: boolean): ErrorDetails {
  if (state === '57014' && timedOut) return TIMED_OUT
  if (state !== undefined) {
    return OF_SERVER.find(([codes]) => codes.test(state))?.[1] ?? { code: 'config' }
  }
  const { code = '' } = cause as NodeJS.ErrnoException
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|SELF_SIGNED/.test(code) || /SSL connection/.test(cause.message))
    return TLS
  if (/^SASL/.test(cause.message)) return { code: 'auth', hint: 'put the password into POSTGRES_URL' }
  return {
    code: 'unavailable',
    fate: 'retry',
    hint: 'check the address in POSTGRES_URL, and that the server runs',
  }
}

function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined
}
