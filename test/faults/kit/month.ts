import { join } from 'node:path'
import type { ImportResult } from '../../../src/commands/import/result.ts'
import type { StatusResult } from '../../../src/commands/status/result.ts'
import { runCommand } from '../../helpers/command.ts'
import { countedDataset } from '../../helpers/counted-dataset.ts'
import type { KeptBucket } from './kept-bucket.ts'
import type { MovedClock } from './moved-clock.ts'
import type { Service } from './service.ts'
import type { SlowProject } from './slow-project.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
const STATE = 's3://bucket/state'

/** What `status` foretold, and when: ms since the epoch. */
export interface Forecast {
  readonly at: number
  readonly endsAt: number
}

/** How a run ended. */
interface Night {
  readonly at: number
  readonly code: number
  readonly said: Partial<ImportResult>
  /** The end of its log. */
  readonly stderr: string
}

interface MonthOptions {
  readonly clock: MovedClock
  readonly project: SlowProject
  /** Answers what is asked before an import begins, and is gone in an outage. */
  readonly service: Service
  readonly bucket: KeptBucket
  readonly dataset: string
  readonly perMinute: number
}

/** An import that cron begins each full hour, unless it is under way, and that stops once a day. */
export class Month {
  readonly nights: Night[] = []
  readonly forecasts: Forecast[] = []
  maxEvents = 0
  key: string
  readonly #options: MonthOptions
  #interrupt = new AbortController()
  #begunAt = 0
  /** What the bucket held when the host died. */
  #died: ReadonlyMap<string, Buffer> | undefined

  constructor(options: MonthOptions) {
    this.#options = options
    this.key = options.project.key
  }

  /** Runs the import until it stops for the day, or for another reason. */
  async run(...more: readonly string[]): Promise<Night> {
    const { dataset, perMinute, clock, bucket } = this.#options
    this.#interrupt = new AbortController()
    this.#begunAt = clock.wall()
    const caps = ['--max-events-per-minute', String(perMinute), '--max-events', String(this.maxEvents)]
    const argv = [
      'import',
      '--dataset',
      dataset,
      '--state',
      STATE,
      ...caps,
      '--stop-after',
      '23h50m',
      '--json',
    ]
    const { signal } = this.#interrupt
    const { code, stdout, stderr } = await runCommand([...argv, ...more], { env: this.#env, signal })
    const night = {
      at: clock.wall(),
      code,
      said: stdout === '' ? {} : JSON.parse(stdout),
      stderr: endOf(stderr),
    }
    this.nights.push(night)
    if (this.#died) bucket.restore(onAnotherHost(this.#died))
    this.#died = undefined
    return night
  }

  /** How long the run is under way, in ms. */
  get age(): number {
    return this.#options.clock.wall() - this.#begunAt
  }

  /** Waits for the next time that cron looks. */
  nextHour(): void {
    const { clock } = this.#options
    clock.pass(HOUR - (clock.wall() % HOUR))
  }

  async status(): Promise<StatusResult> {
    const { code, stdout, stderr } = await runCommand(['status', '--state', STATE, '--json'], {
      env: this.#env,
    })
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }

  /** Asks `status` when the run under way will end. */
  async foretell(): Promise<void> {
    const { ends_at } = await this.status()
    if (ends_at === null) throw new Error('status foretells nothing')
    this.forecasts.push({ at: this.#options.clock.wall(), endsAt: Date.parse(ends_at) })
  }

  /** The host dies: of what its run does from now on nothing comes into the bucket. */
  die(): void {
    this.#died = this.#options.bucket.snapshot()
    this.#interrupt.abort('SIGTERM')
  }

  get #env(): Record<string, string> {
    return {
      POSTHOG_INGEST_HOST: this.#options.service.url,
      POSTHOG_PROJECT_API_KEY: this.key,
      TZ: process.env.TZ ?? 'UTC',
    }
  }
}

/** A copy: a part of a text would keep all of it. */
function endOf(text: string): string {
  return Buffer.from(text.slice(-2000)).toString()
}

/** The locks of a machine that nobody can see from here. */
function onAnotherHost(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  return new Map(
    [...files].map(([name, bytes]) => {
      if (!name.endsWith('.lock')) return [name, bytes]
      const text = bytes.toString().replace(/"boot":"[^"]*"/g, '"boot":"another"')
      return [name, Buffer.from(text.replace(/"host":"[^"]*"/g, '"host":"gone"'))]
    }),
  )
}

/** A dataset of so many events, on 28 days of history. */
export function monthOfHistory(folder: string, events: number): Promise<string> {
  const each = Math.ceil(events / 28)
  const days = Array.from({ length: 28 }, (_, day) => {
    const count = Math.min(each, events - day * each)
    return [`2024-02-${String(day + 1).padStart(2, '0')}`, { 'page seen': count }] as const
  })
  return countedDataset(join(folder, 'events'), Object.fromEntries(days))
}
