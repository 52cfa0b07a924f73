import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import { isLoopback, isPassing, retryAfterMs, retrying, Secret, Transport } from '../../http/index.ts'
import { parquetLines } from '../../inputs/index.ts'
import { GIB } from '../../text/index.ts'
import { saveAnswer } from '../answer-bytes.ts'
import { gunzipped } from '../line-tally.ts'
import type { PieceCall, VendorCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type DownloadApi, type DownloadFormat, Gone } from './download-api.ts'
import type { Ordering, ReadyRun } from './download-run.ts'
import { RangeFilter } from './in-range.ts'

// The deadline of a file, in times of the longest silence.
const SILENCES = 12
/** Many times what is ordered for one file. */
const MOST_BYTES = 8 * GIB
// A value of the address that is shorter tells nobody anything.
const LEAST_SECRET = 16

/**
 * Fetches a file from its signed address to a path on this machine's disk. The address is its own permission: the request
 * carries no key, since the address can lead to any host, and a further redirect is not followed. Throws an error with
 * the fate `retry` unless every byte came.
 */
export async function fetchFile(
  url: URL,
  path: string,
  { quietMs, signal }: { readonly quietMs: number; readonly signal: AbortSignal },
): Promise<void> {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new VendorError(`PostHog leads to ${url.protocol}//${url.host} for a file, and not by https`, {
      code: 'config',
      hint: 'export with --via query',
    })
  }
  const transport = new Transport({ origin: url.origin, secrets: secretsOf(url), connections: 1 })
  try {
    const answer = await transport.stream({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      quietMs,
      timeoutMs: quietMs * SILENCES,
      signal,
    })
    if (answer.status !== 200) {
      await answer.text(0)
      throw refusal(url.host, answer.status, retryAfterMs(answer.headers['retry-after'], Date.now()))
    }
    await saveAnswer(answer, path, { most: MOST_BYTES, whose: `a file of ${url.host}` })
  } finally {
    await transport.close()
  }
}

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

/** What in the address gives access to the file. */
function secretsOf(url: URL): Secret[] {
  const values = [...url.searchParams.values()].filter((value) => value.length >= LEAST_SECRET)
  return values.map((value) => new Secret(value, "the file's address"))
}

function refusal(host: string, status: number, waitMs: number | undefined): VendorError {
  const said = `${host} answered ${status} to a signed address`
  if (status >= 300 && status < 400) {
    return new VendorError(`${said} (a second redirect is not followed)`, {
      code: 'config',
      hint: 'export with --via query',
    })
  }
  // 403 is an address whose time is over, 404 a file that is gone: PostHog is asked for a new one.
  if (isPassing(status) || status === 403 || status === 404) {
    return new VendorError(said, {
      code: 'unavailable',
      fate: 'retry',
      status,
      ...(waitMs !== undefined && { waitMs }),
    })
  }
  return new VendorError(said, { code: 'unavailable', status, hint: 'run the same command again later' })
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
  await fetchFile(await api.address(run, file, signal), path, { quietMs: api.client.quietMs, signal })
}
