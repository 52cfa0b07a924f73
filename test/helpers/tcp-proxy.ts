import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server of this machine that can be watched and blocked. */
export interface TcpProxy {
  readonly port: number
  /** Called for what a client sends. */
  onRequest: () => void
  /** From now on the client hears nothing, as when a cable is pulled: no end, no error. */
  silence(): void
  close(): Promise<void>
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
        sockets.delete(socket)
      })
    }
    client.on('data', (chunk) => {
      proxy.onRequest()
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isSilent || client.write(chunk)) return
      upstream.pause()
      client.once('drain', () => upstream.resume())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    onRequest: () => undefined,
    silence: () => {
      isSilent = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
