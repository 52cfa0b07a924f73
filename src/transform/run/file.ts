import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { KIB, MIB } from '../../text/units.ts'

const CHUNK_BYTES = MIB
/** Stretches of this many bytes are written from where they are; shorter ones are gathered first. */
const STRETCH_BYTES = 128 * KIB

/**
 * A run file under way, which takes stretches of the bytes in `room`. Those gathered are held after the room's own bytes,
 * which stay as they are: copying within one buffer takes half the time of copying between two. Only one file at a time
 * has bytes there: it is drained before another one is written to.
 */
export class SortedRunFile {
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

  /** Appends [from, to) of the room. */
  add(from: number, to: number): void {
    const size = to - from
    this.length += size
    if (size >= STRETCH_BYTES) {
      this.drain()
      this.#crc = crc32(this.#room.bytes.subarray(from, to), this.#crc)
      this.#write(from, to)
      return
    }
    if (this.#held + size > CHUNK_BYTES) this.drain()
    // Growing copies only the room's own bytes, so it must happen while nothing is held after them.
    if (this.#held === 0) this.#room.ensure(CHUNK_BYTES)
    const { bytes, length } = this.#room
    bytes.copyWithin(length + this.#held, from, to)
    this.#held += size
  }

  /** Writes what is held. */
  drain(): void {
    if (this.#held === 0) return
    this.#sum()
    const { length } = this.#room
    this.#write(length, length + this.#held)
    this.#held = 0
    this.#summed = 0
  }

  /** The CRC-32 of the bytes since `takeCrc` was called. */
  get crc(): number {
    this.#sum()
    return this.#crc
  }

  /** The same, and begins anew. */
  takeCrc(): number {
    const { crc } = this
    this.#crc = 0
    return crc
  }

  close(): void {
    this.drain()
    if (this.#fd !== undefined) closeSync(this.#fd)
  }

  /** Takes what is held into the checksum. */
  #sum(): void {
    const { bytes, length } = this.#room
    this.#crc = crc32(bytes.subarray(length + this.#summed, length + this.#held), this.#crc)
    this.#summed = this.#held
  }

  #write(from: number, to: number): void {
    this.#fd ??= openSync(this.#path, 'w')
    const { bytes } = this.#room
    for (let at = from; at < to; ) at += writeSync(this.#fd, bytes, at, to - at)
  }
}
