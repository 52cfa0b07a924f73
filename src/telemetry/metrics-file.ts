import { rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { replaceFile } from '../store/own-file.ts'
import { readWhole } from '../store/read-file.ts'
import { MIB, MS_PER_SECOND } from '../text/units.ts'
import { exposition, type MetricSample, valueIn } from './exposition.ts'

const EVERY_MS = 15 * MS_PER_SECOND
/** A collector runs as another user. The file has counts, and nothing of a person. */
const MODE = 0o644
/** What outlives a run: a run that has none of its own says those of the file that it found. */
const KEPT = [
  'posthaul_last_exit_code',
  'posthaul_last_success_timestamp_seconds',
  'posthaul_last_delivery_timestamp_seconds',
] as const

interface MetricsOptions {
  readonly path: string
  readonly look: () => readonly MetricSample[]
  /** Called once, when the file cannot be written. The run goes on. */
  readonly failed: (message: string) => void
}

/**
 * A file of metrics for node_exporter's textfile collector, replaced each 15 s and at the end. A reader finds the old
 * file or the new one, whole, also after a kill.
 */
export class MetricsFile {
  readonly #options: MetricsOptions
  readonly #kept: readonly MetricSample[]
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> | undefined
  #hasFailed = false

  private constructor(options: MetricsOptions, kept: readonly MetricSample[]) {
    this.#options = options
    this.#kept = kept
    this.#timer = setInterval(() => void this.#write(), EVERY_MS)
    this.#timer.unref()
  }

  /** Undefined, with a note, if posthaul may not replace the file. */
  static async open(options: MetricsOptions): Promise<MetricsFile | undefined> {
    try {
      const file = new MetricsFile(options, keptOf(await earlier(options.path)))
      await file.#write()
      return file
    } catch (error) {
      options.failed(textOf(fileError(error, 'read', options.path)))
      return undefined
    }
  }

  /** Writes the last state. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.#write()
  }

  #write(): Promise<void> {
    // A disk that hangs gets no second file to write.
    this.#writing ??= this.#replace().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #replace(): Promise<void> {
    const { path, look, failed } = this.#options
    try {
      const text = exposition(withKept(look(), this.#kept), { run: basename(path, '.prom') })
      await replaceFile(
        path,
        async (file) => {
          await file.chmod(MODE)
          await file.writeFile(text)
        },
        rename,
      )
    } catch (error) {
      if (!this.#hasFailed) failed(textOf(error))
      this.#hasFailed = true
    }
  }
}

/** The text of an earlier run's file; empty if no file is there. */
async function earlier(path: string): Promise<string> {
  const text = await readWhole(path, { mostBytes: MIB }).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  const found = text?.toString('utf8') ?? ''
  // A path that was mistyped must not cost the user a file.
  if (found === '' || found.startsWith('# HELP posthaul_')) return found
  throw new PosthaulError(`${path} is a file of something else, and was left as it is`, {
    code: 'input',
    hint: 'name another file',
  })
}

function keptOf(text: string): MetricSample[] {
  return KEPT.flatMap((name) => {
    const value = valueIn(text, name)
    return value === undefined ? [] : [{ name, value }]
  })
}

function withKept(samples: readonly MetricSample[], kept: readonly MetricSample[]): MetricSample[] {
  const all = [...samples, ...kept.filter(({ name }) => !samples.some((sample) => sample.name === name))]
  const deliveredAt = all.find(({ name }) => name === 'posthaul_last_delivery_timestamp_seconds')
  if (!deliveredAt) return all
  const value = Math.max(0, Math.round(Date.now() / MS_PER_SECOND - deliveredAt.value))
  return [...all, { name: 'posthaul_lag_seconds', value }]
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
