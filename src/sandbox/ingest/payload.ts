import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
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

const unzip = promisify(gunzip)

/** The JSON of a request, unzipped where a header or its first bytes say so. Refusal if it can't be, or is past the limits. */
export async function readPayload({ bytes, isWhole }: Wire, encoding: string | undefined): Promise<Buffer> {
  if (!isWhole) throw tooLarge('Request body', MAX_WIRE_BYTES)
  if (bytes.length === 0) throw new Refusal(400, 'request missing data payload')
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
  if (!isGzip && encoding?.toLowerCase() !== 'gzip') return bytes
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
