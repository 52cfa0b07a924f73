import type { Received, ReceivedEvent } from './received.ts'

/** A moment of an exchange, as the service sees it. */
export type Moment =
  | 'beforeBody' // the head of the request has come
  | 'inBody' // half of its body has come
  | 'afterBody' // all of it has come
  | 'inHead' // the answer's head is half written
  | 'inAnswer' // the answer's body is half written
  | 'afterAnswer' // all of it is written

/** What the service answers, byte by byte. A text is written with a byte for each character. */
export interface Answer {
  readonly status?: number
  readonly reason?: string
  readonly version?: '1.0' | '1.1'
  /** Content-Length is added, unless one of these says how long the body is. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** All that goes over the wire, in place of the above. It is made while it is written, so it may be endless. */
  readonly raw?: () => Iterable<string | Uint8Array>
  /** Whether a client that reads it is told that the events are kept. If left out, by its status and body. */
  readonly acknowledges?: boolean
  /** What Capture V1 says of each event, by its uuid. It keeps those that it says ok or warning of. */
  readonly words?: ReadonlyMap<string, string>
}

/** What the service does with one request. An empty one does what a healthy service does. */
export interface Action {
  readonly answer?: Answer | ((request: Received) => Answer)
  /** Whether the events are kept. If left out, they are when the answer acknowledges them. */
  readonly store?: boolean
  /** Breaks the connection with a reset. */
  readonly reset?: Moment
  /** Ends the connection in good order. */
  readonly close?: Moment
  /** Does nothing more from then on; the connection stays. */
  readonly hang?: Moment
  /** Bytes of the request's body that are read every 10 ms. */
  readonly readSlowly?: number
  /** Bytes of the answer that are written every 10 ms. */
  readonly writeSlowly?: number
  /** Answers before it reads the body, which it then takes to its end. */
  readonly early?: true
}

/** What the service does with each request, by its number from 0. Undefined: what a healthy service does. */
export type Script = (n: number, request: Received) => Action | undefined

/** The healthy service's answer. */
export const OK: Answer = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{"status":"Ok"}',
}

/** The service's answer to a batch with a poisoned event. It doesn't say which one. */
export const POISONED: Answer = {
  status: 400,
  headers: { 'Content-Type': 'text/plain' },
  body: 'event submitted without a distinct_id',
}

/** The answer of Capture V1: a result for each event of a request, its details after a colon. */
export function tells(
  { events }: Pick<Received, 'events'>,
  say: (event: ReceivedEvent, at: number) => string = () => 'ok',
): Answer {
  const words = new Map(events.map((event, at) => [event.uuid, say(event, at)]))
  const results = [...words].map(([uuid, word]) => {
    const [result, details] = word.split(':')
    return [uuid, { result, ...(details !== undefined && { details }) }]
  })
  return { ...OK, body: JSON.stringify({ results: Object.fromEntries(results) }), words }
}

/** An answer in plain text. */
export function says(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body, headers }
}

const BODILESS = /^(1\d\d|204|304)$/

/** The bytes of an answer that has an end: its head and its body. */
export function bytesOf({
  status = 200,
  reason = 'Reason',
  version = '1.1',
  headers = {},
  body = '',
}: Answer) {
  const payload = typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const measured = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line))
  if (!measured && !BODILESS.test(String(status))) lines.push(`Content-Length: ${payload.length}`)
  const head = Buffer.from(
    `HTTP/${version} ${status}${reason && ` ${reason}`}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
    'latin1',
  )
  return { head, payload }
}
