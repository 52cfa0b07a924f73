import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../routes/api-error.ts'
import type { EventStore } from '../store/store.ts'
import type { Order } from './order.ts'
import { type WrittenFile, writeFiles } from './write-files.ts'

export type RunStatus = 'Starting' | 'Running' | 'Completed' | 'Failed' | 'Cancelled'

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

export interface RunsOptions {
  readonly store: EventStore
  readonly projectId: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Orders that a project may have under way. The service's number is a setting of its own and not known. */
const AT_ONCE = 1
/** A run begins so long after the end of its interval, in case events of it are on their way. */
const SETTLE_MS = 60_000
const KEPT_MS = 24 * 3_600_000

/** The downloads of a sandbox. They end with its process. */
export class DownloadRuns {
  readonly #options: RunsOptions
  readonly #runs = new Map<string, Run>()

  constructor(options: RunsOptions) {
    this.#options = options
    // Files of an earlier process: nobody knows their runs any more.
    rmSync(options.store.downloads, { recursive: true, force: true })
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
    const now = this.#options.now()
    for (const { files } of this.#runs.values()) {
      const found = files.find((file) => file.key === key && file.expiresAt > now)
      if (found) return found
    }
    return undefined
  }

  /** Takes an order. ApiError 429 while another is under way. */
  create(order: Order): Run {
    this.#advance()
    const busy = [...this.#runs.values()].filter(isUnderWay).length
    if (busy >= AT_ONCE) throw tooMany()
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
    const now = this.#options.now()
    for (const run of this.#runs.values()) {
      const settled = now >= Number(run.order.end / 1000n) + SETTLE_MS
      if (run.status === 'Starting' && settled && !run.begun) void this.#work(run)
    }
  }

  async #work(run: Run): Promise<void> {
    run.begun = true
    const { store, projectId, now } = this.#options
    const folder = join(store.downloads, run.id)
    const onBegin = () => {
      if (run.status === 'Starting') run.status = 'Running'
    }
    try {
      const { files, rows } = await writeFiles(store, { order: run.order, projectId, now, folder, onBegin })
      if (run.status === 'Cancelled') return await rm(folder, { recursive: true, force: true })
      const expiresAt = now() + KEPT_MS
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
  return new ApiError(429, {
    type: 'throttled_error',
    code: 'too_many_concurrent_file_downloads',
    detail: 'Too many concurrent file download batch exports for this team.',
  })
}

function isoTime(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString().replace('.000Z', '+00:00').replace('Z', '+00:00')
}
