import { type ByteRange, isS3, readFileThrough } from '../store/index.ts'
import { KIB } from '../text/index.ts'
import type { InputFile } from './input-file.ts'
import { type ByteProgress, becameShorter, readRange } from './open-bytes.ts'

const LF = 0x0a
/** Where a line ends is looked for in so many bytes first: a reader of more would read ahead, a megabyte in each unit. */
const LOOK_BYTES = 16 * KIB

/** The bytes of some of a file's lines, and where in the file they begin. */
export interface LineRange {
  readonly offset: number
  /** A chunk's bytes are gone when the next one is asked for: see `readFileThrough`. */
  readonly bytes: AsyncIterable<Buffer>
}

/** The lines that start in a range of a plain file: ranges in a row share no line and leave none out. */
export async function openLines(
  input: InputFile,
  range: ByteRange,
  progress?: ByteProgress,
): Promise<LineRange> {
  // No further than the range: every range inside one long line would look for the line's end again.
  const start = await lineStart(input, range.start, range.end)
  const end = start < range.end ? await lineStart(input, range.end, input.size) : start
  return { offset: start, bytes: readThrough(input, { start, end }, progress) }
}

/** The first line start from an offset on; `limit`, which is behind it, when there is none before. */
async function lineStart(input: InputFile, offset: number, limit: number): Promise<number> {
  if (offset <= 0) return 0
  let at = offset - 1
  for (let size = LOOK_BYTES; at < limit - 1; size *= 2) {
    for await (const chunk of readRange(input, { start: at, end: Math.min(at + size, limit - 1) })) {
      const found = chunk.indexOf(LF)
      if (found !== -1) return at + found + 1
      at += chunk.length
    }
  }
  return limit
}

async function* readThrough(
  input: InputFile,
  range: ByteRange,
  progress?: ByteProgress,
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
