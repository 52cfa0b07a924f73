import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { writeFileAtomic } from '../store/atomic-file.ts'
import { errnoOf, fileError } from '../store/file-error.ts'

/** A page of records, and where the one after it is. */
export interface RecordPage {
  /** A JSON object each, with its line end. */
  readonly lines: readonly string[]
  /** The same for two pages of the same records. */
  readonly fingerprint: string
  /** What to ask the next page by; null after the last. */
  readonly next: string | null
}

/** Where a reader of pages begins, and the fingerprints of pages that it must not meet again. */
export interface ReadFrom {
  readonly next: string | undefined
  readonly seen: readonly string[]
}

/**
 * `<path>.json`: how much of the file of records at `path` is whole pages, and where the next page is.
 *
 * What it proves. It is written after the page's records are synced, so the first `bytes` of the file are the records
 * of all pages in `seen`, and of no other.
 *
 * The crash cases. Killed while a page is written, or before this file says so: what follows the first `bytes` is cut
 * off, and that page is asked for again. A file of records that is shorter than this says was not ours to lose: all is
 * asked for again.
 */
const keptSchema = z.strictObject({
  bytes: z.int().nonnegative(),
  records: z.int().nonnegative(),
  seen: z.array(z.string()),
  next: z.string().nullable(),
})

type Kept = Omit<z.infer<typeof keptSchema>, 'next'> & { readonly next: string | null | undefined }

const NOTHING: Kept = { bytes: 0, records: 0, seen: [], next: undefined }

/**
 * Reads all pages of records into the file at `path`, and then gives the file's bytes. A call that follows one that was
 * cut short goes on after its last whole page. `onPage` is told how many records there are so far.
 */
export async function* keptPages(
  path: string,
  read: (from: ReadFrom) => AsyncIterable<RecordPage>,
  onPage: (records: number) => void,
): AsyncGenerator<Buffer> {
  const file = await openKept(path)
  try {
    let kept = await findKept(path, file)
    await file.truncate(kept.bytes)
    const pages = kept.next === null ? [] : read({ next: kept.next, seen: kept.seen })
    for await (const page of pages) {
      kept = await keep(path, file, kept, page)
      onPage(kept.records)
    }
  } finally {
    await file.close()
  }
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

/** Removes what is kept at `path`: the next call begins anew. */
export async function forgetPages(path: string): Promise<void> {
  for (const name of [`${path}.json`, path]) await rm(name, { force: true })
}

async function keep(path: string, file: FileHandle, before: Kept, page: RecordPage): Promise<Kept> {
  const bytes = Buffer.from(page.lines.join(''))
  try {
    await file.appendFile(bytes)
    await file.datasync()
  } catch (error) {
    throw fileError(error, 'write', path)
  }
  const kept = {
    bytes: before.bytes + bytes.length,
    records: before.records + page.lines.length,
    seen: [...before.seen, page.fingerprint],
    next: page.next,
  }
  await writeFileAtomic(`${path}.json`, JSON.stringify(kept))
  return kept
}

async function openKept(path: string): Promise<FileHandle> {
  return open(path, 'a').catch((error) => {
    throw fileError(error, 'write', path)
  })
}

async function findKept(path: string, file: FileHandle): Promise<Kept> {
  try {
    const kept = keptSchema.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')))
    return kept.bytes > (await file.stat()).size ? NOTHING : kept
  } catch (error) {
    // Not there yet, or written by another version of posthaul.
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError || error instanceof z.ZodError)
      return NOTHING
    throw fileError(error, 'read', `${path}.json`)
  }
}
