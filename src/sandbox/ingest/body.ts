import type { IncomingMessage } from 'node:http'

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
