import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a test's server answers. */
export interface Reply {
  /** It takes the request and never answers. */
  readonly silent?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown
}

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface OddServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): void
}

/** A server that answers what `reply` says, and remembers its requests. */
export async function oddServer(reply: (asked: Asked, url: string) => Reply): Promise<OddServer> {
  const asked: Asked[] = []
  let url = ''
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    const question = { method, path, headers, body }
    asked.push(question)
    const { silent, status = 200, headers: more = {}, body: answer = {} } = reply(question, url)
    if (silent) return
    const text = typeof answer === 'string'
    response.writeHead(status, { 'content-type': text ? 'text/plain' : 'application/json', ...more })
    response.end(text ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
