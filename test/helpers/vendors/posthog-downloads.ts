import { gzipSync } from 'node:zlib'
import { FakeVendor, type Reply, type Seen } from './fake.ts'
import { FakePostHog, type FakePostHogOptions, type PostHogRow } from './posthog.ts'

const DAY = 86_400_000

export interface FakeDownloadsOptions extends FakePostHogOptions {
  /** The server's time. */
  readonly now: () => number
  /** When an event was inserted, in ms since the epoch; a second after it happened if left out. */
  readonly inserted?: (row: PostHogRow) => number
  /** Rows of a file at most. */
  readonly fileRows?: number
  /** What a new run's status is: one a poll, the last of them from then on. Completed if left out. */
  readonly statuses?: (run: number) => readonly string[]
  /** The server has no downloads, or can't start one. */
  readonly lacks?: 'route' | 'storage'
}

interface Run {
  readonly id: string
  readonly files: readonly Buffer[]
  readonly rows: number
  readonly left: string[]
}

/** File downloads of the service, whose files lie on another server. */
export class FakeDownloads extends FakePostHog {
  readonly runs: Run[] = []
  readonly storage = new FakeStorage({})
  /** So many requests are answered so: the oldest kind first. */
  tooMany = 0
  expired = 0
  readonly cancelled: string[] = []
  readonly #more: FakeDownloadsOptions

  constructor(options: FakeDownloadsOptions) {
    super(options)
    this.#more = options
  }

  override async start(): Promise<this> {
    await this.storage.start()
    return super.start()
  }

  override async close(): Promise<void> {
    await this.storage.close()
    await super.close()
  }

  /** Bodies of the orders that were accepted. */
  get orders(): string[] {
    return this.seen
      .filter(({ method, url }) => method === 'POST' && url.pathname.endsWith('_exports/'))
      .map(({ body }) => body)
  }

  protected override reply(seen: Seen): Reply {
    const [, path] = /^\/api\/projects\/7\/file_download_batch_exports\/(.*)$/.exec(seen.url.pathname) ?? []
    if (path === undefined) return super.reply(seen)
    if (seen.authorization !== 'Bearer phx_source_key')
      return error(401, 'authentication_failed', 'Invalid key.')
    if (this.#more.lacks === 'route') return error(404, 'not_found', 'Not found.')
    if (path === '')
      return seen.method === 'POST' ? this.#order(seen.body) : json(200, { count: 0, results: [] })
    const [id, call, file] = path.split('/')
    const run = this.runs.find((one) => one.id === id)
    if (!run) return error(404, 'not_found', 'Not found.')
    if (call === 'download') return this.#address(run, file!)
    if (call === 'cancel') this.cancelled.push(run.id)
    return this.#status(run)
  }

  #order(body: string): Reply {
    const { tooMany } = this
    if (tooMany > 0) {
      this.tooMany--
      const reply = error(429, 'too_many_concurrent_file_downloads', 'Too many file downloads at once.')
      return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } }
    }
    if (this.#more.lacks === 'storage')
      return json(500, { detail: 'The batch export failed to start. Try again.' })
    const { fileRows = 1000, statuses } = this.#more
    const now = this.#more.now()
    const asked = JSON.parse(body) as {
      data_interval_start: string
      data_interval_end: string
      model: string
    }
    const [start, end] = [Date.parse(asked.data_interval_start), Date.parse(asked.data_interval_end)]
    if (end > now) return error(400, 'invalid_input', 'data_interval_end is in the future')
    if (end - start > 7 * DAY) return error(400, 'invalid_input', 'data interval range too big')
    const rows = this.#rows(start, end)
    const files: Buffer[] = []
    for (let at = 0; at < rows.length; at += fileRows)
      files.push(
        gzipSync(
          rows
            .slice(at, at + fileRows)
            .map(exported)
            .join('\n'),
        ),
      )
    const id = `00000000-0000-4000-8000-${String(this.runs.length).padStart(12, '0')}`
    const left = [...(statuses?.(this.runs.length) ?? ['Completed'])]
    this.runs.push({ id, files, rows: rows.length, left })
    return json(202, { id })
  }

  #rows(start: number, end: number): PostHogRow[] {
    const { events, inserted = (row) => timeOf(row) + 1000 } = this.#more
    const old = start < this.#more.now() - 8 * DAY
    return events.filter((row) => {
      const [at, time] = [inserted(row), timeOf(row)]
      return at >= start && at < end && (!old || (time >= start - 7 * DAY && time < end + DAY))
    })
  }

  #status(run: Run): Reply {
    const status = run.left.length > 1 ? run.left.shift()! : run.left[0]!
    if (status !== 'Completed')
      return json(200, { status, ...(status.startsWith('Failed') && { error: 'disk of\nthe worker' }) })
    return json(200, { status, files: run.files.map((_, at) => `part-${at}`), records_completed: run.rows })
  }

  #address(run: Run, file: string): Reply {
    if (this.expired > 0) {
      this.expired--
      return error(400, 'invalid_input', 'This file download has expired')
    }
    const path = `/${run.id}/${file}`
    this.storage.files.set(path, run.files[Number(file.slice('part-'.length))]!)
    const location = `${this.storage.url}${path}?X-Amz-Signature=${'5'.repeat(64)}`
    return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' }
  }
}

/** The host of the signed addresses. */
class FakeStorage extends FakeVendor {
  readonly files = new Map<string, Buffer>()
  /** So many requests are answered so. */
  late = 0
  torn = 0
  /** Called before each file is sent. */
  onFile: () => void = () => {}

  protected reply({ url, authorization }: Seen): Reply {
    // As the real one: a signature and a key together are an error.
    if (authorization !== '') return { status: 400, body: 'Only one auth mechanism allowed' }
    if (this.late > 0) {
      this.late--
      return { status: 403, body: '<Error><Message>Request has expired</Message></Error>' }
    }
    const body = this.files.get(url.pathname)
    this.onFile()
    if (!body || !url.search.includes('X-Amz-Signature=5555')) return { status: 404, body: '' }
    if (this.torn <= 0) return { status: 200, body }
    this.torn--
    return { status: 200, body: body.subarray(0, Math.floor(body.length / 2)) }
  }
}

/** A row in the form of the service's exports as JSON lines. */
function exported(row: PostHogRow): string {
  const text = JSON.stringify
  const time = `${row.timestamp.replace(' ', 'T').slice(0, 23)}Z`
  return (
    `{"uuid":${text(row.uuid)},"event":${text(row.event)},"distinct_id":${text(row.distinct_id)},"person_id":"p",` +
    `"properties":${row.properties},"person_properties":{"plan":"pro"},"elements_chain":${text(row.elements_chain ?? '')},` +
    `"timestamp":"${time}","created_at":"${time}","_inserted_at":"${time}"}`
  )
}

function timeOf({ timestamp }: PostHogRow): number {
  return Date.parse(`${timestamp.slice(0, 23).replace(' ', 'T')}Z`)
}

function error(status: number, code: string, detail: string): Reply {
  return json(status, { type: 'validation_error', code, detail, attr: null })
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
