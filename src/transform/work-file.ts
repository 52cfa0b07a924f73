import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { PosthaulError } from '../errors.ts'
import { KIB, MIB } from '../text/units.ts'

/**
 * Bytes that a piece wrote into the work folder, and their CRC-32, which is counted while they are written. It is no
 * defence against someone who may write there; it finds what a disk, a copy or an editor changed. With the length it
 * costs a fiftieth of a SHA-1.
 */
export interface WrittenBytes {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  readonly crc: number
}

/** A whole file: bytes after these are damage too. */
export interface WrittenFile extends WrittenBytes {
  readonly offset: 0
}

/** One buffer for all files: there are hundreds. */
const chunk = Buffer.allocUnsafeSlow(256 * KIB)

export function isIntact(folder: string, { file, offset, bytes, crc }: WrittenBytes): boolean {
  const path = join(folder, file)
  if (!existsSync(path)) return false
  const fd = openSync(path, 'r')
  try {
    let found = 0
    for (let at = 0; at < bytes; ) {
      const got = readSync(fd, chunk, 0, Math.min(chunk.length, bytes - at), offset + at)
      if (got === 0) return false
      found = crc32(chunk.subarray(0, got), found)
      at += got
    }
    return found === crc
  } finally {
    closeSync(fd)
  }
}

/** The same for a whole file. */
export function isIntactFile(folder: string, written: WrittenFile): boolean {
  return isIntact(folder, written) && statSync(join(folder, written.file)).size === written.bytes
}

/** The error of a work file that is not what was written. The next run finds it so, and does its piece again. */
export function damaged(path: string): PosthaulError {
  return new PosthaulError(`${path} is not as this transform wrote it: something changed or removed it`, {
    code: 'unavailable',
    hint: 'run the same command again: it makes that piece anew, and keeps the others',
  })
}

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
