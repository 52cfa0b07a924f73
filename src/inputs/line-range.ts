import { readFileThrough } from '../store/read-through.ts'
import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import type { InputFile } from './input-file.ts'
import { becameShorter, type Progress, readRange } from './open-bytes.ts'

const LF = 0x0a

/** The bytes of some of a file's lines, and where in the file they begin. */
export interface LineRange {
  readonly offset: number
  /** A chunk's bytes are gone when the next one is asked for: see `readFileThrough`. */
  readonly bytes: AsyncIterable<Buffer>
}

/** The lines that start in a range of a plain file: ranges in a row share no line and leave none out. */
export async function openLines(input: InputFile, range: ByteRange, progress?: Progress): Promise<LineRange> {
  const start = await lineStart(input, range.start)
  const end = await lineStart(input, range.end)
  return { offset: start, bytes: readThrough(input, { start, end }, progress) }
}

/** The first line start at or after an offset; the file's size when there is none. */
async function lineStart(input: InputFile, offset: number): Promise<number> {
  if (offset <= 0) return 0
  let at = offset - 1
  for await (const chunk of readRange(input, { start: at, end: input.size })) {
    const found = chunk.indexOf(LF)
    if (found !== -1) return at + found + 1
    at += chunk.length
  }
  return input.size
}

async function* readThrough(input: InputFile, range: ByteRange, progress?: Progress): AsyncGenerator<Buffer> {
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
