import { isIP } from 'node:net'
import type { ConnectionOptions, SslOptions } from 'mysql2'
import { isLoopback, type Secret } from '../../http/index.ts'
import { ServerUrl } from '../sql/server-url.ts'
import type { CredentialsFrom } from '../vendor-source.ts'

/** Where a server is, and who logs in. */
export interface MysqlAddress {
  readonly login: Pick<
    ConnectionOptions,
    'host' | 'port' | 'socketPath' | 'user' | 'password' | 'database' | 'ssl'
  >
  /** Host, port and database, without a login. */
  readonly server: string
  readonly secrets: readonly Secret[]
}

const FORM = {
  engine: 'MySQL',
  variable: 'MYSQL_URL',
  form: 'mysql://user:password@host:3306/database',
  protocols: ['mysql:', 'mariadb:'],
  parameters: ['tls', 'tls-ca', 'socket'],
}

/** Reads MYSQL_URL: `mysql://user:password@host:3306/database?tls=…`; `?socket=/run/mysqld/mysqld.sock` for a unix socket. */
export async function mysqlAddress(from: CredentialsFrom): Promise<MysqlAddress> {
  const told = await ServerUrl.read(FORM, from)
  const { url, host, user, password, database } = told
  if (user === '' || host === '') throw told.wrong(`has no ${user === '' ? 'user' : 'host'}`)
  const socketPath = told.given.get('socket')
  const port = url.port === '' ? 3306 : Number(url.port)
  const ssl = await tlsOf(told, socketPath !== undefined || isLoopback(url.hostname))
  const place = socketPath ?? `${url.hostname}:${port}`
  return {
    login: {
      ...(socketPath === undefined ? { host, port } : { socketPath }),
      ...{ user, password: password?.reveal() ?? '', database, ...(ssl !== undefined && { ssl }) },
    },
    server: database === '' ? place : `${place}/${database}`,
    secrets: password === undefined ? [] : [password],
  }
}

/** Undefined for a connection without TLS, which only this machine gets unasked. */
async function tlsOf(told: ServerUrl, isHere: boolean): Promise<SslOptions | undefined> {
  const asked = told.given.get('tls')
  if (asked !== undefined && asked !== 'disable' && asked !== 'verify') {
    throw told.wrong('has a tls that is unknown', 'write tls=verify or tls=disable')
  }
  const ca = await told.file('tls-ca')
  if (asked === 'disable' || (isHere && asked === undefined && ca === undefined)) return undefined
  // For an address the driver would look for a certificate of localhost.
  if (isIP(told.host) !== 0) {
    throw told.wrong(`has ${told.host}, and TLS needs a name`, 'write the name that the certificate is for')
  }
  return { rejectUnauthorized: true, verifyIdentity: true, ...(ca !== undefined && { ca }) }
}
