import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { deadline, networkError, type Redactor, redactorOf } from '../../http/index.ts'
import { KIB } from '../../text/index.ts'
import { loadDriver } from '../sql/driver.ts'
import { cutShort, VendorError } from '../vendor-client.ts'
import type { ClickHouseAddress } from './clickhouse-address.ts'
import { SETTINGS_QUERY, settingsFor } from './clickhouse-settings.ts'

const LF = 0x0a
/** More of what follows the last row is not read: it is the server's error. */
const MOST_WORDS = 64 * KIB

/** Whole lines of an answer, without their ends. */
export interface AnswerLines {
  readonly lines: readonly string[]
  /** False if bytes among them are not UTF-8. Then each character of the lines is a byte. */
  readonly isText: boolean
}

type Driver = typeof import('@clickhouse/client')
type Settings = Readonly<Record<string, string>>
type Parameters = Readonly<Record<string, string>>

/** Sends statements to a server over HTTP, by its own driver. */
export class ClickHouseSession {
  readonly #address: ClickHouseAddress
  readonly #quietMs: number
  readonly #redactor: Redactor
  #open: Promise<{ readonly driver: Driver; readonly client: ReturnType<Driver['createClient']> }> | undefined
  #settings: Settings | undefined

  /** `quietMs`: the longest silence of the server. */
  constructor(address: ClickHouseAddress, quietMs: number) {
    this.#address = address
    this.#quietMs = quietMs
    this.#redactor = redactorOf(address.password ? [address.password] : [])
  }

  /** The rows of a short answer. */
  async ask(text: string, parameters: Parameters, signal: AbortSignal): Promise<unknown[][]> {
    const rows: unknown[][] = []
    for await (const { lines } of this.lines(`${text} FORMAT JSONCompactEachRow`, parameters, signal)) {
      for (const line of lines) rows.push(JSON.parse(line) as unknown[])
    }
    return rows
  }

  /**
   * The lines of an answer in a format whose lines are JSON arrays. Throws at the first that is none: there begins the error of a
   * statement that failed after its first rows, in whichever form the server's version writes it.
   */
  async *lines(text: string, parameters: Parameters, signal: AbortSignal): AsyncGenerator<AnswerLines> {
    const settings = await this.settings(signal)
    const answer = wholeLines(this.#chunks(text, { parameters, settings }, signal))
    for await (const bytes of answer) {
      const isText = isUtf8(bytes)
      const lines = bytes.toString(isText ? 'utf8' : 'latin1').split('\n')
      const last = lines.pop()!
      const wrong = lines.findIndex((line) => !line.startsWith('[') || !line.endsWith(']'))
      if (wrong >= 0 || last !== '') {
        const rest = [...(wrong < 0 ? [] : lines.slice(wrong)), last].join('\n')
        throw await this.#brokenOff(rest, answer)
      }
      yield { lines, isText }
    }
  }

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined)
    await open?.client.close()
  }

  /** The settings to send with each statement. */
  async settings(signal: AbortSignal): Promise<Settings> {
    if (this.#settings) return this.#settings
    let text = ''
    for await (const bytes of this.#chunks(SETTINGS_QUERY, { parameters: {}, settings: {} }, signal)) {
      text += bytes.toString()
    }
    this.#settings = settingsFor(text)
    return this.#settings
  }

  async *#chunks(
    query: string,
    { parameters, settings }: { readonly parameters: Parameters; readonly settings: Settings },
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    this.#open ??= openClient(this.#address)
    const { driver, client } = await this.#open
    let wait = deadline(this.#quietMs, [signal])
    let stream: Readable | undefined
    try {
      const answer = await client.exec({
        query,
        query_params: parameters,
        clickhouse_settings: settings,
        abort_signal: wait.signal,
      })
      stream = answer.stream
      const iterator = stream[Symbol.asyncIterator]()
      for (;;) {
        wait.release()
        // Only the server's silence counts, not the time that the reader of these rows takes.
        wait = deadline(this.#quietMs, [signal])
        wait.signal.addEventListener('abort', () => stream?.destroy(), { once: true })
        const { done, value } = await iterator.next()
        wait.release()
        if (done) return
        yield value
      }
    } catch (error) {
      throw this.#failure(error, driver, signal.aborted ? 'aborted' : wait.isLate ? 'timeout' : undefined)
    } finally {
      wait.release()
      // The server cancels a statement whose client is gone.
      stream?.destroy()
    }
  }

  #failure(error: unknown, driver: Driver, known: 'aborted' | 'timeout' | undefined): Error {
    if (known === undefined && error instanceof driver.ClickHouseError) {
      return serverError(error.code, this.#redactor.text(error.message))
    }
    const { code, message } = error as NodeJS.ErrnoException
    if (known !== undefined || code !== undefined) {
      return networkError(error, this.#address.origin, this.#redactor, known)
    }
    return cutShort(
      `${this.#address.server} does not answer as ClickHouse: ${this.#redactor.text(message).slice(0, 200)}`,
    )
  }

  /** The error for an answer whose rows end in something else. */
  async #brokenOff(beginning: string, rest: AsyncIterable<Buffer>): Promise<unknown> {
    let words = beginning
    let failure: unknown = cutShort(`${this.#address.server} broke off in the middle of the rows`)
    try {
      for await (const bytes of rest) {
        words += bytes.toString()
        if (words.length > MOST_WORDS) break
      }
    } catch (error) {
      // The connection may be broken off after the words, too.
      failure = error
    }
    const { driver } = await this.#open!
    const error = driver.parseError(words)
    if (!(error instanceof driver.ClickHouseError)) return failure
    return serverError(error.code, this.#redactor.text(error.message))
  }
}

async function openClient({ origin, user, password, database, authority }: ClickHouseAddress) {
  const driver = await loadDriver('@clickhouse/client', 'ClickHouse', () => import('@clickhouse/client'))
  const client = driver.createClient({
    url: origin,
    username: user,
    password: password?.reveal() ?? '',
    ...(database !== undefined && { database }),
    ...(authority !== undefined && { tls: { ca_cert: authority } }),
    application: 'posthaul',
    // Silence is measured here: the driver's own limit also counts the pauses of a slow reader.
    request_timeout: 0,
    log: { level: driver.ClickHouseLogLevel.OFF },
  })
  return { driver, client }
}

/** Bytes up to the last line end of each chunk; at the end what is left, also before an error. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let failure: unknown
  try {
    for await (const chunk of chunks) {
      const end = chunk.lastIndexOf(LF) + 1
      if (end > 0) {
        yield Buffer.concat([...held, chunk.subarray(0, end)])
        held = []
      }
      if (end < chunk.length) held.push(chunk.subarray(end))
    }
  } catch (error) {
    failure = error
  }
  if (held.length > 0) yield Buffer.concat(held)
  if (failure !== undefined) throw failure
}

// Codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
const LOGIN = ['192', '193', '194', '516']
const RIGHT = ['291', '497']
/** Limits of the server or the user that a smaller reading keeps. */
const LIMITS = ['158', '159', '160', '241', '307', '396']
/** What passes by itself: a server that is busy, that stops, or that has lost another one. */
const PASSING = ['201', '202', '203', '209', '210', '236', '279', '394', '425', '439', '999']

/** The error of a statement that the server refused or broke off. `words`: its own, without secrets. */
export function serverError(code: string, words: string): VendorError {
  const said = `ClickHouse: ${words
    .replaceAll(/\s+/g, ' ')
    .replace(/[. ]+$/, '')
    .slice(0, 600)} (code ${code})`
  if (LOGIN.includes(code)) {
    const hint = 'check user and password in CLICKHOUSE_URL: write %40 for @, %2F for /, %25 for %'
    return new VendorError(said, { code: 'auth', hint })
  }
  if (RIGHT.includes(code)) return new VendorError(said, { code: 'auth', hint: 'have the right granted' })
  // The memory of all statements together is free again later.
  if (PASSING.includes(code) || (code === '241' && /\(total\)/.test(words))) {
    return new VendorError(said, { code: 'unavailable', fate: 'retry' })
  }
  const hint = LIMITS.includes(code)
    ? 'read less at once: a smaller --window, or have the limit raised'
    : undefined
  return new VendorError(said, { code: 'config', ...(hint && { hint }) })
}
