import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { retrying } from '../../http/retry.ts'
import { keyOf } from '../../record/keys.ts'
import { LineFramer } from '../../record/lines.ts'
import { Scanner } from '../../record/scan.ts'
import { Tape, valueText } from '../../record/tape.ts'
import { parseTime } from '../../record/time.ts'
import { GIB, MIB, MICROS_PER_MS } from '../../text/units.ts'
import { gunzipped } from '../line-tally.ts'
import { fetchSigned } from '../signed-file.ts'
import type { PieceCall, VendorCall } from '../source.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type DownloadApi, Gone } from './download-api.ts'
import type { Ordering, ReadyRun } from './download-run.ts'

/** Many times what is ordered for one file. */
const MOST_BYTES = 8 * GIB
const HINT = 'export with --via query'

/** The records of a file that was fetched, one JSON object on each line. Throws cutShort if the file is damaged. */
export function linesOfFile(path: string): AsyncIterable<Buffer> {
  return gunzipped(createReadStream(path), "PostHog's file")
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
        for await (const chunk of linesOfFile(path)) yield filter.push(chunk)
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

/** The longest record that is read. The service takes none that is larger. */
const MOST_LINE_BYTES = 32 * MIB
const LF = Buffer.of(0x0a)

/** Takes those lines out of a stream whose `timestamp` is in a range, byte for byte. A line without a readable time is taken too. */
export class RangeFilter {
  /** Lines read, and those of them that are out of range. */
  lines = 0
  filtered = 0
  readonly #start: number
  readonly #end: number
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #key = keyOf('timestamp')
  readonly #framer = new LineFramer(
    {
      line: (bytes, start, end) => this.#line(bytes, start, end),
      tooLong: (_, length) => {
        throw tooLong(length)
      },
    },
    MOST_LINE_BYTES,
  )
  #taken: Buffer[] = []

  constructor({ start, end }: WindowSpan) {
    this.#start = start * MICROS_PER_MS
    this.#end = end * MICROS_PER_MS
  }

  /** The lines of the stream that end in this piece of it. */
  push(chunk: Buffer): Buffer {
    this.#framer.push(chunk)
    return this.#take()
  }

  /** The last line, if it lacks its line end. */
  end(): Buffer {
    this.#framer.end()
    return this.#take()
  }

  #take(): Buffer {
    const taken = Buffer.concat(this.#taken)
    this.#taken = []
    return taken
  }

  #line(bytes: Buffer, start: number, end: number): void {
    this.lines++
    if (this.#isIn(bytes, start, end)) this.#taken.push(Buffer.from(bytes.subarray(start, end)), LF)
    else this.filtered++
  }

  #isIn(bytes: Buffer, start: number, end: number): boolean {
    const tape = this.#tape
    if (!this.#scanner.scan(bytes, start, end)) return true
    for (let at = 0; at < tape.count; at = tape.next(at)) {
      if (tape.key(at) !== this.#key) continue
      const text = valueText(tape, bytes, at)
      const instant = text === undefined ? Number.NaN : micros(text)
      return !(instant < this.#start || instant >= this.#end)
    }
    return true
  }
}

function micros(text: string): number {
  try {
    return parseTime(text)
  } catch {
    return Number.NaN
  }
}

function tooLong(length: number): VendorError {
  return new VendorError(`PostHog's file has a line of ${length} bytes`, {
    code: 'input',
    fate: 'reject',
    hint: 'export to another folder with --via query',
  })
}
