import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'
import { isLoopback, Secret } from '../../http/index.ts'
import { ServerUrl } from '../sql/server-url.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

/** Where a Postgres is, and who reads it. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: Secret | undefined
  readonly tls: ConnectionOptions | false
  /** Host, port and database. */
  readonly server: string
  readonly channelBinding: boolean
}

const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
const MODES = ['disable', 'no-verify', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const FORM = {
  engine: 'Postgres',
  variable: 'POSTGRES_URL',
  form: 'postgres://user:password@host:5432/database',
  protocols: ['postgres:', 'postgresql:'],
  parameters: [
    ...['host', 'port', 'user', 'password', 'dbname', 'sslmode', ...Object.keys(FILES)],
    ...['application_name', 'channel_binding', 'connect_timeout'],
  ],
}

/** Reads POSTGRES_URL: `postgres://user:password@host:5432/database?sslmode=…`; `?host=/run/postgresql` for a unix socket. */
export async function postgresAddress(from: CredentialsFrom): Promise<PostgresAddress> {
  const told = await ServerUrl.read(FORM, from)
  const { given } = told
  const host = (given.get('host') ?? told.host) || 'localhost'
  const port = Number(given.get('port') ?? (told.url.port || 5432))
  const user = given.get('user') ?? (told.user || userInfo().username)
  const password = given.get('password')
  const database = given.get('dbname') ?? (told.database || user)
  return {
    ...{ host, port, database, user },
    password: password === undefined ? told.password : new Secret(password, FORM.variable),
    tls: await tlsOf(host, told),
    server: `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`,
    channelBinding: given.has('channel_binding') && given.get('channel_binding') !== 'disable',
  }
}

/**
 * Verified TLS wherever it is used, unless the address itself says `disable` or `no-verify`: other modes of libpq fall back to less.
 * Within this machine it is used where the address asks for it.
 */
async function tlsOf(host: string, told: ServerUrl): Promise<ConnectionOptions | false> {
  const isHere = host.startsWith('/') || isLoopback(host) || host === '::1'
  const hasFile = told.given.has('sslrootcert')
  const mode = told.given.get('sslmode') ?? (isHere && !hasFile ? 'disable' : 'verify-full')
  if (!MODES.includes(mode)) throw told.wrong('has an sslmode that is unknown', `write ${MODES.join(', ')}`)
  if (mode === 'disable' || (isHere && ['allow', 'prefer'].includes(mode))) return false
  const files: ConnectionOptions = {}
  for (const [name, option] of Object.entries(FILES)) {
    // `system` is libpq's word for the authorities that the system knows.
    const file = told.given.get(name) === 'system' ? undefined : await told.file(name)
    if (file !== undefined) files[option] = file
  }
  return { rejectUnauthorized: mode !== 'no-verify', ...files }
}
