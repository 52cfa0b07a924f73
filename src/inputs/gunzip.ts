import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { PosthaulError } from '../errors.ts'
import { errnoOf } from '../store/file-error.ts'

const CHUNK_BYTES = 256 * 1024

/** True for the first bytes of a gzip file. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

/** Unpacks as much as the first bytes of a gzip file give. */
export function gunzipHead(head: Buffer, path: string): Buffer {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    throw damaged(error, path)
  }
}

/**
 * Unpacks a gzip stream, of one member or many. Data that ends in the middle or is damaged is an error that names
 * the file: a cut download must never look like a short file. `rest` reads the packed bytes from a place on.
 */
export async function* gunzip(
  packed: AsyncIterable<Buffer>,
  path: string,
  rest: (from: number) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const feeding = pipeline(packed, unzip)
  // What goes wrong in feeding reaches the loop below through the stream.
  feeding.catch(() => undefined)
  try {
    for await (const chunk of unzip) yield chunk as Buffer
  } catch (error) {
    throw damaged(error, path)
  } finally {
    unzip.destroy()
  }
  // The unpacker stops at zeros behind a member, which tapes and block devices add. More behind them is lost data.
  for await (const chunk of rest(unzip.bytesWritten)) {
    if (chunk.some((byte) => byte !== 0)) throw damaged(new Error('data behind its end'), path)
  }
}

function damaged(error: unknown, path: string): unknown {
  if (error instanceof PosthaulError || !(error instanceof Error)) return error
  const cut = errnoOf(error) === 'Z_BUF_ERROR'
  return new PosthaulError(
    cut
      ? `${path} is cut short: its gzip data ends in the middle`
      : `${path} is damaged gzip data: ${error.message}`,
    { code: 'input', hint: 'fetch or copy the file again; nothing was made from it', cause: error },
  )
}
