import { gunzipSync } from 'node:zlib'

/** An event as it came, in the very bytes. */
export interface ReceivedEvent {
  readonly uuid: string
  readonly distinctId: string
  readonly bytes: Buffer
}

/** How far an answer came: `read` is known once the client uses the connection again. */
export type Reply = 'none' | 'begun' | 'written' | 'read'

/** One request, and what became of it. */
export class Received {
  /** From 0, in the order in which the heads came. */
  readonly n: number
  /** The connection's number, from 0. */
  readonly connection: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** When its head came: of the wall clock, and of a clock that never goes back. */
  readonly wall = Date.now()
  readonly mono = performance.now()
  /** The body as it came over the wire. */
  packed = Buffer.alloc(0)
  /** The whole body came. */
  whole = false
  /** The body unpacked; empty until it is whole. */
  body = Buffer.alloc(0)
  events: readonly ReceivedEvent[] = []
  /** The service has kept the events; of Capture V1, those that it did not say otherwise of. */
  stored = false
  /** What Capture V1 says of each event, by its uuid. */
  words: ReadonlyMap<string, string> | undefined
  /** The answer acknowledges the events: its status and words are those of the real service. */
  acknowledges = false
  status: number | undefined
  reply: Reply = 'none'

  constructor(n: number, connection: number, head: string) {
    const [first = '', ...lines] = head.split('\r\n')
    const [method = '', path = ''] = first.split(' ')
    this.n = n
    this.connection = connection
    this.method = method
    this.path = path
    this.headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
  }

  /** By Capture V1, whose answer has a word for each event. */
  get isV1(): boolean {
    return this.path === V1_PATH
  }

  /** The events that the service has kept. */
  get kept(): readonly ReceivedEvent[] {
    if (!this.stored) return []
    return this.events.filter(({ uuid }) => isKept(this.words?.get(uuid) ?? 'ok'))
  }

  /** Call it when the whole body has come. */
  complete(): void {
    this.whole = true
    this.body = this.headers['content-encoding'] === 'gzip' ? gunzipSync(this.packed) : this.packed
    if (this.method === 'POST') this.events = eventsIn(this.body)
  }
}

/** What Capture V1 says of an event that it has kept. */
export function isKept(word: string): boolean {
  return /^(ok|warning)\b/.test(word)
}

export const V1_PATH = '/i/v1/analytics/events'

const BATCH = Buffer.from('"batch":[')
const [QUOTE, BACKSLASH, COMMA, CLOSE] = [0x22, 0x5c, 0x2c, 0x5d]
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])

/** The events of a request's body. They are cut out, not parsed: parsing would bend their numbers. */
export function eventsIn(body: Buffer): ReceivedEvent[] {
  const events: ReceivedEvent[] = []
  const found = body.indexOf(BATCH)
  if (found === -1) throw new Error(`a body without a batch: ${body.toString('utf8', 0, 200)}`)
  let [start, depth, quoted] = [found + BATCH.length, 0, false]
  const add = (end: number) => {
    if (end === start) return
    const bytes = body.subarray(start, end)
    const { uuid, distinct_id } = JSON.parse(bytes.toString('utf8')) as Record<string, string>
    events.push({ uuid: uuid!, distinctId: distinct_id!, bytes })
  }
  for (let i = start; i < body.length; i++) {
    const byte = body[i]!
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (depth === 0 && (byte === COMMA || byte === CLOSE)) {
      add(i)
      if (byte === CLOSE) return events
      start = i + 1
    } else if (OPENING.has(byte)) depth++
    else if (CLOSING.has(byte)) depth--
  }
  throw new Error('a batch without an end')
}
