import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiError, throttled } from '../routes/api-error.ts'
import type { EventStore } from '../store/store.ts'
import type { Order } from './order.ts'
import { type WrittenFile, writeFiles } from './write-files.ts'

type RunStatus = 'Starting' | 'Running' | 'Completed' | 'Failed' | 'Cancelled'

export interface RunFile extends WrittenFile {
  readonly id: string
  /** Its key in the bucket: the last part is the name that a browser would save it under. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** One download: ordered, under way or done. */
export interface Run {
  readonly id: string
  readonly order: Order
  /** It has been handed to the store, which does one read at a time. */
  begun: boolean
  status: RunStatus
  files: readonly RunFile[]
  rows: number | null
  error: string | undefined
}

/** A run begins so long after the end of its interval, in case events of it are on their way. */
const SETTLE_MS = 60_000
const KEPT_MS = 24 * 3_600_000

/** The downloads of a sandbox. They end with its process. */
export class DownloadRuns {
  readonly #store: EventStore
  readonly #now: () => number
  readonly #runs = new Map<string, Run>()

  /** `now`: milliseconds since the epoch. */
  constructor(store: EventStore, now: () => number) {
    this.#store = store
    this.#now = now
    // Files of an earlier process: nobody knows their runs any more.
    rmSync(store.downloads, { recursive: true, force: true })
  }

  /** All runs, the newest first. */
  list(): Run[] {
    this.#advance()
    return [...this.#runs.values()].reverse()
  }

  get(id: string): Run | undefined {
    this.#advance()
    return this.#runs.get(id.toLowerCase())
  }

  /** The file with this key in the bucket, until it expires. */
  file(key: string): RunFile | undefined {
    const now = this.#now()
    const files = [...this.#runs.values()].flatMap((run) => run.files)
    return files.find((file) => file.key === key && file.expiresAt > now)
  }

  /** Takes an order. ApiError 429 while another is under way. */
  create(order: Order): Run {
    this.#advance()
    // One at a time. The service's number is a setting of its own and not known.
    if ([...this.#runs.values()].some(isUnderWay)) throw tooMany()
    const run: Run = {
      id: randomUUID(),
      order,
      begun: false,
      status: 'Starting',
      files: [],
      rows: null,
      error: undefined,
    }
    this.#runs.set(run.id, run)
    this.#advance()
    return run
  }

  #advance(): void {
    const now = this.#now()
    for (const run of this.#runs.values()) {
      const settled = now >= Number(run.order.end / 1000n) + SETTLE_MS
      if (run.status === 'Starting' && settled && !run.begun) void this.#work(run)
    }
  }

  async #work(run: Run): Promise<void> {
    run.begun = true
    const store = this.#store
    const folder = join(store.downloads, run.id)
    try {
      const { files, rows } = await store.read(
        (connection) => {
          // The store does one read at a time.
          if (run.status === 'Starting') run.status = 'Running'
          return writeFiles(connection, { order: run.order, now: this.#now(), folder })
        },
        { needs: ['persons'], copies: true },
      )
      if (run.status === 'Cancelled') return await rm(folder, { recursive: true, force: true })
      const expiresAt = this.#now() + KEPT_MS
      const prefix = `batch-exports/${run.id}/${isoTime(run.order.start)}-${isoTime(run.order.end)}`
      run.files = files.map((file) => ({ ...file, id: randomUUID(), key: prefix + file.ending, expiresAt }))
      run.rows = rows
      run.status = 'Completed'
    } catch (error) {
      if (run.status === 'Cancelled') return
      run.error = error instanceof Error ? error.message.split('\n')[0] : String(error)
      run.status = 'Failed'
    }
  }
}

export function isUnderWay({ status }: Run): boolean {
  return status === 'Starting' || status === 'Running'
}

export function tooMany(): ApiError {
  return throttled(
    'Too many concurrent file download batch exports for this team.',
    'too_many_concurrent_file_downloads',
  )
}

function isoTime(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString().replace('.000Z', '+00:00').replace('Z', '+00:00')
}

/** The first part of every signed address. */
export const BUCKET = 'posthaul-sandbox-downloads'
const ADDRESS_MS = 15 * 60_000

/** Signs addresses under which a file can be had without a key, for a while. */
export class AddressSigner {
  readonly #secret = randomBytes(32)

  /** Path and query of a file. `now` in ms since the epoch. */
  sign({ key, expiresAt }: RunFile, now: number): string {
    const seconds = Math.max(1, Math.floor(Math.min(ADDRESS_MS, expiresAt - now) / 1000))
    const path = `/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`
    const name = key.slice(key.lastIndexOf('/') + 1)
    const query = new URLSearchParams({
      'response-content-disposition': `attachment; filename="${name}"`,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
      'X-Amz-Expires': String(seconds),
      'X-Amz-SignedHeaders': 'host',
    })
    query.set('X-Amz-Signature', this.#signature(key, query))
    return `${path}?${query}`
  }

  /** True if this object signed the address, whether it has expired or not. */
  knows(key: string, query: URLSearchParams): boolean {
    const given = Buffer.from(query.get('X-Amz-Signature') ?? '')
    const right = Buffer.from(this.#signature(key, query))
    return given.length === right.length && timingSafeEqual(given, right)
  }

  #signature(key: string, query: URLSearchParams): string {
    const signed = [...query].filter(([name]) => name !== 'X-Amz-Signature')
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([key, signed]))
      .digest('hex')
  }
}

/** When a signed address expires, in ms since the epoch. */
export function expiryOf(query: URLSearchParams): number {
  const [date = '', seconds] = [query.get('X-Amz-Date') ?? '', query.get('X-Amz-Expires')]
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  return Date.parse(iso) + Number(seconds) * 1000
}
