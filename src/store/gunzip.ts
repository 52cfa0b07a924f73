import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, type Gunzip, gunzipSync } from 'node:zlib'
import { KIB } from '../text/units.ts'
import { errnoOf } from './file-error.ts'

const CHUNK_BYTES = 256 * KIB

/** Why gzip data cannot be unpacked to its end. Callers say whose data it is and what to do. */
export class GzipFault extends Error {
  /** True when the data ends in the middle; otherwise it is damaged, or never was gzip. */
  readonly cut: boolean

  constructor(message: string, cut: boolean, cause?: unknown) {
    super(message, { cause })
    this.name = 'GzipFault'
    this.cut = cut
  }
}

/** True for the first bytes of a gzip file. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

/** Unpacks as much as the first bytes of a gzip file give. `GzipFault` when they are damaged. */
export function gunzipHead(head: Buffer): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    throw faultOf(error)
  }
}

/**
 * Unpacks a gzip stream of one member or many, and hands out what comes from byte `from` of the text on. `GzipFault`
 * for data that ends in the middle, is damaged, or goes on after its last member with anything but zeros, which tapes
 * and block devices add: a cut download must never look like a short file. Other errors are the source's own.
 */
export async function* gunzip(packed: AsyncIterable<Buffer>, from = 0): AsyncGenerator<Buffer> {
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const feed = new Feed(unzip)
  const feeding = pipeline(feed.pass(packed), unzip)
  // A failure of the source destroys the unpacker, so that the loop below meets it.
  feeding.catch(() => undefined)
  let at = 0
  try {
    // Not destroyed at the end of the text: what comes after it in the packed data is still to be read.
    for await (const chunk of unzip.iterator({ destroyOnReturn: false })) {
      at += chunk.length
      if (at > from) yield chunk.subarray(Math.max(0, chunk.length - (at - from)))
    }
    await feeding
    feed.assertTaken()
  } catch (error) {
    throw faultOf(error)
  } finally {
    unzip.destroy()
  }
}

/** Feeds an unpacker, and keeps what it has not taken: it stops at zeros after a member, whatever follows them. */
class Feed {
  readonly #unzip: Gunzip
  readonly #kept: Array<{ readonly chunk: Buffer; readonly end: number }> = []
  #fed = 0

  constructor(unzip: Gunzip) {
    this.#unzip = unzip
  }

  async *pass(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of packed) {
      if (this.#unzip.readableEnded) assertZeros(chunk)
      else {
        while (this.#kept[0] && this.#kept[0].end <= this.#unzip.bytesWritten) this.#kept.shift()
        this.#fed += chunk.length
        this.#kept.push({ chunk, end: this.#fed })
        yield chunk
      }
    }
  }

  /** Fails when the unpacker left anything but zeros. */
  assertTaken(): void {
    for (const { chunk, end } of this.#kept) {
      const left = Math.min(chunk.length, end - this.#unzip.bytesWritten)
      if (left > 0) assertZeros(chunk.subarray(chunk.length - left))
    }
  }
}

function assertZeros(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw trailing()
}

function trailing(cause?: unknown): GzipFault {
  return new GzipFault('there is data after its end', false, cause)
}

function faultOf(error: unknown): unknown {
  const code = errnoOf(error)
  if (code === 'Z_BUF_ERROR') return new GzipFault('it ends in the middle', true, error)
  // The unpacker met a member after zeros, and was at its end already.
  if (code === 'ERR_STREAM_PUSH_AFTER_EOF') return trailing(error)
  return code?.startsWith('Z_') ? new GzipFault((error as Error).message, false, error) : error
}
