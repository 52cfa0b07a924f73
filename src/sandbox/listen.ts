import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { PosthaulError } from '../errors.ts'
import type { NodeEnv } from './context.ts'

/** Listens and resolves to the server and its port. PosthaulError when the address can't be had. */
export function listen(app: Hono<NodeEnv>, host: string, port: number): Promise<[Server, number]> {
  const server = createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) }) as Server
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message
      reject(
        new PosthaulError(`can't listen on ${host}:${port}: ${why}`, {
          code: 'config',
          hint: 'choose another with --port; --port 0 takes a free one',
          cause,
        }),
      )
    })
    server.listen(port, host, () => resolve([server, (server.address() as AddressInfo).port]))
  })
}

/** Stops listening and ends every connection, requests under way included. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
