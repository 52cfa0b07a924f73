import { crc32, inflateRawSync } from 'node:zlib'
import { Decompress } from 'fzstd'
import { uncompress } from 'snappyjs'
import { MIB } from '../../text/units.ts'
import { AvroFault } from './cursor.ts'

const AVRO_MAGIC = 'Obj\x01'

const SYNC_BYTES = 16
/** A schema of ten thousand columns has a megabyte or two. */
const MAX_HEAD_BYTES = 16 * MIB
const LONGEST_NUMBER = 10

/** What the head of an Avro object file says. */
interface AvroHead {
  /** The schema, as JSON text. */
  readonly schema: string
  readonly codec: string
}

/** Some of a file's records, packed. */
export interface Block {
  /** Where it begins in the file. */
  readonly offset: number
  readonly records: number
  readonly data: Buffer
}

/**
 * Reads Avro object files: https://avro.apache.org/docs/1.12.0/specification/#object-container-files. Holds one block at
 * a time. AvroFault, with the byte of the file, for one that is cut short or altered. A file cut between two blocks
 * can't be told from a whole one: the format has no mark of its end.
 */
export class Container {
  readonly #bytes: ByteQueue
  #sync: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = new ByteQueue(bytes)
  }

  async head(): Promise<AvroHead> {
    const bytes = this.#bytes
    if ((await bytes.take(AVRO_MAGIC.length)).toString('latin1') !== AVRO_MAGIC)
      throw new AvroFault('it does not begin as an Avro file does', 0)
    const meta = await this.#meta()
    this.#sync = Buffer.from(await bytes.take(SYNC_BYTES))
    const schema = meta.get('avro.schema')
    if (schema === undefined) throw new AvroFault('its head has no schema', 0)
    return { schema: schema.toString('utf8'), codec: meta.get('avro.codec')?.toString('latin1') ?? 'null' }
  }

  async *blocks(): AsyncGenerator<Block> {
    const bytes = this.#bytes
    while (!(await bytes.ended())) {
      const { offset } = bytes
      const records = await bytes.number()
      const size = await bytes.number()
      if (records < 0 || size < 0) throw new AvroFault('a block has a negative size', offset)
      if (size > MAX_BLOCK_BYTES)
        throw new AvroFault(`a block of ${size} bytes is over the ${MAX_BLOCK_BYTES} that are read`, offset)
      const data = await bytes.take(size)
      yield { offset, records, data }
      const at = bytes.offset
      if (!(await bytes.take(SYNC_BYTES)).equals(this.#sync))
        throw new AvroFault(
          `the block that begins at byte ${offset} does not end with the file's sync marker`,
          at,
        )
    }
  }

  async #meta(): Promise<Map<string, Buffer>> {
    const meta = new Map<string, Buffer>()
    const bytes = this.#bytes
    const start = bytes.offset
    for (;;) {
      const count = await bytes.number()
      if (count === 0) return meta
      if (count < 0) await bytes.number()
      for (let i = 0; i < Math.abs(count); i++) {
        const name = (await this.#sized()).toString('utf8')
        meta.set(name, Buffer.from(await this.#sized()))
        if (bytes.offset - start > MAX_HEAD_BYTES) throw new AvroFault('its head is damaged', start)
      }
    }
  }

  async #sized(): Promise<Buffer> {
    const { offset } = this.#bytes
    const size = await this.#bytes.number()
    if (size < 0 || size > MAX_HEAD_BYTES) throw new AvroFault('its head is damaged', offset)
    return this.#bytes.take(size)
  }
}

/** Hands out a stream's bytes in pieces of any size. A piece is gone when the next one is asked for. */
class ByteQueue {
  /** Bytes handed out so far. */
  offset = 0
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async ended(): Promise<boolean> {
    return (await this.#hold(1)) === 0
  }

  async take(size: number): Promise<Buffer> {
    if ((await this.#hold(size)) < size)
      throw new AvroFault('it is cut short: it ends in the middle', this.offset + this.#held.length)
    return this.#pass(size)
  }

  /** A number in Avro's form: seven bits a byte, the sign in the lowest. */
  async number(): Promise<number> {
    await this.#hold(LONGEST_NUMBER)
    let value = 0
    for (let i = 0; i < LONGEST_NUMBER; i++) {
      const byte = this.#held[i]
      if (byte === undefined) throw new AvroFault('it is cut short: it ends in the middle', this.offset + i)
      value += (byte & 0x7f) * 128 ** i
      if (byte >= 0x80) continue
      this.#pass(i + 1)
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
    throw new AvroFault('a number has too many bytes', this.offset)
  }

  #pass(size: number): Buffer {
    const piece = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    this.offset += size
    return piece
  }

  /** Gathers as many bytes, or all there are; returns how many are held. */
  async #hold(size: number): Promise<number> {
    if (this.#held.length >= size) return this.#held.length
    const pieces = [this.#held]
    let bytes = this.#held.length
    while (bytes < size) {
      const next = await this.#source.next()
      if (next.done) break
      pieces.push(next.value)
      bytes += next.value.length
    }
    this.#held = Buffer.concat(pieces, bytes)
    return bytes
  }
}

/** The most that a block may hold, packed or unpacked: writers make blocks of kilobytes, some of a few megabytes. */
export const MAX_BLOCK_BYTES = 64 * MIB

const CRC_BYTES = 4

type Unpack = (block: Buffer) => Buffer

/** Each in plain JavaScript, or of the platform: nothing is compiled or fetched when posthaul is installed. */
const CODECS: Readonly<Record<string, Unpack>> = {
  null: (block) => block,
  deflate: (block) => inflateRawSync(block, { maxOutputLength: MAX_BLOCK_BYTES }),
  snappy: unsnappy,
  zstandard: unzstd,
}

/** What unpacks a file's blocks, by the name in its head. AvroFault for a codec that is not read. */
export function codecOf(name: string): Unpack {
  const unpack = Object.hasOwn(CODECS, name) ? CODECS[name] : undefined
  if (!unpack) throw new AvroFault(`its blocks are packed with ${JSON.stringify(name)}, which is not read`)
  return (block) => {
    try {
      return unpack(block)
    } catch (error) {
      if (error instanceof AvroFault) throw error
      throw new AvroFault(`its ${name} data is damaged: ${(error as Error).message}`)
    }
  }
}

/** Snappy has no checksum: Avro adds one of the unpacked bytes. */
function unsnappy(block: Buffer): Buffer {
  const end = block.length - CRC_BYTES
  if (end < 0) throw new AvroFault('its snappy data has no checksum')
  const data = uncompress(block.subarray(0, end), MAX_BLOCK_BYTES)
  if (crc32(data) !== block.readUInt32BE(end)) throw new AvroFault('the checksum of its snappy data is wrong')
  return data
}

function unzstd(block: Buffer): Buffer {
  // The library makes room for what the head of a frame says, which damage can say too.
  if (zstdWindow(block) > MAX_BLOCK_BYTES) throw new AvroFault('the head of its zstandard data is damaged')
  const pieces: Uint8Array[] = []
  let bytes = 0
  const unpacker = new Decompress((piece) => {
    bytes += piece.length
    if (bytes > MAX_BLOCK_BYTES) throw new AvroFault(`a block holds over ${MAX_BLOCK_BYTES} bytes`)
    pieces.push(piece)
  })
  unpacker.push(block, true)
  return Buffer.concat(pieces, bytes)
}

/** Bytes that a frame asks a reader to keep: https://datatracker.ietf.org/doc/html/rfc8878#section-3.1.1.1 */
function zstdWindow(frame: Buffer): number {
  const descriptor = frame[4] ?? 0
  const isSingle = (descriptor & 0x20) !== 0
  if (!isSingle) {
    const window = frame[5] ?? 0
    return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8)
  }
  const dictionary = [0, 1, 2, 4][descriptor & 3]!
  const sizeBytes = 1 << (descriptor >> 6)
  const at = 5 + dictionary
  if (frame.length < at + sizeBytes) return 0
  return sizeBytes === 8 ? Number(frame.readBigUInt64LE(at)) : frame.readUIntLE(at, sizeBytes)
}
