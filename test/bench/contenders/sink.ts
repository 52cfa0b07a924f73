// A bare sink: it reads every request and answers Ok, to Capture V1 for each event. If a file is named, it keeps the
// unpacked bodies there, each after its length; nothing is measured then. It prints its address, and ends when its
// standard input ends.
//
// To know what to answer to Capture V1 it unpacks the first import. Of later ones, which it takes to send the same events
// in the same requests, it only counts requests: unpacking would take longer than the import that is measured.
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

function isV1(url = ''): boolean {
  return url.startsWith('/i/v1/')
}

function resultsFor(body: Buffer): string {
  const results: string[] = []
  const mark = '{"uuid":"'
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) {
    results.push(`"${body.toString('latin1', at + mark.length, at + mark.length + 36)}":{"result":"ok"}`)
  }
  return `{"results":{${results.join()}}}`
}

const answers: Buffer[] = []
/** The next answer of a later import; undefined while the first one is read. */
let next: number | undefined

function answerTo(body: Buffer): Buffer {
  if (next !== undefined) return answers[next++]!
  const answer = Buffer.from(resultsFor(gunzipSync(body)))
  answers.push(answer)
  return answer
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => {
    if (file !== undefined || (isV1(request.url) && next === undefined)) chunks.push(chunk)
  })
  request.on('end', () => {
    if (request.url === '/again') next = 0
    const isFlags = request.url?.startsWith('/flags/') === true
    if (file !== undefined && !isFlags) keep(Buffer.concat(chunks), request.headers['content-encoding'])
    const answer = isV1(request.url) ? answerTo(Buffer.concat(chunks)) : '{"status":"Ok"}'
    response.setHeader('content-type', 'application/json').end(answer)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
