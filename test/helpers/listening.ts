import type { Server } from 'node:http'
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Lets a server listen at a port of its own until the test is over, with all its connections; returns its origin. */
export async function listening(server: Server | TcpServer): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
