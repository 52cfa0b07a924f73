import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the proxy answers in place of the service. */
export interface Instead {
  readonly status: number
  readonly detail: string
}

export interface QueryProxy {
  readonly url: string
  /** The queries that came, in order. */
  readonly queries: readonly string[]
  close(): void
}

/** Stands before a sandbox, and answers those queries itself for which `instead` says so. */
export async function queryProxy(
  target: string,
  instead: (query: string, before: number) => Instead | undefined = () => undefined,
): Promise<QueryProxy> {
  const queries: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const query = request.url?.endsWith('/query/') ? JSON.parse(body.toString()).query.query : undefined
    const other = query === undefined ? undefined : instead(query, queries.length)
    if (query !== undefined) queries.push(query)
    if (other) {
      response.writeHead(other.status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ type: 'validation_error', code: 'error', detail: other.detail, attr: null }),
      )
      return
    }
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
