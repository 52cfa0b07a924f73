import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** What a client asked of the proxy. */
export interface Asked {
  /** `host:port` of a CONNECT, or the address of a plain request. */
  readonly target: string
  readonly authorization: string | undefined
}

/** What the proxy does with a CONNECT instead of opening a tunnel: answer a status, cut the connection, or be silent. */
export type Mood = number | 'cut' | 'silent' | undefined

/** An HTTP proxy on loopback. It connects every CONNECT to one port of this machine, whatever its host is. */
export class ConnectProxy {
  readonly asked: Asked[] = []
  mood: Mood
  /** The port that every CONNECT leads to. */
  port = 0
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()

  async start(port: number): Promise<this> {
    this.port = port
    const server = createServer((request, response) => {
      this.asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] })
      response.writeHead(405).end()
    })
    server.on('connection', (socket) => this.#keep(socket))
    server.on('connect', ({ url = '', headers }, client: Socket) => {
      this.asked.push({ target: url, authorization: headers['proxy-authorization'] })
      if (this.mood === 'silent') return
      if (this.mood === 'cut') return void client.destroy()
      if (this.mood !== undefined) {
        return void client.end(`HTTP/1.1 ${this.mood} No\r\ncontent-length: 0\r\n\r\n`)
      }
      const upstream = connect(this.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
      this.#keep(upstream)
      upstream.on('close', () => client.destroy())
      client.on('close', () => upstream.destroy())
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return this
  }

  /** `host:port`, as it follows the scheme of an address. */
  get host(): string {
    return `127.0.0.1:${(this.#server!.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
