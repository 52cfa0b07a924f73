import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import { retrying } from '../../http/index.ts'
import { parquetLines } from '../../inputs/index.ts'
import { GIB } from '../../text/index.ts'
import { gunzipped } from '../line-tally.ts'
import { fetchSigned } from '../signed-file.ts'
import type { PieceCall, VendorCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type DownloadApi, type DownloadFormat, Gone } from './download-api.ts'
import type { Ordering, ReadyRun } from './download-run.ts'
import { RangeFilter } from './in-range.ts'

/** Many times what is ordered for one file. */
const MOST_BYTES = 8 * GIB
const HINT = 'export with --via query'

/** The records of a file that was fetched, one JSON object on each line. Throws cutShort if the file is damaged. */
export async function* linesOfFile(path: string, format: DownloadFormat): AsyncGenerator<Buffer> {
  if (format === 'jsonl') {
    yield* gunzipped(createReadStream(path), "PostHog's file")
    return
  }
  const { size, mtimeMs } = await stat(path)
  const plain = { format, compression: 'none', delimiter: undefined, rejects: false } as const
  try {
    yield* parquetLines({ ...plain, path, name: path, size, mtimeMs })
  } catch (error) {
    throw error instanceof PosthaulError && error.code === 'input' ? cutShort(error.message, error) : error
  }
}

/**
 * The lines of a week of insertion whose time is in a range, file after file, each by way of this machine's disk. `ready`
 * waits for the run that makes the files. Throws an error with the fate `retry`, and forgets the run, if they lack rows.
 */
export async function* fetchWeek(
  ordering: Ordering,
  ready: () => Promise<ReadyRun>,
  range: WindowSpan,
  call: PieceCall,
): AsyncGenerator<Buffer> {
  const run = await ready()
  const filter = new RangeFilter(range)
  try {
    for (const [at, file] of run.files.entries()) {
      const path = call.scratch(`${ordering.piece}-${at}`)
      try {
        await retrying(() => fetchOne(ordering.api, { run: run.id, file }, path, call), call.retry)
        for await (const chunk of linesOfFile(path, ordering.format)) yield filter.push(chunk)
        // The last line of a file may lack its line end: the next file's first line is not a part of it.
        yield filter.end()
      } finally {
        await rm(path, { force: true })
      }
    }
    if (filter.lines < (run.rows ?? 0)) {
      throw cutShort(`PostHog's files have ${filter.lines} rows, and should have ${run.rows}`)
    }
  } catch (error) {
    // What is wrong with files that came whole would be wrong again.
    const isOver = error instanceof Gone || (error instanceof VendorError && error.fate === 'retry')
    if (isOver) await ordering.memory.keepOrdered(ordering.piece, undefined)
    throw error instanceof Gone ? cutShort(`${error.message}: the week is ordered again`, error) : error
  }
  call.filtered(filter.filtered)
}

async function fetchOne(
  api: DownloadApi,
  { run, file }: { readonly run: string; readonly file: string },
  path: string,
  { signal }: VendorCall,
): Promise<void> {
  const { vendor, quietMs } = api.client
  const url = await api.address(run, file, signal)
  await fetchSigned(url, path, { vendor, hint: HINT, most: MOST_BYTES, quietMs, signal })
}
