import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 1024 * 1024

/**
 * Unpacks gzip, several members in a row too, and hands out what stands from `offset` of the text on. `rest` reads
 * the packed bytes from a place on.
 */
export async function* unpack(
  packed: AsyncIterable<Buffer>,
  offset: number,
  rest: (from: number) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES })
  // The callback only keeps the pipeline's error from being thrown twice: the loop below meets it as well.
  const text = pipeline(packed, unzip, () => undefined) as Readable
  let at = 0
  for await (const chunk of text as AsyncIterable<Buffer>) {
    at += chunk.length
    if (at > offset) yield chunk.subarray(Math.max(0, chunk.length - (at - offset)))
  }
  // The unpacker stops at zeros behind a member, as tapes and block devices add them. More behind them is lost events.
  for await (const chunk of rest(unzip.bytesWritten)) {
    if (chunk.some((byte) => byte !== 0)) throw new Error('something stands behind the end of its gzip data')
  }
}
