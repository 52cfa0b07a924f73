import { readFileThrough } from '../store/read-through.ts'
import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import type { InputFile } from './input-file.ts'
import { becameShorter, type Progress, readRange } from './open-bytes.ts'

/**
 * A range of the file itself, for readers that are done with a chunk when they ask for the next one: see
 * `readFileThrough`.
 */
export async function* readThrough(
  input: InputFile,
  range: ByteRange,
  progress?: Progress,
): AsyncGenerator<Buffer> {
  if (isS3(input.path)) {
    yield* readRange(input, range, progress)
    return
  }
  let at = range.start
  for await (const chunk of readFileThrough(input.path, range.start, range.end)) {
    at += chunk.length
    progress?.(chunk.length)
    yield chunk
  }
  if (at < range.end) throw becameShorter(input)
}
