import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { NetworkError, type NetworkKind } from './network-error.ts'
import type { HttpProxy } from './proxy.ts'
import type { Redactor } from './redact.ts'

/** Opens connections to any host through one proxy, in place of direct ones. */
export class Tunnel {
  readonly #proxy: HttpProxy
  readonly #redactor: Redactor
  readonly #pool: Pool
  readonly #secure: buildConnector.connector

  /** `timeout`: milliseconds that the proxy, its answer and the target's TLS may each take. */
  constructor(proxy: HttpProxy, timeout: number, redactor: Redactor) {
    this.#proxy = proxy
    this.#redactor = redactor
    // A proxy that takes a connection and says nothing is as bad as one that takes none.
    this.#pool = new Pool(proxy.origin, { connect: { timeout }, headersTimeout: timeout })
    this.#secure = buildConnector({ timeout })
  }

  /** Connects a pool of undici's. What goes wrong with the proxy is said of the proxy, not of the target. */
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
      // undici connects again for ever when it meets an error of its own for a broken connection; ours ends the request.
      const cause = this.#redactor.error(error)
      throw this.#failure(`cannot be reached: ${cause.message}`, 'proxy', 'retry', cause)
    })
    const { statusCode, socket } = answer
    if (statusCode === 200) return socket as Socket
    socket.on('error', () => undefined).destroy()
    const what = `answered ${statusCode} for ${path}`
    // By 4xx it refuses; by 5xx it says that it did not reach the target.
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
