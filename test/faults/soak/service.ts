// The service of a soak, in a process of its own: it stores events, and lies about it now and then.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { Dice, type Fault } from './dice.ts'
import { type Findings, Ledger } from './ledger.ts'
import { Mint, type MintOptions } from './mint.ts'

export interface ServiceOptions extends MintOptions {
  readonly key: string
  /** The share of requests that suffer a fault. */
  readonly faults: number
}

/** What the service tells of itself, when its parent asks. */
export interface Told extends Findings {
  readonly requests: number
  /** Requests refused because of a poisoned event. */
  readonly refused: number
  readonly faults: Partial<Record<Fault, number>>
  readonly peakMib: number
}

const OK = '{"status":1}'
const PAGE = '<!doctype html><title>Sign in</title><p>Please sign in to use this network.'
/** What is answered and what is not stored, by fault. */
const ANSWERS: Partial<
  Record<Fault, readonly [status: number, body: string, headers?: Record<string, string>]>
> = {
  '429 with Retry-After 0': [429, '{"detail":"slow down"}', { 'retry-after': '0' }],
  '429 with Retry-After 1': [429, '{"detail":"slow down"}', { 'retry-after': '1' }],
  '500': [500, '{"detail":"oops"}'],
  '502 with a web page': [502, PAGE],
  '503': [503, 'unavailable'],
  '504 with nothing': [504, ''],
  '200 with a web page': [200, PAGE, { 'content-type': 'text/html' }],
  '200 with nothing': [200, ''],
}
const DRIP_MS = 5

const options = JSON.parse(process.argv[2]!) as ServiceOptions
const ledger = new Ledger(new Mint(options))
const dice = new Dice(options.faults, options.seed)
const prefix = `{"api_key":"${options.key}","historical_migration":true,"batch":[`
const suffix = ']}'
let [requests, refused] = [0, 0]

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Whether the key is known: no request of events.
  if (request.url?.startsWith('/flags/')) return void request.resume().on('end', () => response.end('{}'))
  requests++
  const fault = dice.throw()
  if (fault === 'reset before the body is read') return void request.socket.destroy()
  if (fault === 'slow reading') await sleep(100)
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
    if (fault === 'reset within the body') return void request.socket.destroy()
  }
  const answer = fault && ANSWERS[fault]
  if (answer) {
    const [status, body, headers] = answer
    return void response.writeHead(status, headers).end(body)
  }
  if (fault === 'reset after the body') return void request.socket.destroy()
  const [status, body] = take(gunzipSync(Buffer.concat(chunks)).toString())
  await reply(response, status, body, fault)
}

/** Stores a request's events, all or none. Returns the status and the body of the answer. */
function take(text: string): [number, string] {
  if (!text.startsWith(prefix) || !text.endsWith(suffix))
    throw new Error(`not a request: ${text.slice(0, 200)}`)
  const numbers = ledger.read(text, prefix.length, text.length - suffix.length)
  // The soak has failed. The events go on, so that it ends and says so.
  if (numbers === undefined) return [200, OK]
  const poison = numbers.find((number) => ledger.refuses(number))
  if (poison !== undefined) {
    refused++
    return [400, '{"type":"validation_error","detail":"an event of the batch is refused"}']
  }
  ledger.store(numbers)
  return [200, OK]
}

async function reply(response: ServerResponse, status: number, body: string, fault?: Fault): Promise<void> {
  if (fault === 'answer lost after storing') return void response.socket?.destroy()
  if (fault === '200 with cut JSON') return void response.writeHead(200).end(OK.slice(0, 5))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  if (fault === 'answer cut off within') {
    response.write(body.slice(0, 4))
    return void setTimeout(() => response.socket?.destroy(), DRIP_MS)
  }
  if (fault === 'answer in drips') {
    for (const letter of body) {
      response.write(letter)
      await sleep(DRIP_MS)
    }
    return void response.end()
  }
  response.end(body)
}

const server = createServer((request, response) => {
  // A client that was killed leaves its request half sent: that is no fault of the service.
  serve(request, response).catch((error: unknown) => {
    if (!request.complete || (error as NodeJS.ErrnoException).code === 'ECONNRESET') return
    throw error
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => {
  const { maxRSS } = process.resourceUsage()
  const told: Told = { ...ledger.findings(), requests, refused, faults: dice.counts, peakMib: maxRSS / 1024 }
  process.send!(told)
})
process.on('disconnect', () => process.exit())
process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
