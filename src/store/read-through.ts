import { type FileHandle, open } from 'node:fs/promises'
import { KIB } from '../text/index.ts'
import { fileError } from './file-error.ts'

const CHUNK_BYTES = 512 * KIB
/** Chunks that no reader has. A transform reads hundreds of ranges one after the other. */
const spare: Buffer[] = []

/**
 * A local file's bytes from `start` to `end`, or to the file's end if that comes first, through two buffers: a chunk's
 * bytes are gone when the next one is asked for. The next chunk is read while one is worked on. New memory for every
 * chunk would cost more than the reading.
 */
export async function* readFileThrough(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  if (end <= start) return
  let [chunk, next] = [takeChunk(), takeChunk()]
  const reading = <T>(act: Promise<T>) =>
    act.catch((error: unknown) => {
      throw fileError(error, 'read', path)
    })
  const file = await reading(open(path, 'r'))
  try {
    let at = start
    let coming = fill(file, chunk, at, end)
    for (;;) {
      const length = await reading(coming)
      if (length === 0) return
      at += length
      coming = fill(file, next, at, end)
      yield chunk.subarray(0, length)
      ;[chunk, next] = [next, chunk]
    }
  } finally {
    // It waits for a read that is under way.
    await file.close()
    spare.push(chunk, next)
  }
}

function takeChunk(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
}

/** Bytes read at `at`; 0 at the end. A failure reaches the caller when it awaits the result. */
function fill(file: FileHandle, chunk: Buffer, at: number, end: number): Promise<number> {
  const wanted = Math.min(chunk.length, end - at)
  if (wanted === 0) return Promise.resolve(0)
  const read = file.read(chunk, 0, wanted, at).then(({ bytesRead }) => bytesRead)
  read.catch(() => undefined)
  return read
}
