// A bare sink: it reads every request and answers Ok. If a file is named, it keeps the events there, one a line; nothing is
// measured then. It prints its address, and ends when its standard input ends.
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

const [path] = process.argv.slice(2)
const file = path === undefined ? undefined : openSync(path, 'w')

function keep(body: Buffer, encoding: string | undefined): void {
  const bytes = encoding === 'gzip' ? gunzipSync(body) : body
  const { batch } = JSON.parse(bytes.toString()) as { batch: unknown[] }
  writeSync(file!, batch.map((event) => `${JSON.stringify(event)}\n`).join(''))
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    if (file !== undefined) chunks.push(chunk)
  })
  request.on('end', () => {
    if (file !== undefined && request.url?.startsWith('/batch') === true)
      keep(Buffer.concat(chunks), request.headers['content-encoding'])
    response.setHeader('content-type', 'application/json').end('{"status":"Ok"}')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
