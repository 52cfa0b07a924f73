import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seeded } from '../random.ts'

/**
 * How a fake misbehaves, as a value:
 *
 *     storm      429, with a Retry-After of 0
 *     busy       503 without one
 *     html       a web page with the status 200
 *     drop       the connection breaks in the middle of the body
 *     cut        the body ends early, and the answer says it is whole
 *     drip       the body comes in small pieces
 *     terminated (Mixpanel) the body ends early, with a line that says so
 *     timeout    504
 *     shape      200 and JSON that has nothing of what was asked for
 *     silent     no answer at all
 */
export type MischiefKind =
  | 'storm'
  | 'busy'
  | 'html'
  | 'drop'
  | 'cut'
  | 'drip'
  | 'terminated'
  | 'timeout'
  | 'shape'
  | 'silent'

export interface Mischief {
  readonly kind: MischiefKind
  /** Share of the requests it strikes. */
  readonly rate: number
  /** Strikes at most so many times. */
  readonly times?: number
}

/** The request that a fake received. */
export interface Seen {
  readonly at: number
  readonly method: string
  readonly url: URL
  readonly authorization: string
  readonly body: string
}

/** What a fake answers, before any mischief. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

export interface FakeOptions {
  readonly seed?: number
  readonly mischief?: readonly Mischief[]
  /** The first request is answered only after another has come, which shows that several are sent at once. */
  readonly holdFirst?: boolean
}

/** A vendor's server on this machine: answers with its shapes, and misbehaves on demand, by seed. */
export abstract class FakeVendor {
  readonly seen: Seen[] = []
  /** Mischief done, by kind. */
  readonly done: Partial<Record<MischiefKind, number>> = {}
  /** The most requests that were under way at once. */
  peak = 0
  mischief: readonly Mischief[]
  /** Called for each request, before it is answered. */
  onRequest: () => void = () => {}
  /** Called for each request: it is answered when the promise resolves. */
  hold: (seen: Seen) => Promise<void> | undefined = () => undefined
  protected readonly random: () => number
  #server: Server | undefined
  #url = ''
  #open = 0

  readonly #second: Promise<void>
  #secondCame = () => {}

  constructor({ seed = 1, mischief = [], holdFirst = false }: FakeOptions) {
    this.random = seeded(seed)
    this.mischief = mischief
    this.#second = holdFirst
      ? new Promise((resolve) => {
          this.#secondCame = resolve
        })
      : Promise.resolve()
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#answer(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return this
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /** The vendor's answer. `struck`: mischief that only the vendor's own fake can do. */
  protected abstract reply(seen: Seen, struck: MischiefKind | undefined): Reply

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.peak = Math.max(this.peak, ++this.#open)
    response.on('close', () => this.#open--)
    let body = ''
    for await (const chunk of request) body += chunk
    const seen: Seen = {
      at: Date.now(),
      method: request.method ?? '',
      url: new URL(request.url ?? '/', this.#url),
      authorization: request.headers.authorization ?? '',
      body,
    }
    this.seen.push(seen)
    this.onRequest()
    await this.hold(seen)
    if (this.seen.length === 1) await this.#second
    else this.#secondCame()
    const struck = this.#strike()
    if (struck === 'storm')
      return void response.writeHead(429, { 'retry-after': '0' }).end('too many requests')
    if (struck === 'busy') return void response.writeHead(503).end('try later')
    if (struck === 'timeout') return void response.writeHead(504).end('timeout')
    if (struck === 'silent') return
    if (struck === 'shape') return void response.writeHead(200).end('{"maintenance":true}')
    if (struck === 'html') {
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html>Sign in to Wi-Fi</html>')
    }
    this.#send(response, this.reply(seen, struck), struck)
  }

  #strike(): MischiefKind | undefined {
    for (const { kind, rate, times = Number.POSITIVE_INFINITY } of this.mischief) {
      const before = this.done[kind] ?? 0
      if (before >= times || this.random() >= rate) continue
      this.done[kind] = before + 1
      return kind
    }
    return undefined
  }

  #send(response: ServerResponse, reply: Reply, struck: MischiefKind | undefined): void {
    const body = Buffer.from(reply.body)
    const half = body.subarray(0, Math.floor(this.random() * body.length))
    response.writeHead(reply.status, {
      ...reply.headers,
      ...(struck !== 'cut' && struck !== 'drip' && { 'content-length': String(body.length) }),
    })
    if (struck === 'cut') return void response.end(half)
    if (struck === 'drip') return void drip(response, body)
    if (struck !== 'drop') return void response.end(body)
    response.write(half, () => response.socket?.resetAndDestroy())
    // The callback of an empty write never comes, so there is no empty half.
    if (half.length === 0) response.socket?.resetAndDestroy()
  }
}

function drip(response: ServerResponse, body: Buffer): void {
  const step = Math.max(1, Math.ceil(body.length / 20))
  let at = 0
  const next = () => {
    if (response.destroyed) return
    response.write(body.subarray(at, at + step))
    at += step
    if (at >= body.length) response.end()
    else setImmediate(next)
  }
  next()
}
