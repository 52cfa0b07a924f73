import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { MIB } from '../units.ts'

/** A text file written line by line, complete once it is closed. Without a folder it drops the lines. */
export class LineFile {
  readonly #fd: number | undefined
  #held: string[] = []
  #length = 0

  constructor(folder: string | undefined, name: string) {
    this.#fd = folder === undefined ? undefined : openSync(join(folder, name), 'w')
  }

  write(line: string): void {
    if (this.#fd === undefined) return
    this.#held.push(line)
    this.#length += line.length
    if (this.#length > MIB) this.#drain(this.#fd)
  }

  close(): void {
    if (this.#fd === undefined) return
    this.#drain(this.#fd)
    closeSync(this.#fd)
  }

  #drain(fd: number): void {
    const bytes = Buffer.from(this.#held.join(''))
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    this.#held = []
    this.#length = 0
  }
}
