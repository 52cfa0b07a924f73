import { rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { replaceFile } from '../store/own-file.ts'
import { readWhole } from '../store/read-file.ts'
import { MIB, MS_PER_SECOND } from '../text/units.ts'

const EVERY_MS = 15 * MS_PER_SECOND
/** A collector runs as another user. The file has counts, and nothing of a person. */
const MODE = 0o644

interface MetricsOptions {
  readonly path: string
  /** The text to write. `run`: the name of the file without its end; `earlier`: what the file held before this run. */
  readonly text: (run: string, earlier: string) => string
  /** Called once, when the file cannot be written. The run goes on. */
  readonly failed: (message: string) => void
}

/**
 * A file of metrics for node_exporter's textfile collector, replaced each 15 s and at the end. A reader finds the old
 * file or the new one, whole, also after a kill.
 */
export class MetricsFile {
  readonly #options: MetricsOptions
  readonly #earlier: string
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> | undefined
  #hasFailed = false

  private constructor(options: MetricsOptions, earlier: string) {
    this.#options = options
    this.#earlier = earlier
    this.#timer = setInterval(() => void this.#write(), EVERY_MS)
    this.#timer.unref()
  }

  /** Undefined, with a note, if posthaul may not replace the file. */
  static async open(options: MetricsOptions): Promise<MetricsFile | undefined> {
    try {
      const file = new MetricsFile(options, await earlierText(options.path))
      await file.#write()
      return file
    } catch (error) {
      options.failed((fileError(error, 'read', options.path) as Error).message)
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
    const { path, text, failed } = this.#options
    try {
      const bytes = text(basename(path, '.prom'), this.#earlier)
      await replaceFile(
        path,
        async (file) => {
          await file.chmod(MODE)
          await file.writeFile(bytes)
        },
        rename,
      )
    } catch (error) {
      if (!this.#hasFailed) failed((error as Error).message)
      this.#hasFailed = true
    }
  }
}

/** The text of an earlier run's file; empty if no file is there. */
async function earlierText(path: string): Promise<string> {
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
