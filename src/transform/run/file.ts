import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { MIB } from '../../units.ts'

const CHUNK_BYTES = MIB

/**
 * A run file under way. Bytes not written yet are after the end of `room`, whose own bytes stay as they are: copying
 * within one buffer takes half the time of copying between two. Only one file at a time has bytes there: it is drained
 * before another one is written to.
 */
export class RunFile {
  readonly name: string
  /** Bytes so far. */
  length = 0
  readonly #path: string
  readonly #room: ByteWriter
  #held = 0
  /** Of what is held, the bytes that are in the checksum. */
  #summed = 0
  #crc = 0
  #fd: number | undefined

  constructor(folder: string, name: string, room: ByteWriter) {
    this.name = name
    this.#path = join(folder, name)
    this.#room = room
  }

  /** Makes room for `size` bytes at the end of the file and returns their index in the room. */
  add(size: number): number {
    if (this.#held + size > CHUNK_BYTES) this.drain()
    // Growing copies only the room's own bytes, so it must happen while nothing is held after them.
    if (this.#held === 0) this.#room.ensure(Math.max(CHUNK_BYTES, size))
    const at = this.#room.length + this.#held
    this.#held += size
    this.length += size
    return at
  }

  /** Writes what is held. */
  drain(): void {
    if (this.#held === 0) return
    this.#sum()
    this.#fd ??= openSync(this.#path, 'w')
    const { bytes, length } = this.#room
    for (let at = 0; at < this.#held; ) at += writeSync(this.#fd, bytes, length + at, this.#held - at)
    this.#held = 0
    this.#summed = 0
  }

  /** The CRC-32 of the bytes since the last call. */
  takeCrc(): number {
    this.#sum()
    const crc = this.#crc
    this.#crc = 0
    return crc
  }

  #sum(): void {
    const { bytes, length } = this.#room
    this.#crc = crc32(bytes.subarray(length + this.#summed, length + this.#held), this.#crc)
    this.#summed = this.#held
  }

  close(): void {
    this.drain()
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}
