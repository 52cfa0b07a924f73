import { createReadStream, existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { fileCell } from '../state/cell.ts'
import { CellKind } from '../state/cell-kind.ts'
import { LogTail } from '../state/log-file.ts'

export interface RecordPage {
  /** Each line is a JSON object with its line end. */
  readonly lines: readonly string[]
  /** A hash of the page: two pages of the same records have the same. */
  readonly fingerprint: string
  /** What to request the next page by; null on the last page. */
  readonly next: string | null
}

/** Where reading begins, and the fingerprints of the pages that were read before, which must not come again. */
export interface ReadFrom {
  readonly next: string | undefined
  readonly seen: readonly string[]
}

/**
 * `<path>.json`: how much of the file of records at `path` is whole pages, and where the next page is.
 *
 * What it proves. It is written after the page's records are synced, so the first `bytes` of the file are the records
 * of all pages in `seen`, and of no other page. What follows them is cut off, and that page is requested again. If the file
 * of records is shorter than `bytes`, something else changed it: all pages are requested again.
 */
const keptSchema = z.strictObject({
  bytes: z.int().nonnegative(),
  records: z.int().nonnegative(),
  seen: z.array(z.string()),
  next: z.string().nullable(),
})

export const KEPT_PAGES = new CellKind({ name: 'pages that are kept', schema: keptSchema, version: 1 })

type Kept = Omit<z.infer<typeof keptSchema>, 'next'> & { readonly next: string | null | undefined }

const NOTHING: Kept = { bytes: 0, records: 0, seen: [], next: undefined }

/**
 * Reads all pages of records into the file at `path`, and then yields the file's bytes. If an earlier call was cut
 * short, this one goes on after its last whole page. `onPage` is called with the number of records so far.
 */
export async function* keptPages(
  path: string,
  read: (from: ReadFrom) => AsyncIterable<RecordPage>,
  onPage: (records: number) => void,
): AsyncGenerator<Buffer> {
  let kept = await findKept(path)
  const tail = await LogTail.open(path, { synced: true, bytes: kept.bytes })
  try {
    await tail.cut()
    const pages = kept.next === null ? [] : read({ next: kept.next, seen: kept.seen })
    for await (const page of pages) {
      kept = await keep(tail, kept, page)
      onPage(kept.records)
    }
  } finally {
    await tail.close()
  }
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

/** Removes what is kept at `path`: the next call begins at the first page. */
export async function forgetPages(path: string): Promise<void> {
  for (const name of [`${path}.json`, path]) await rm(name, { force: true })
}

async function keep(tail: LogTail, before: Kept, page: RecordPage): Promise<Kept> {
  await tail.append(Buffer.from(page.lines.join('')))
  const kept = {
    bytes: tail.bytes,
    records: before.records + page.lines.length,
    seen: [...before.seen, page.fingerprint],
    next: page.next,
  }
  await KEPT_PAGES.save(fileCell(`${tail.path}.json`), kept)
  return kept
}

async function findKept(path: string): Promise<Kept> {
  const kept = (await KEPT_PAGES.load(fileCell(`${path}.json`)))?.value
  const size = existsSync(path) ? (await stat(path)).size : 0
  return kept && kept.bytes <= size ? kept : NOTHING
}
