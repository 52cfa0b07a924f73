import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { cutShort } from './vendor-error.ts'

/** Compresses a stream. */
export function gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  return through(body, createGzip())
}

/** Decompresses a stream. One that is cut short, or was never gzip, is an error of the fate `retry`. */
export async function* gunzipped(body: AsyncIterable<Buffer>, whose: string): AsyncGenerator<Buffer> {
  try {
    yield* through(body, createGunzip())
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error
    throw cutShort(
      `${whose}: the compressed data is damaged or cut short (${(error as Error).message})`,
      error,
    )
  }
}

async function* through(body: AsyncIterable<Buffer>, transform: Duplex): AsyncGenerator<Buffer> {
  // An error of the source destroys the transform, so that the loop below meets it.
  const piping = pipeline(body, transform)
  piping.catch(() => undefined)
  yield* transform as AsyncIterable<Buffer>
  await piping
}
