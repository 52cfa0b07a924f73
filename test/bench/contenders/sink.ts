// A bare sink: it reads every request and answers Ok. If a file is named, it keeps the unpacked bodies there, each after its
// length; nothing is measured then. It prints its address, and ends when its standard input ends.
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

const [path] = process.argv.slice(2)
const file = path === undefined ? undefined : openSync(path, 'w')

function keep(body: Buffer, encoding: string | undefined): void {
  const bytes = encoding === 'gzip' ? gunzipSync(body) : body
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  writeSync(file!, Buffer.concat([length, bytes]))
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    if (file !== undefined) chunks.push(chunk)
  })
  request.on('end', () => {
    const isFlags = request.url?.startsWith('/flags/') === true
    if (file !== undefined && !isFlags) keep(Buffer.concat(chunks), request.headers['content-encoding'])
    response.setHeader('content-type', 'application/json').end('{"status":"Ok"}')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
