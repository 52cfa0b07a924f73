import { createHash } from 'node:crypto'
import { MIB } from '../text/index.ts'
import type { Body, Put } from './store.ts'

/** All parts of an upload but the last must have 5 MiB, and there may be 10,000 of them: later ones are larger. */
const PIECE_BYTES = 8 * MIB
const LARGE_AFTER = 1000
const LARGE_PIECE_BYTES = 64 * MIB

/** A piece of a body, for one part of an upload; the last one may be smaller. */
export interface S3Piece {
  readonly bytes: Buffer
  readonly last: boolean
}

/** A body cut into pieces, hashed on the way. */
export interface Pieces extends AsyncGenerator<S3Piece, void, void> {
  /** Size and sha256 of what has been read so far. */
  sum(): Omit<Put, 'version'>
  /** True for an error that the body itself threw. */
  failed(error: unknown): boolean
}

/**
 * Cuts a body into pieces; an empty body has none. A piece is valid until the next one is asked for: all use one
 * buffer, as the chunks of bodies do.
 */
export function piecesOf(body: Body): Pieces {
  const hash = createHash('sha256')
  let bytes = 0
  let failure: { readonly error: unknown } | undefined
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body instanceof Uint8Array ? [body] : body) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  return Object.assign(cut(read()), {
    sum: () => ({ bytes, sha256: hash.copy().digest('hex') }),
    failed: (error: unknown) => failure !== undefined && failure.error === error,
  })
}

async function* cut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<S3Piece, void, void> {
  let held: Buffer = Buffer.alloc(0)
  let length = 0
  let count = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const limit = count < LARGE_AFTER ? PIECE_BYTES : LARGE_PIECE_BYTES
      // More bytes follow, so this piece is not the last one.
      if (length === limit) {
        yield { bytes: held.subarray(0, length), last: false }
        count++
        length = 0
      }
      const taken = Math.min(limit - length, chunk.length - at)
      held = withRoom(held, length, length + taken, limit)
      held.set(chunk.subarray(at, at + taken), length)
      length += taken
      at += taken
    }
  }
  if (length > 0) yield { bytes: held.subarray(0, length), last: true }
}

/** The buffer, or a larger one with its first bytes: small files do not take a whole piece's memory. */
function withRoom(held: Buffer, filled: number, wanted: number, limit: number): Buffer {
  if (wanted <= held.length) return held
  const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(wanted, 2 * held.length)))
  held.copy(larger, 0, 0, filled)
  return larger
}
