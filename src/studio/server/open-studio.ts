import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { PosthaulError } from '../../errors.ts'
import type { Workbench } from '../workbench.ts'
import { readPageFiles, studioApp } from './studio-app.ts'

const HOST = '127.0.0.1'

/** A studio that listens. */
export interface Studio {
  /** With the token: whoever has it can see the sample and change the mapping file. */
  readonly url: string
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** Listens on this machine alone. `port` 0 takes a free one. Code `config` for a port that is taken. */
export async function openStudio(
  bench: Workbench,
  port: number,
  failed: (error: unknown) => void,
): Promise<Studio> {
  const files = await readPageFiles()
  const token = randomBytes(24).toString('base64url')
  // Its routes are known when the port is.
  let answer: ReturnType<typeof studioApp>['fetch'] | undefined
  const server = createAdaptorServer({ fetch: (request) => answer!(request) }) as Server
  await listen(server, port)
  const bound = (server.address() as AddressInfo).port
  answer = studioApp({ port: bound, token, bench, files, failed }).fetch
  return {
    url: `http://${HOST}:${bound}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message
      reject(
        new PosthaulError(`can't listen on ${HOST}:${port}: ${why}`, {
          code: 'config',
          hint: 'choose another with --port, or leave it out to take a free one',
          cause,
        }),
      )
    })
    server.listen(port, HOST, resolve)
  })
}
