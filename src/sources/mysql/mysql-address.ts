import { isIP } from 'node:net'
import type { ConnectionOptions, SslOptions } from 'mysql2'
import { PosthaulError } from '../../errors.ts'
import { isLoopback, Secret } from '../../http/index.ts'
import { readSecret } from '../../options/index.ts'
import { fileError, readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
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

const FORM = 'mysql://user:password@host:3306/database'
const KNOWN = ['tls', 'tls-ca', 'socket']

/** The address in MYSQL_URL. Code `auth` without one, `config` for one that can't be read. The URL itself is never shown. */
export async function mysqlAddress({ env, stdin }: CredentialsFrom): Promise<MysqlAddress> {
  const secret = await readSecret({ variable: 'MYSQL_URL' }, env, stdin)
  if (secret === undefined) {
    throw new PosthaulError('no address of MySQL', { code: 'auth', hint: `set MYSQL_URL: ${FORM}` })
  }
  const { url, user, password, database } = partsOf(secret)
  const options = url.searchParams
  const stranger = [...options.keys()].find((name) => !KNOWN.includes(name))
  if (stranger !== undefined) {
    throw wrong(`${secret.from} has an option that is not known: ${stranger}`, `known: ${KNOWN.join(', ')}`)
  }
  const socketPath = options.get('socket') ?? undefined
  // Like a browser: an address of version 6 stands in brackets.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? 3306 : Number(url.port)
  const isHere = socketPath !== undefined || isLoopback(url.hostname)
  const ssl = await tlsOf(options, { host, isHere, from: secret.from })
  const place = socketPath ?? `${url.hostname}:${port}`
  return {
    login: {
      ...(socketPath === undefined ? { host, port } : { socketPath }),
      ...{ user, password, database, ...(ssl !== undefined && { ssl }) },
    },
    server: database === '' ? place : `${place}/${database}`,
    secrets: password === '' ? [] : [new Secret(password, secret.from)],
  }
}

function partsOf(secret: Secret) {
  const hint = `expected ${FORM}, with odd characters written as in URLs: %40 for @, %23 for #, %2F for /, %3F for ?, %25 for %`
  try {
    const url = new URL(secret.reveal())
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(
      decodeURIComponent,
    )
    const isMysql = url.protocol === 'mysql:' || url.protocol === 'mariadb:'
    if (isMysql && url.hostname !== '' && url.hash === '' && user && !/\//.test(database!)) {
      return { url, user, password: password!, database: database! }
    }
  } catch {
    // What URL throws has the whole text in it.
  }
  throw wrong(`${secret.from} holds no address of MySQL`, hint)
}

/** Undefined for a connection without TLS, which only this machine gets unasked. */
async function tlsOf(
  options: URLSearchParams,
  { host, isHere, from }: { readonly host: string; readonly isHere: boolean; readonly from: string },
): Promise<SslOptions | undefined> {
  const [asked, path] = [options.get('tls'), options.get('tls-ca')]
  if (asked !== null && asked !== 'disable' && asked !== 'verify') {
    throw wrong(`${from} has tls=${asked}`, 'expected tls=verify or tls=disable')
  }
  if (asked === 'disable' || (isHere && asked === null && path === null)) return undefined
  // For an address the driver would look for a certificate of localhost.
  if (isIP(host) !== 0) {
    throw wrong(`${from} has ${host}, and TLS needs a name`, 'write the name that the certificate is for')
  }
  const verified = { rejectUnauthorized: true, verifyIdentity: true }
  if (path === null) return verified
  try {
    return { ...verified, ca: await readWhole(path, { mostBytes: MIB }) }
  } catch (cause) {
    throw fileError(cause, 'read', `${path} (tls-ca of ${from})`)
  }
}

function wrong(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'config', hint })
}
