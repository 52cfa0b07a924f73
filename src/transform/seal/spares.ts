import { join } from 'node:path'
import type { Segment } from '../run/frame.ts'

/**
 * Run files that are sealed and needed no more. A part is written over one where there is one: the system finds a new
 * page for a file at ten to fifty times the cost of writing into one that the file has (1 to 3 ms a megabyte against
 * 0.06), and runs and parts are of about the same size.
 */
export class Spares {
  readonly #folder: string
  /** Smallest first. */
  #files: Segment[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Gives away the files of segments whose day is sealed and noted as sealed: nothing reads them any more. */
  add(segments: readonly Segment[]): void {
    this.#files.push(...segments.filter(({ alone }) => alone))
    this.#files.sort((a, b) => a.bytes - b.bytes)
  }

  /** Path of the largest, or undefined. */
  take(): string | undefined {
    const file = this.#files.pop()
    return file && join(this.#folder, file.file)
  }
}
