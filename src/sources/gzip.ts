import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { GzipFault, gunzip } from '../store/index.ts'
import { cutShort } from './vendor-error.ts'

/** Compresses a stream. */
export async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip()
  // An error of the body destroys the compressor, so the loop below throws it. Here it would be unhandled.
  const piping = pipeline(body, gzip)
  piping.catch(() => undefined)
  yield* gzip as AsyncIterable<Buffer>
  await piping
}

/** Decompresses a stream. Throws an error with the fate `retry` if it is cut short or not gzip. */
export async function* gunzipped(body: AsyncIterable<Buffer>, whose: string): AsyncGenerator<Buffer> {
  try {
    yield* gunzip(body)
  } catch (error) {
    if (!(error instanceof GzipFault)) throw error
    throw cutShort(`${whose}: the compressed data is damaged or cut short (${error.message})`, error)
  }
}
