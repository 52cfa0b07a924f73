import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { damaged } from '../work-file.ts'

/** Bytes of a run file, from first to last. Code `unavailable` when the last are read if they are not as they were written. */
export class CheckedBytes {
  readonly path: string
  #offset: number
  #left: number
  #crc: number
  readonly #wanted: number

  /** `crc` is the CRC-32 of what is before them, 0 if they stand alone; `wanted` is that at their end. */
  constructor(path: string, offset: number, bytes: number, crc: number, wanted: number) {
    this.path = path
    this.#offset = offset
    this.#left = bytes
    this.#crc = crc
    this.#wanted = wanted
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#left
  }

  /**
   * Reads the next bytes into the block, as many as it holds; returns their number. Opens the file only meanwhile: a merge of
   * many runs must not run out of descriptors.
   */
  fill(block: Buffer): number {
    const size = Math.min(this.#left, block.length)
    const fd = openSync(this.path, 'r')
    try {
      for (let at = 0; at < size; ) {
        const got = readSync(fd, block, at, size - at, this.#offset + at)
        if (got === 0) throw damaged(this.path)
        at += got
      }
    } finally {
      closeSync(fd)
    }
    this.#crc = crc32(block.subarray(0, size), this.#crc)
    this.#offset += size
    this.#left -= size
    if (this.#left === 0 && this.#crc !== this.#wanted) throw damaged(this.path)
    return size
  }
}
