import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Wire } from '../body.ts'
import { V1Refusal } from './error.ts'

/** The most bytes that a Capture V1 request may have on the wire. */
export const MAX_V1_WIRE_BYTES = 10 * 1024 * 1024
const MAX_BODY_BYTES = 50 * 1024 * 1024

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)
const zlibWrapped = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)
const rawDeflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw)

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip,
  br: brotli,
  deflate: (bytes, options) => (bytes[0] === 0x78 ? zlibWrapped : rawDeflate)(bytes, options),
  ...zstd(),
}

/** Unpacks a Capture V1 body by its Content-Encoding alone. V1Refusal for one that is empty, broken or too large. */
export async function unpackV1({ bytes, isWhole }: Wire, encoding: string | undefined): Promise<Buffer> {
  if (!isWhole) throw tooLarge(`Request body exceeds limit of ${MAX_V1_WIRE_BYTES} bytes`)
  if (bytes.length === 0) throw new V1Refusal('empty_body', 'request body is empty')
  if (encoding === undefined) return bytes
  const unpack = UNPACK[encoding]
  if (!unpack) {
    throw new V1Refusal('unsupported_encoding', `unsupported content encoding on this Node: ${encoding}`)
  }
  try {
    // A body that reaches the limit is too large already.
    return await unpack(bytes, { maxOutputLength: MAX_BODY_BYTES - 1 })
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

/** Zstandard, which Node has since 22.15. */
function zstd(): Readonly<Record<string, Unpack>> {
  const decompress: unknown = Reflect.get(zlib, 'zstdDecompress')
  if (typeof decompress !== 'function') return {}
  return {
    zstd: (bytes, options) =>
      new Promise((resolve, reject) => {
        decompress(bytes, options, (error: Error | null, body: Buffer) =>
          error ? reject(error) : resolve(body),
        )
      }),
  }
}
