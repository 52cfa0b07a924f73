import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ByteWriter } from '../../record/writer.ts'

const CHUNK_BYTES = 1 << 20

// One for all runs of a thread: fresh memory costs as much as copying into it twice.
const chunk = new ByteWriter(CHUNK_BYTES + 64 * 1024)

/** A run file under way. One at a time has bytes in `out`: a file is drained before another one is written to. */
export class RunFile {
  readonly name: string
  readonly out = chunk
  readonly #path: string
  #fd: number | undefined
  #written = 0

  constructor(folder: string, name: string) {
    this.name = name
    this.#path = join(folder, name)
  }

  /** Bytes so far. */
  get length(): number {
    return this.#written + this.out.length
  }

  /** Writes what is held once it is enough; all of it when `all`. */
  drain(all = false): void {
    const { bytes, length } = this.out
    if (length === 0 || (length < CHUNK_BYTES && !all)) return
    this.#fd ??= openSync(this.#path, 'w')
    for (let at = 0; at < length; ) at += writeSync(this.#fd, bytes, at, length - at)
    this.#written += length
    this.out.length = 0
  }

  close(): void {
    this.drain(true)
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}
