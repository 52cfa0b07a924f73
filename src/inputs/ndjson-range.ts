import type { ByteRange } from '../store/store.ts'
import type { InputFile } from './input-file.ts'
import { readRange } from './open-bytes.ts'

const LF = 0x0a

/** The bytes of the lines that start in a range: ranges that follow one another share no line and leave none out. */
export async function ownedRange(input: InputFile, { start, end }: ByteRange): Promise<ByteRange> {
  return { start: await lineStart(input, start), end: await lineStart(input, end) }
}

/** The first line start at or behind an offset; the file's size when there is none. */
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
