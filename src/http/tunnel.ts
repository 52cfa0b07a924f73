import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { NetworkError, type NetworkKind } from './network-error.ts'
import type { HttpProxy } from './proxy.ts'
import type { Redactor } from './redact.ts'

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
