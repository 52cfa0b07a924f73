import { PosthaulError } from '../../errors.ts'
import { Secret } from '../../http/index.ts'
import { readSecret } from '../../options/index.ts'
import { readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

/** Where a ClickHouse is, and who reads it. */
export interface ClickHouseAddress {
  /** `https://host:8443`. */
  readonly origin: string
  /** Undefined for the user's own. */
  readonly database: string | undefined
  readonly user: string
  readonly password: Secret
  /** Certificates of the authority that the server's is held against, in place of the well-known ones. */
  readonly authority: Buffer | undefined
  /** Host, port and database. */
  readonly server: string
}

/**
 * Reads CLICKHOUSE_URL: `https://user:password@host:8443/database?tls-ca=<file>`. Code `auth` where there is none, `config`
 * where it is not whole. No message has any of it but names of parameters.
 */
export async function clickhouseAddress({ env, stdin }: CredentialsFrom): Promise<ClickHouseAddress> {
  const secret = await readSecret({ variable: 'CLICKHOUSE_URL' }, env, stdin)
  if (secret) return addressOf(secret)
  throw new PosthaulError('no credentials for ClickHouse', {
    code: 'auth',
    hint: 'set CLICKHOUSE_URL to https://user:password@host:8443/database',
  })
}

async function addressOf(secret: Secret): Promise<ClickHouseAddress> {
  const url = parsed(secret.reveal())
  const database = decoded(url.pathname.slice(1))
  // A sign of the password has ended the part with the login too early, or begun another.
  if (url.hash !== '' || /[@:/]/.test(database)) throw wrong('can not be read')
  for (const name of url.searchParams.keys()) {
    if (name !== 'tls-ca') {
      throw wrong(`has the parameter ${name}`, 'leave it out: posthaul sends what it needs; it knows tls-ca')
    }
  }
  const authority = url.searchParams.get('tls-ca')
  if (authority !== null && url.protocol !== 'https:') throw wrong('has tls-ca, but no https://')
  const { protocol, hostname } = url
  const port = url.port || (protocol === 'https:' ? '443' : '80')
  return {
    origin: url.origin,
    database: database || undefined,
    user: decoded(url.username) || 'default',
    password: new Secret(decoded(url.password), secret.from),
    authority: authority === null ? undefined : await readWhole(authority, { mostBytes: MIB }),
    server: `${hostname}:${port}${database && `/${database}`}`,
  }
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw wrong(url === undefined ? 'can not be read' : `begins with ${url.protocol}//, and HTTP is spoken`)
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
  hint = 'write https://user:password@host:8443/database; in a password %40 for @, %2F for /, %3F for ?, %23 for #',
): PosthaulError {
  return new PosthaulError(`CLICKHOUSE_URL ${what}`, { code: 'config', hint })
}
