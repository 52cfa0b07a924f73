import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Body, Store } from '../../store/index.ts'
import type { FleetPiece, WholeFile } from './done-file.ts'

/** The files that a task writes into the fleet's store: their names begin with the task's own. */
export class TaskFiles {
  /** In the order in which they were written. */
  readonly written: WholeFile[] = []
  readonly #store: Store
  readonly #task: string

  /** `task`: as `map/000012`. */
  constructor(store: Store, task: string) {
    this.#store = store
    this.#task = task
  }

  nameOf(name: string): string {
    return `${this.#task}/${name}`
  }

  async put(name: string, body: Body): Promise<WholeFile> {
    const file = this.nameOf(name)
    const { bytes } = await this.#store.put(file, body)
    const whole = { file, bytes }
    this.written.push(whole)
    return whole
  }

  /** The same for a file that is read as one piece. */
  async piece(name: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<FleetPiece> {
    let crc = 0
    async function* summed(): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        crc = crc32(chunk, crc)
        yield chunk
      }
    }
    const { file, bytes } = await this.put(name, summed())
    return { file, offset: 0, bytes, crc }
  }
}

/** Bytes of a file on this machine: all of it, or from `start` to `end`. */
export interface LocalBytes {
  readonly path: string
  readonly start?: number
  readonly end?: number
}

/** The bytes of some files on this machine, one after the other. */
export async function* bytesIn(files: Iterable<LocalBytes>): AsyncGenerator<Buffer> {
  for (const { path, start = 0, end = Number.POSITIVE_INFINITY } of files) {
    // Node's ends are inclusive.
    if (end > start) yield* createReadStream(path, { start, end: end - 1 }) as AsyncIterable<Buffer>
  }
}
