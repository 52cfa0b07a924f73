import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileError } from '../store/file-error.ts'
import { isS3 } from '../store/s3-location.ts'
import { groupedBy } from '../text/lists.ts'
import type { InputFile } from './input-file.ts'
import { openBytes } from './open-bytes.ts'

/**
 * The files that hold the very bytes of another, each with that one: files of one size, and those of one name that are packed in
 * different ways, unpacked. Partitions, whose folders say a column, are no copies. Objects of a bucket of one size are compared by their etags.
 */
export async function copiesOf(inputs: readonly InputFile[]): Promise<Array<[copy: string, of: string]>> {
  // The members of an archive share its path.
  const files = [...new Map(inputs.map((input) => [input.path, input])).values()]
  const copies = new Map<string, string>()
  const compare = async (alike: readonly InputFile[], printOf: (input: InputFile) => Promise<string>) => {
    const seen = new Map<string, string>()
    // "a (1).csv" is the copy of "a.csv".
    for (const input of alike.toSorted((a, b) => a.path.length - b.path.length)) {
      const print = [await printOf(input), ...partitionsOf(input.path)].join('/')
      const first = seen.get(print)
      if (first === undefined) seen.set(print, input.path)
      else if (first !== input.path) copies.set(input.path, first)
    }
  }
  const packed = ({ path, etag }: InputFile) =>
    isS3(path) ? Promise.resolve(etag ?? path) : sha256Of(path, createReadStream(path))
  for (const alike of groupedBy(files, ({ size, member }) => member?.archiveBytes ?? size).values())
    if (alike.length > 1) await compare(alike, packed)
  const nameOf = ({ name }: InputFile) => basename(name).replace(/\.(?:gz|br)$/i, '')
  const formOf = ({ compression, member }: InputFile) => `${compression} ${member !== undefined}`
  for (const alike of groupedBy(inputs, nameOf).values())
    if (new Set(alike.map(formOf)).size > 1)
      await compare(alike, (input) => sha256Of(input.path, openBytes(input)))
  return [...copies]
}

async function sha256Of(path: string, bytes: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(bytes, hash).catch((error: unknown) => {
    throw fileError(error, 'read', path)
  })
  return hash.digest('hex')
}

/** The folders right above a file whose names say a column's value, as Hive and Spark write them: `country=AT`, `dt=2024-03-01`. */
export function partitionsOf(path: string): string[] {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(folders.findLastIndex((name) => !/^[^=]+=./.test(name)) + 1)
}
