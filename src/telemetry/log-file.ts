import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { openOwn } from '../store/own-file.ts'

/** A file that lines are appended to. It fails once, and then takes no more. */
export class LogFile {
  readonly #file: FileHandle
  #failed = false

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(path: string): Promise<LogFile> {
    return new LogFile(await openOwn(path, 'append'))
  }

  /** Appends whole lines at once, so that a kill cuts none and runs that share the file don't mix. Throws the first time it can't. */
  write(lines: string): void {
    if (this.#failed) return
    try {
      writeSync(this.#file.fd, lines)
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  async close(): Promise<void> {
    this.#failed = true
    await this.#file.close().catch(() => undefined)
  }
}
