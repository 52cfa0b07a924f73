// The process of a bucket: s3rver, an S3 server that was written elsewhere, with a count of what goes through it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ForeignS3 } from '../../helpers/s3rver.ts'
import { PREFIX, type Traffic } from './bucket.ts'

let traffic = nothing()
const server = await new ForeignS3().start((request, response) => count(request, response))

process.on('message', async ({ order, prefix }: { order: 'take' | 'clear' | 'close'; prefix: string }) => {
  if (order === 'close') {
    await server.close()
    process.disconnect()
    return
  }
  process.send!({ ...traffic, objects: server.count(prefix) })
  traffic = nothing()
  if (order === 'clear') server.clear(prefix)
})
process.send!({ location: server.location(PREFIX), env: server.env })

function count(request: IncomingMessage, response: ServerResponse): void {
  const method = request.method ?? ''
  const isList = method === 'GET' && /[?&](list-type|uploads)\b/.test(request.url ?? '')
  const kind = isList ? 'LIST' : method
  traffic.requests[kind] = (traffic.requests[kind] ?? 0) + 1
  const before = request.socket.bytesWritten
  response.on('finish', () => {
    if (method === 'GET') traffic.read += request.socket.bytesWritten - before
  })
  traffic.written += Number(request.headers['content-length'] ?? 0)
}

function nothing(): Omit<Traffic, 'objects'> & { read: number; written: number } {
  return { requests: {}, read: 0, written: 0 }
}
