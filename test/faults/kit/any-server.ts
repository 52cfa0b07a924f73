import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Action, says } from './action.ts'
import { endsAt, give } from './give.ts'
import { Received } from './received.ts'
import { Wire } from './wire.ts'

/** Answers any request on a raw socket, whatever it asks for. What was asked is remembered. */
export class AnyServer {
  readonly requests: Received[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #act: (request: Received) => Action
  /** Bytes that were written, of all answers. */
  written = 0

  /** `greeting`: what each connection gets before it asks anything, and then its end. */
  constructor(act: (request: Received) => Action, greeting?: string) {
    this.#act = act
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.written += socket.bytesWritten
        this.#sockets.delete(socket)
      })
      if (greeting !== undefined) return void socket.end(greeting, 'latin1')
      // What is written to a client that has gone is no fault of anybody.
      this.#serve(socket).catch(() => socket.destroy())
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  async #serve(socket: Socket): Promise<void> {
    const wire = new Wire(socket)
    for (let on = true; on; ) {
      const head = await wire.head()
      if (head === undefined) return
      const request = new Received(this.requests.length, 0, head)
      this.requests.push(request)
      on = await this.#exchange(socket, wire, request)
    }
  }

  async #exchange(socket: Socket, wire: Wire, request: Received): Promise<boolean> {
    const length = Number(request.headers['content-length'] ?? 0)
    const pieces: Buffer[] = []
    for (let left = length; left > 0; left -= pieces.at(-1)!.length) {
      const piece = await wire.some(left)
      if (piece === undefined) return false
      pieces.push(piece)
    }
    request.packed = Buffer.concat(pieces)
    const action = this.#act(request)
    const { answer = says(404, 'not found') } = action
    if (endsAt(socket, action, 'afterBody')) return false
    const written = await give(socket, typeof answer === 'function' ? answer(request) : answer, action)
    return written && !endsAt(socket, action, 'afterAnswer')
  }
}
