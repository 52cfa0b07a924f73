import { open } from 'node:fs/promises'
import { fileError } from '../store/file-error.ts'
import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import type { InputFile } from './input.ts'
import { becameShorter, type Progress, readRange } from './open-bytes.ts'

const CHUNK_BYTES = 1 << 20

/**
 * A range of the file itself, all of it through one buffer: a chunk's bytes are gone when the next one is asked for.
 * For readers that are done with a chunk by then; fresh memory for each costs more than reading into it.
 */
export async function* readThrough(
  input: InputFile,
  { start, end }: ByteRange,
  progress?: Progress,
): AsyncGenerator<Buffer> {
  if (end <= start) return
  if (isS3(input.path)) {
    yield* readRange(input, { start, end }, progress)
    return
  }
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - start))
  const reading = <T>(act: Promise<T>) =>
    act.catch((error: unknown) => {
      throw fileError(error, 'read', input.path)
    })
  const file = await reading(open(input.path, 'r'))
  try {
    for (let at = start; at < end; ) {
      const { bytesRead } = await reading(file.read(chunk, 0, Math.min(chunk.length, end - at), at))
      if (bytesRead === 0) throw becameShorter(input)
      at += bytesRead
      progress?.(bytesRead)
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
