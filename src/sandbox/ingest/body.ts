import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Refusal } from './refusal.ts'

const MAX_WIRE_BYTES = 20 * 1024 * 1024
const MAX_BODY_BYTES = 100 * 1024 * 1024

const unzip = promisify(gunzip)

/** Reads a request's body and unpacks it; Refusal (413) past the limits. Undefined when the client went away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      // Beyond the limit the rest is read and dropped, because a client that is still sending would not see an answer.
      if (length <= MAX_WIRE_BYTES) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return undefined
  }
  if (length > MAX_WIRE_BYTES) throw tooLarge('Request body', MAX_WIRE_BYTES)
  return unpack(Buffer.concat(chunks, length), request.headers['content-encoding'])
}

async function unpack(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b && body[2] === 8
  if (!isGzip && encoding?.toLowerCase() !== 'gzip') return body
  try {
    return await unzip(body, { maxOutputLength: MAX_BODY_BYTES })
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
