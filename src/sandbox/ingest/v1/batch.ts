import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import type { Wire } from '../payload.ts'
import { parseBody, Refusal } from '../strict-json.ts'
import { parseRfc3339 } from '../time.ts'
import { V1Refusal } from './error.ts'

/** An event whose members are of the right JSON types; `options` and `properties` may be anything. */
const eventSchema = z.object({
  event: z.string(),
  uuid: z.string(),
  distinct_id: z.string(),
  timestamp: z.string(),
  session_id: z.string().nullable().default(null),
  window_id: z.string().nullable().default(null),
  options: z.unknown().optional(),
  properties: z.unknown().optional(),
})

const envelopeSchema = z.object({
  created_at: z.string(),
  historical_migration: z.boolean().default(false),
  capture_internal: z.boolean().nullish(),
  batch: z.array(eventSchema),
})

export type V1Event = z.infer<typeof eventSchema>

/** Reads a Capture V1 body. One member of a wrong type refuses all of it. */
export function readBatch(body: Buffer): {
  readonly historical: boolean
  readonly events: readonly V1Event[]
} {
  const envelope = envelopeSchema.safeParse(parse(body))
  if (!envelope.success) throw unparsable()
  const { created_at: createdAt, historical_migration: historical, batch: events } = envelope.data
  if (events.length === 0) throw new V1Refusal('empty_batch', 'request batch is empty')
  if (parseRfc3339(createdAt) === undefined) {
    throw new V1Refusal('invalid_batch', `invalid batch: created_at is not valid RFC 3339: ${createdAt}`)
  }
  return { historical, events }
}

function parse(body: Buffer): unknown {
  try {
    return parseBody(body, 'v1').value
  } catch (error) {
    if (error instanceof Refusal) throw unparsable()
    throw error
  }
}

function unparsable(): V1Refusal {
  return new V1Refusal('request_parsing_error', 'Failed to parse request body.')
}

/** The most bytes that a Capture V1 request may have on the wire. */
export const MAX_V1_WIRE_BYTES = 10 * 1024 * 1024
const MAX_BODY_BYTES = 50 * 1024 * 1024

const unzip = promisify(gunzip)

/** Unpacks a Capture V1 body by its Content-Encoding alone. V1Refusal for one that is empty, broken or too large. */
export async function unpackV1({ bytes, isWhole }: Wire, encoding: string | undefined): Promise<Buffer> {
  if (!isWhole) throw tooLarge(`Request body exceeds limit of ${MAX_V1_WIRE_BYTES} bytes`)
  if (bytes.length === 0) throw new V1Refusal('empty_body', 'request body is empty')
  if (encoding === undefined) return bytes
  if (encoding !== 'gzip') {
    throw new V1Refusal('unsupported_encoding', `unsupported content encoding of the sandbox: ${encoding}`)
  }
  try {
    // A body that reaches the limit is too large already.
    return await unzip(bytes, { maxOutputLength: MAX_BODY_BYTES - 1 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new V1Refusal('request_decoding_error', 'Failed to decode request body.')
    }
    throw tooLarge(`decompressed ${encoding} payload exceeds limit of ${MAX_BODY_BYTES} bytes`)
  }
}

function tooLarge(what: string): V1Refusal {
  return new V1Refusal('payload_too_large', `payload too large: ${what}`)
}
