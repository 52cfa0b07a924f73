import type { Secret } from '../../http/index.ts'
import { ServerUrl } from '../sql/server-url.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

/** Where a ClickHouse is, and who reads it. */
export interface ClickHouseAddress {
  /** `https://host:8443`. */
  readonly origin: string
  /** Undefined for the user's own. */
  readonly database: string | undefined
  readonly user: string
  readonly password: Secret | undefined
  /** Certificates of the authority that the server's is held against, in place of the well-known ones. */
  readonly authority: Buffer | undefined
  /** Host, port and database. */
  readonly server: string
}

const FORM = {
  engine: 'ClickHouse',
  variable: 'CLICKHOUSE_URL',
  form: 'https://user:password@host:8443/database',
  protocols: ['https:', 'http:'],
  parameters: ['tls-ca'],
}

/** Reads CLICKHOUSE_URL: `https://user:password@host:8443/database?tls-ca=<file>`. */
export async function clickhouseAddress(from: CredentialsFrom): Promise<ClickHouseAddress> {
  const told = await ServerUrl.read(FORM, from)
  const { url, database } = told
  if (told.given.has('tls-ca') && url.protocol !== 'https:') throw told.wrong('has tls-ca, but no https://')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return {
    origin: url.origin,
    database: database || undefined,
    user: told.user || 'default',
    password: told.password,
    authority: await told.file('tls-ca'),
    server: `${url.hostname}:${port}${database && `/${database}`}`,
  }
}
