import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Action, type Answer, type Moment, OK, POISONED, type Script, says, tells } from './action.ts'
import { end, endsAt, give, TICK_MS } from './give.ts'
import { Received } from './received.ts'
import { Wire } from './wire.ts'

/**
 * The ingestion service, one level below the sandbox: it answers POST /batch/ and Capture V1 on a raw socket, so that it can
 * do what no HTTP server does. It remembers each request, and which events a real service would have kept.
 */
export class Service {
  /** In the order in which their heads came. */
  readonly requests: Received[] = []
  /** Events that make the service refuse the whole batch, by their uuids. Capture V1 drops these alone. */
  readonly poison = new Set<string>()
  /** What it does from now on. Numbers of requests go on. */
  script: Script
  /** What it does with a new connection, by its number from 0, before anything is read. */
  greet: (connection: number) => 'reset' | 'close' | 'hang' | undefined = () => undefined
  port = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #connections = 0
  #faults: unknown[] = []

  private constructor(script: Script) {
    this.script = script
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => this.#sockets.delete(socket))
      this.#serve(socket, this.#connections++).catch((error: unknown) => {
        this.#faults.push(error)
        socket.destroy()
      })
    })
  }

  /** Starts one, which ends with the test, or when else `atEnd` says: give it afterAll in a beforeAll. */
  static async start(
    script: Script = () => undefined,
    atEnd: (stop: () => void) => void = onTestFinished,
  ): Promise<Service> {
    const service = new Service(script)
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    service.port = (service.#server.address() as AddressInfo).port
    atEnd(() => service.stop())
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Nothing listens. */
  get isDown(): boolean {
    return !this.#server.listening
  }

  /** How many connections there were. */
  get connections(): number {
    return this.#connections
  }

  /** What went wrong in the service itself: a request that it can't read is a fault of the client, or of the test. */
  get faults(): readonly unknown[] {
    return this.#faults
  }

  /** Cuts all connections and lets in no other, until `up`. */
  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  /** Listens again, where it did before. */
  async up(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve))
  }

  async #serve(socket: Socket, connection: number): Promise<void> {
    const greeting = this.greet(connection)
    if (greeting !== undefined) return end(socket, greeting)
    const wire = new Wire(socket)
    let last: Received | undefined
    for (;;) {
      const head = await wire.head()
      if (head === undefined) return
      if (last?.reply === 'written') last.reply = 'read'
      if (head.startsWith('POST /flags/')) {
        await answerFlags(socket, wire, head)
        continue
      }
      const request = new Received(this.requests.length, connection, head)
      this.requests.push(request)
      last = request
      if (!(await this.#exchange(socket, wire, request))) return
    }
  }

  /** Reads and answers one request. False if the connection serves no other. */
  async #exchange(socket: Socket, wire: Wire, request: Received): Promise<boolean> {
    const action = this.script(request.n, request) ?? {}
    const ends = (moment: Moment) => endsAt(socket, action, moment)
    if (ends('beforeBody')) return false
    if (action.early && !(await this.#answer(socket, request, action))) return false
    const length = Number(request.headers['content-length'] ?? 0)
    const half = action.reset === 'inBody' || action.close === 'inBody' || action.hang === 'inBody'
    const most = half ? length >>> 1 : length
    for (;;) {
      const left = most - request.packed.length
      if (left === 0) break
      const piece = await wire.some(Math.min(left, action.readSlowly ?? left))
      if (piece === undefined) return false
      request.packed = Buffer.concat([request.packed, piece])
      if (action.readSlowly !== undefined) await sleep(TICK_MS)
    }
    if (ends('inBody')) return false
    request.complete()
    if (!action.early && !(await this.#answer(socket, request, action))) return false
    return !ends('afterAnswer')
  }

  /** False if the connection serves no other request. */
  async #answer(socket: Socket, request: Received, action: Action): Promise<boolean> {
    const answer = this.#decide(request, action)
    request.status = answer.status
    request.words = answer.words
    request.acknowledges = isOk(answer)
    request.stored = action.store ?? request.acknowledges
    if (endsAt(socket, action, 'afterBody')) return false
    if (!answer.raw) request.reply = 'begun'
    if (!(await give(socket, answer, action))) return false
    request.reply = 'written'
    return true
  }

  #decide(request: Received, { answer }: Action): Answer {
    if (typeof answer === 'function') return answer(request)
    if (answer) return answer
    if (request.method === 'POST' && request.isV1) {
      return tells(request, ({ uuid }) => (this.poison.has(uuid) ? 'drop:rejected' : 'ok'))
    }
    if (request.method !== 'POST' || request.path !== '/batch/') return says(404, 'not found')
    return request.events.some(({ uuid }) => this.poison.has(uuid)) ? POISONED : OK
  }
}

const ACKNOWLEDGING = /^\{"status": ?(?:"ok"|1)\}\s*$/i

/** By the rules of the real service: older versions say 1. */
function isOk({ status = 200, body, raw, acknowledges, words }: Answer): boolean {
  if (acknowledges !== undefined) return acknowledges
  if (words) return true
  return raw === undefined && status >= 200 && status < 300 && ACKNOWLEDGING.test(String(body))
}

/** Answers the question whether the project key is known. It is none of the requests that a script counts. */
async function answerFlags(socket: Socket, wire: Wire, head: string): Promise<void> {
  let left = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  while (left > 0) {
    const piece = await wire.some(left)
    if (piece === undefined) return
    left -= piece.length
  }
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
}
