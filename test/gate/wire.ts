import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** A request as it came over the wire; the body is unpacked, since zlib's bytes differ between versions. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly body: Buffer
}

/** A server of one lasting address before sandboxes that come and go. It keeps what each was asked. */
export interface Wire {
  readonly port: number
  /** Sends what comes from now on to another sandbox, and forgets what came before. */
  lead(target: string): void
  requests(): readonly WireRequest[]
  close(): void
}

/** `now`: what the clock of the service says. */
export async function openWire(now: Date): Promise<Wire> {
  let [target, requests]: [string, WireRequest[]] = ['', []]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const [method, path] = [request.method ?? 'GET', request.url ?? '/']
    requests.push({ method, path, body: isGzip(body) ? gunzipSync(body) : body })
    const answer = await fetch(`${target}${path}`, {
      method,
      headers: forwarded(request.headers),
      ...(body.length > 0 && { body }),
    })
    const type = answer.headers.get('content-type') ?? 'text/plain'
    response.writeHead(answer.status, { 'content-type': type, date: now.toUTCString() })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    lead: (next) => {
      ;[target, requests] = [next, []]
    },
    requests: () => requests,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

/** Headers of one connection belong to it alone. */
function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect'])
  const kept = Object.entries(headers).filter(([name]) => !own.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}
