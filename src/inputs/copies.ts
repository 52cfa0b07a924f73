import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fileError } from '../store/file-error.ts'
import { isS3 } from '../store/s3-location.ts'
import { groupedBy } from '../text/lists.ts'
import type { InputFile } from './input-file.ts'

/**
 * The files that hold the very bytes of another, each with that one. Only files of one size are read; objects of a bucket are
 * compared by their etags.
 */
export async function copiesOf(inputs: readonly InputFile[]): Promise<Array<[copy: string, of: string]>> {
  // The members of an archive share its path.
  const files = [...new Map(inputs.map((input) => [input.path, input])).values()]
  const copies: Array<[string, string]> = []
  for (const alike of groupedBy(files, ({ size, member }) => member?.archiveBytes ?? size).values()) {
    if (alike.length === 1) continue
    const seen = new Map<string, string>()
    // "a (1).csv" is the copy of "a.csv".
    for (const { path, etag } of alike.sort((a, b) => a.path.length - b.path.length)) {
      const print = isS3(path) ? (etag ?? path) : await sha256Of(path)
      const first = seen.get(print)
      if (first === undefined) seen.set(print, path)
      else copies.push([path, first])
    }
  }
  return copies
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash).catch((error: unknown) => {
    throw fileError(error, 'read', path)
  })
  return hash.digest('hex')
}
