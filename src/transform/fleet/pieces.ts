import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'
import type { FleetPiece } from './done-file.ts'

/** How many pieces are read from the store at the same time. */
const AT_ONCE = 8

/** The bytes of a small piece. Code `mismatch` if they are not those that were written. */
export async function loadPiece(store: Store, piece: FleetPiece): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readPiece(store, piece)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** The bytes of a piece. Code `mismatch`, at its end, if they are not those that were written. */
export async function* readPiece(store: Store, piece: FleetPiece): AsyncGenerator<Buffer> {
  const { file, offset, bytes, crc } = piece
  let [length, found] = [0, 0]
  for await (const chunk of store.read(file, { start: offset, end: offset + bytes })) {
    length += chunk.length
    found = crc32(chunk, found)
    yield chunk
  }
  if (length === bytes && found === crc) return
  throw new PosthaulError(`${store.address(file)} is not as it was written: something changed it`, {
    code: 'mismatch',
    hint: `run the task that wrote it again: posthaul fleet run ${taskWords(file)}`,
  })
}

/** `map --index 12`, from the name of a file of that task. */
function taskWords(file: string): string {
  const [stage = '', index = ''] = file.split('/')
  return `${stage} --index ${Number.parseInt(index, 10)}`
}

/**
 * Copies pieces into one file of this machine, one after the other. Returns of each where it begins there. Code `mismatch` if
 * one is not as it was written.
 */
export async function fetchPieces(
  store: Store,
  pieces: readonly FleetPiece[],
  folder: string,
  name: string,
  progress: (bytes: number) => void = () => {},
): Promise<number[]> {
  const starts: number[] = []
  let end = 0
  for (const { bytes } of pieces) {
    starts.push(end)
    end += bytes
  }
  const file = await open(join(folder, name), 'w', 0o600)
  try {
    const limit = pLimit(AT_ONCE)
    let failed = false
    const copy = async (piece: FleetPiece, at: number) => {
      let position = starts[at]!
      for await (const chunk of readPiece(store, piece)) {
        // What is under way ends before the file is closed.
        if (failed) return
        for (let done = 0; done < chunk.length; ) {
          done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten
        }
        position += chunk.length
        progress(chunk.length)
      }
    }
    const ended = await Promise.allSettled(
      pieces.map((piece, at) =>
        limit(async () => {
          if (failed) return
          await copy(piece, at).catch((error: unknown) => {
            failed = true
            throw error
          })
        }),
      ),
    )
    const first = ended.find(({ status }) => status === 'rejected')
    if (first?.status === 'rejected') throw first.reason
  } finally {
    await file.close()
  }
  return starts
}
