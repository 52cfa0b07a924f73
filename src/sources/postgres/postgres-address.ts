import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'
import { PosthaulError } from '../../errors.ts'
import { isLoopback, Secret } from '../../http/index.ts'
import { readSecret } from '../../options/index.ts'
import { fileError } from '../../store/index.ts'
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

/**
 * Reads POSTGRES_URL: `postgres://user:password@host:5432/database?sslmode=…`; `?host=/run/postgresql` for a unix socket.
 * Code `auth` where there is none, `config` where it is not whole. No message has any of it but names of parameters.
 */
export async function postgresAddress({ env, stdin }: CredentialsFrom): Promise<PostgresAddress> {
  const secret = await readSecret({ variable: 'POSTGRES_URL' }, env, stdin)
  if (secret) return addressOf(secret.reveal())
  throw new PosthaulError('no credentials for Postgres', {
    code: 'auth',
    hint: 'set POSTGRES_URL to postgres://user:password@host:5432/database',
  })
}

function addressOf(text: string): PostgresAddress {
  // URLs have no user without a host, but an address of a unix socket may.
  const url = parsed(/^postgres(?:ql)?:\/\//.test(text) ? text.replace('@/', '@localhost/') : '')
  // A sign of the password has ended the part with the login too early.
  if (url.hash !== '' || (url.username === '' && text.includes('@'))) throw wrong('can not be read')
  const given = new Map(url.searchParams)
  for (const name of given.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw wrong(`has the parameter ${name}`, `leave it out; posthaul knows ${PARAMETERS.join(', ')}`)
    }
  }
  const host = given.get('host') ?? decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  const port = Number(given.get('port') ?? (url.port || 5432))
  const user = given.get('user') ?? (decoded(url.username) || userInfo().username)
  const password = given.get('password') ?? decoded(url.password)
  const database = given.get('dbname') ?? (decoded(url.pathname.slice(1)) || user)
  return {
    ...{ host: host || 'localhost', port, database, user },
    password: password === '' ? undefined : new Secret(password, 'POSTGRES_URL'),
    tls: tlsOf(host, given),
    server: `${host.includes(':') ? `[${host}]` : host || 'localhost'}:${port}/${database}`,
    channelBinding: given.has('channel_binding') && given.get('channel_binding') !== 'disable',
  }
}

const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
const MODES = ['disable', 'no-verify', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']
const PARAMETERS: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'dbname', 'sslmode', ...Object.keys(FILES)],
  ...['application_name', 'channel_binding', 'connect_timeout'],
]

/**
 * Verified TLS wherever it is used, unless the address itself says `disable` or `no-verify`: other modes of libpq fall back to less.
 * Within this machine it is used where the address asks for it.
 */
function tlsOf(host: string, given: ReadonlyMap<string, string>): ConnectionOptions | false {
  const isHere = host === '' || host.startsWith('/') || isLoopback(host) || host === '::1'
  const mode = given.get('sslmode') ?? (isHere && !given.has('sslrootcert') ? 'disable' : 'verify-full')
  if (!MODES.includes(mode)) throw wrong('has an sslmode that is unknown', `write ${MODES.join(', ')}`)
  if (mode === 'disable' || (isHere && ['allow', 'prefer'].includes(mode))) return false
  const files = Object.entries(FILES).flatMap(([name, option]) => {
    const path = given.get(name)
    // `system` is libpq's word for the authorities that the system knows.
    return path === undefined || path === 'system' ? [] : [[option, contentOf(path, name)] as const]
  })
  return { rejectUnauthorized: mode !== 'no-verify', ...Object.fromEntries(files) }
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw fileError(cause, 'read', `${path} (${name} of POSTGRES_URL)`)
  }
}

function parsed(text: string): URL {
  try {
    return new URL(text)
  } catch {
    // The error has the text in it.
    throw wrong('can not be read')
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong('has a % that stands for no character', 'write %25 for a percent sign')
  }
}

function wrong(
  what: string,
  hint = 'write postgres://user:password@host:5432/database; in a password %40 for @, %2F for /, %3F for ?, %23 for #',
): PosthaulError {
  return new PosthaulError(`POSTGRES_URL ${what}`, { code: 'config', hint })
}
