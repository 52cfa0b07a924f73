import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isLoopback } from '../../http/network-error.ts'
import { isPassing, retryAfterMs, retrying } from '../../http/retry.ts'
import { Secret } from '../../http/secret.ts'
import { Transport } from '../../http/transport.ts'
import { keyOf } from '../../record/keys.ts'
import { LineFramer } from '../../record/lines.ts'
import { Scanner } from '../../record/scan.ts'
import { Tape, valueText } from '../../record/tape.ts'
import { timeOrNone } from '../../record/time.ts'
import { GIB, MIB, MICROS_PER_MS } from '../../text/units.ts'
import { saveAnswer } from '../answer-bytes.ts'
import { gunzipped } from '../line-tally.ts'
import type { PieceCall } from '../source.ts'
import { cutShort, passingRefusal, SILENCES, type VendorClient, VendorError } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { Gone } from './download-api.ts'
import type { Ordering, ReadyRun } from './download-run.ts'

/** Many times what is ordered for one file. */
const MOST_BYTES = 8 * GIB
const HINT = 'export to another folder with --via query'

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
        const { api } = ordering
        const fetch = async () => {
          const url = await api.address(run.id, file, call.signal)
          await fetchSigned(url, path, api.client, call.signal)
        }
        await retrying(fetch, call.retry)
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

// A value of the address that is shorter tells nobody anything.
const LEAST_SECRET = 16

/**
 * Fetches a file from its signed address to a path on this machine's disk. The address is its own permission: the request
 * carries no key, since the address can lead to any host, and a further redirect is not followed. Throws an error with
 * the fate `retry` unless every byte came.
 */
export async function fetchSigned(
  url: URL,
  path: string,
  { vendor, quietMs }: Pick<VendorClient, 'vendor' | 'quietMs'>,
  signal: AbortSignal,
): Promise<void> {
  const refused = (said: string) => new VendorError(said, { code: 'config', hint: HINT })
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw refused(`${vendor} leads to ${url.protocol}//${url.host} for a file, which is not https`)
  // What in the address gives access to the file.
  const values = [...url.searchParams.values()].filter((value) => value.length >= LEAST_SECRET)
  const secrets = values.map((value) => new Secret(value, "the file's address"))
  const transport = new Transport({ origin: url.origin, secrets, connections: 1 })
  try {
    const answer = await transport.stream({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      quietMs,
      timeoutMs: quietMs * SILENCES,
      signal,
    })
    const { status, headers } = answer
    if (status !== 200) {
      await answer.text(0)
      const said = `${url.host} answered ${status} to a signed address`
      if (status >= 300 && status < 400) throw refused(`${said} (a second redirect is not followed)`)
      // 403 is an address whose time is over, 404 a file that is gone: the vendor is asked for a new one.
      if (isPassing(status) || status === 403 || status === 404)
        throw passingRefusal(said, status, retryAfterMs(headers['retry-after'], Date.now()))
      throw new VendorError(said, { code: 'unavailable', status, hint: 'run the same command again later' })
    }
    await saveAnswer(answer, path, { most: MOST_BYTES, whose: `a file of ${url.host}` })
  } finally {
    await transport.close()
  }
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
        const said = `PostHog's file has a line of ${length} bytes`
        throw new VendorError(said, { code: 'input', fate: 'reject', hint: HINT })
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
      const instant = text === undefined ? Number.NaN : (timeOrNone(text) ?? Number.NaN)
      return !(instant < this.#start || instant >= this.#end)
    }
    return true
  }
}
