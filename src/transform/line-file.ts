import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { MIB } from '../text/index.ts'
import type { WrittenFile } from './work-file.ts'

/** A text file written line by line, complete once it is closed. Without a folder it drops the lines. */
export class LineFile {
  readonly #name: string
  readonly #fd: number | undefined
  #held: string[] = []
  #length = 0
  #bytes = 0
  #crc = 0

  constructor(folder: string | undefined, name: string) {
    this.#name = name
    this.#fd = folder === undefined ? undefined : openSync(join(folder, name), 'w')
  }

  /** What was written, once it is closed. */
  get written(): WrittenFile {
    return { file: this.#name, offset: 0, bytes: this.#bytes, crc: this.#crc }
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
    this.#bytes += bytes.length
    this.#crc = crc32(bytes, this.#crc)
    this.#held = []
    this.#length = 0
  }
}
