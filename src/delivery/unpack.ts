import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 1024 * 1024

/** Unpacks gzip, several members in a row too, and hands out what stands from `offset` of the text on. */
export async function* unpack(packed: AsyncIterable<Buffer>, offset: number): AsyncGenerator<Buffer> {
  // The callback only keeps the pipeline's error from being thrown twice: the loop below meets it as well.
  const text = pipeline(packed, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined) as Readable
  let at = 0
  for await (const chunk of text as AsyncIterable<Buffer>) {
    at += chunk.length
    if (at > offset) yield chunk.subarray(Math.max(0, chunk.length - (at - offset)))
  }
}
