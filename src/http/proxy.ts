import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { PosthaulError } from '../errors.ts'
import { isLoopback, NetworkError, type NetworkKind } from './network-error.ts'
import type { Redactor } from './redact.ts'
import { Secret } from './secret.ts'

type HttpProxy = ReturnType<typeof parse>

// The order of curl and undici: lower case first; the proxy for http also serves https if it is the only one.
const HTTP = ['http_proxy', 'HTTP_PROXY']
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'http:': HTTP,
  'https:': ['https_proxy', 'HTTPS_PROXY', ...HTTP],
}

/** The proxy for requests to an origin; undefined if they go directly, as those to loopback always do. */
export function proxyOf(origin: string, env: NodeJS.ProcessEnv = process.env): HttpProxy | undefined {
  const target = new URL(origin)
  const variable = VARIABLES[target.protocol]?.find((name) => env[name]?.trim())
  if (variable === undefined || isLoopback(target.hostname)) return undefined
  if (isExcepted(target, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined
  return parse(env[variable]!.trim(), variable)
}

/** True if NO_PROXY names the host: by itself, by its domain, or with its port. `*` names all hosts. */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const at = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name, only = at] = /^(.+?)(?::(\d+))?$/.exec(entry)!
      const domain = name!.replace(/^\*?\./, '')
      return name === '*' || (only === at && (hostname === domain || hostname.endsWith(`.${domain}`)))
    })
}

/** `authorization`: the Proxy-Authorization header; undefined if the address has no user. `secrets` must never be shown. */
function parse(address: string, variable: string) {
  try {
    const url = new URL(address.includes('://') ? address : `http://${address}`)
    if (!/^https?:$/.test(url.protocol)) throw new TypeError('not http')
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    const pair = new Secret(`${user}:${password}`, variable)
    const token = `Basic ${Buffer.from(pair.reveal()).toString('base64')}`
    return {
      // Without user and password.
      origin: url.origin,
      variable,
      authorization: user === '' ? undefined : new Secret(token, variable),
      secrets: password === '' ? [] : [pair, new Secret(password, variable)],
    }
  } catch {
    // The cause is left out: it repeats the address, which can hold a password.
    throw new PosthaulError(`${variable} is not the address of an http proxy`, {
      code: 'config',
      hint: 'write it like http://proxy.example.com:3128',
    })
  }
}

/** Opens connections to any host through one proxy. */
export class Tunnel {
  readonly #proxy: HttpProxy
  readonly #redactor: Redactor
  readonly #pool: Pool
  readonly #secure: buildConnector.connector

  /** `timeout`: milliseconds that the proxy, its answer and the target's TLS may each take. */
  constructor(proxy: HttpProxy, timeout: number, redactor: Redactor) {
    this.#proxy = proxy
    this.#redactor = redactor
    // A proxy that accepts a connection and never answers must time out too.
    this.#pool = new Pool(proxy.origin, { connect: { timeout }, headersTimeout: timeout })
    this.#secure = buildConnector({ timeout })
  }

  /** The `connect` of an undici Pool. If the proxy fails, the error names the proxy, not the target. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.#open(options).then(
      (socket) => {
        if (options.protocol === 'https:') this.#secure({ ...options, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error: Error) => callback(error, null),
    )
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #open({ protocol, host, hostname, port }: buildConnector.Options): Promise<Socket> {
    const name = host ?? hostname
    const path = port ? name : `${name}:${protocol === 'https:' ? 443 : 80}`
    const { authorization } = this.#proxy
    const headers = { host: path, ...(authorization && { 'proxy-authorization': authorization.reveal() }) }
    const answer = await this.#pool.connect({ path, headers }).catch((error: unknown) => {
      // undici connects again for ever after its own error for a broken connection. A NetworkError ends the request.
      const cause = this.#redactor.error(error)
      throw this.#failure(`cannot be reached: ${cause.message}`, 'proxy', 'retry', cause)
    })
    const { statusCode, socket } = answer
    if (statusCode === 200) return socket as Socket
    socket.on('error', () => undefined).destroy()
    const what = `answered ${statusCode} for ${path}`
    // 4xx: the proxy refuses. 5xx: the proxy did not reach the target.
    throw statusCode < 500 ? this.#failure(what, 'proxy', 'stop') : this.#failure(what, 'refused', 'retry')
  }

  #failure(what: string, kind: NetworkKind, fate: 'stop' | 'retry', cause?: Error): NetworkError {
    const { origin, variable } = this.#proxy
    return new NetworkError(`the proxy ${origin} (${variable}) ${what}`, kind, cause !== undefined, {
      code: fate === 'stop' ? 'config' : 'unavailable',
      fate,
      hint: `check ${variable}, and the user and password in it; hosts in NO_PROXY are asked without a proxy`,
      cause,
    })
  }
}
