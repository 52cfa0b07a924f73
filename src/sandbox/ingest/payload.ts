import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { EventContext } from './event.ts'
import { Refusal } from './strict-json.ts'

/** The most bytes that a request may have on the wire. */
export const MAX_WIRE_BYTES = 20 * 1024 * 1024

/** A body as it came over the wire; undefined when the client went away. `bytes` is empty past the limit. */
export async function readWire(request: IncomingMessage, limit: number) {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      // Beyond the limit the rest is read and dropped, because a client that is still sending would not see an answer.
      if (length <= limit) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return undefined
  }
  return { bytes: Buffer.concat(chunks), isWhole: length <= limit }
}

export type Wire = NonNullable<Awaited<ReturnType<typeof readWire>>>

const MAX_BODY_BYTES = 100 * 1024 * 1024
/** The last year whose query parameter can't be told from seconds. */
const EPOCH_SECONDS_YEAR = 2020
const FORM = 'application/x-www-form-urlencoded'
/** At least this many characters of nothing but base64 are taken for base64. */
const MIN_BASE64 = 16
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const unzip = promisify(gunzip)

/** What says how the body of a request to /batch/ and its kin is packed. */
interface Packing {
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly query: URLSearchParams
  /** True for the routes of old browsers, whose events may be base64 once they are unzipped. */
  readonly isLegacy: boolean
}

/** The JSON of a request: of its query (`data=`), its form or its body, unzipped and freed from base64. Refusal if it
 * can't be, or is past the limits. */
export async function readPayload({ bytes, isWhole }: Wire, packing: Packing): Promise<Buffer> {
  if (!isWhole) throw tooLarge('Request body', MAX_WIRE_BYTES)
  const inQuery = packing.query.get('data')
  const raw = fromBase64(inQuery ? Buffer.from(inQuery) : bytes)
  if (raw.length === 0) throw new Refusal(400, 'request missing data payload')
  const form = packing.contentType === FORM ? readForm(raw) : undefined
  const hint = form?.get('compression') ?? packing.query.get('compression') ?? packing.contentEncoding
  const data = form ? Buffer.from(form.get('data')?.replaceAll(' ', '+') ?? '') : raw
  const payload = await unpack(data, hint?.toLowerCase())
  return packing.isLegacy ? fromBase64(payload) : payload
}

/** The sender's clock as a query says it in milliseconds. */
export function sentAtOfQuery(query: URLSearchParams): EventContext['sentAt'] {
  const text = query.get('sent_at') ?? query.get('_') ?? ''
  const sent = new Date(/^\d{1,14}$/.test(text) ? Number(text) : Number.NaN)
  if (!(sent.getUTCFullYear() > EPOCH_SECONDS_YEAR)) return undefined
  return { micros: BigInt(sent.getTime()) * 1000n, text: sent.toISOString().replace(/\.?0*Z$/, 'Z') }
}

function readForm(bytes: Buffer): URLSearchParams {
  const form = new URLSearchParams(bytes.toString('latin1'))
  if (form.has('data')) return form
  throw new Refusal(400, 'failed to decode request: expected form data in POST request payload')
}

function fromBase64(bytes: Buffer): Buffer {
  // JSON and gzip begin with another byte.
  if (bytes.length < MIN_BASE64 || !BASE64.test(bytes.subarray(0, MIN_BASE64).toString('latin1')))
    return bytes
  const text = bytes.toString('latin1')
  return BASE64.test(text) ? Buffer.from(text, 'base64') : bytes
}

async function unpack(bytes: Buffer, hint: string | undefined): Promise<Buffer> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
  if (!isGzip && hint !== 'gzip' && hint !== 'gzip-js') return bytes
  try {
    return await unzip(bytes, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge('Decompressed payload', MAX_BODY_BYTES)
    }
    throw new Refusal(400, 'failed to decode request: invalid GZIP data')
  }
}

function tooLarge(what: string, limit: number): Refusal {
  return new Refusal(413, `maximum event size exceeded: ${what} would exceed ${limit} bytes`)
}
