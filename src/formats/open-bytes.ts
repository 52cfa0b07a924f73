import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { fileError } from '../store/file-error.ts'
import type { ByteRange } from '../store/store.ts'
import { gunzip } from './gunzip.ts'
import type { InputFile } from './input.ts'

const READ_BYTES = 256 * 1024

/** Counts the bytes of the file itself, before unpacking, as they are read. */
export type Progress = (bytes: number) => void

/** An input's bytes, unpacked. Fails when the file is shorter than it was when it was listed. */
export function openBytes(input: InputFile, progress?: Progress): AsyncIterable<Buffer> {
  const whole = readRange(input, { start: 0, end: input.size }, progress)
  if (input.compression === 'none') return whole
  return gunzip(whole, input.path, (start) => readRange(input, { start, end: input.size }))
}

/** A range of the file itself. Its bytes are the reader's own, to be kept or changed. */
export async function* readRange(
  input: InputFile,
  range: ByteRange,
  progress?: Progress,
): AsyncGenerator<Buffer> {
  if (range.end <= range.start) return
  const stream = createReadStream(input.path, {
    start: range.start,
    end: range.end - 1,
    highWaterMark: READ_BYTES,
  })
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      progress?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw fileError(error, 'read', input.path)
  }
  if (bytes < range.end - range.start) throw becameShorter(input)
}

/** The error of an input that has fewer bytes than it had when it was listed. */
export function becameShorter(input: InputFile): PosthaulError {
  return new PosthaulError(`${input.path} became shorter while it was read`, {
    code: 'input',
    hint: 'let nothing write to the inputs, then run the same command again',
  })
}

/** The first bytes of a file, at most `limit`. */
export async function readHead(path: string, limit: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      const head = Buffer.alloc(limit)
      let length = 0
      for (;;) {
        const { bytesRead } = await file.read(head, length, limit - length)
        length += bytesRead
        if (bytesRead === 0 || length === limit) return head.subarray(0, length)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}
