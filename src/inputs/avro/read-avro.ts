import { crc32, inflateRawSync } from 'node:zlib'
import { Decompress } from 'fzstd'
import { uncompress } from 'snappyjs'
import { PosthaulError } from '../../errors.ts'
import { ByteWriter } from '../../record/byte-writer.ts'
import { MAX_LINE_BYTES } from '../../record/lines.ts'
import { MIB } from '../../text/units.ts'
import type { InputFile } from '../input-file.ts'
import type { RecordSink } from '../record-sink.ts'
import { AvroFault, Cursor, compileSchema, MAX_BLOCK_BYTES, MOST_EMPTY, type WriteValue } from './schema.ts'

/**
 * Reads the records of an Avro object file, each as one line of JSON, a block at a time: see `compileSchema` for how
 * values are written. A line's offset is that of its block, its number that of its record. Code `input` for a file that
 * is cut short, damaged, or packed with another codec than null, deflate, snappy and zstandard.
 */
export async function readAvro(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  maxBytes: number = MAX_LINE_BYTES,
): Promise<void> {
  let number = 0
  const [from, out] = [new Cursor(), new ByteWriter()]
  const read = (write: WriteValue, { offset, records, data }: Block): void => {
    from.reset(data)
    if (records > data.length + MOST_EMPTY)
      throw new AvroFault('a block counts more records than it has bytes', offset)
    for (let i = 0; i < records; i++) {
      out.length = 0
      number++
      sound(() => write(from, out), `record ${number}, in the block that begins at byte ${offset}: `, offset)
      if (out.length > maxBytes) sink.tooLong(offset, out.length, number)
      else sink.line(out.bytes, 0, out.length, offset, number)
    }
    if (from.at < from.end)
      throw new AvroFault(`the block that begins at byte ${offset} holds more than its records`, offset)
  }
  try {
    const { schema, blocks } = await openAvro(bytes)
    const write = sound(() => compileSchema(schema), '', 0)
    for await (const block of blocks) read(write, block)
  } catch (error) {
    if (!(error instanceof AvroFault)) throw error
    const file = input.member ? `${input.path}: ${input.member.name}` : input.path
    throw new PosthaulError(`${file} cannot be read as Avro: ${error.message} (byte ${error.at ?? 0})`, {
      code: 'input',
      hint: error.message.endsWith('which is not read')
        ? 'write it anew with the codec deflate, snappy or zstandard, or with none'
        : 'fetch or copy the file again; nothing was made from it',
      cause: error,
    })
  }
}

/** Does work that can meet damage: what nests for ever overflows the stack. A fault is told by a byte of the file. */
function sound<T>(work: () => T, where: string, at: number): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof AvroFault) throw new AvroFault(where + error.message, at)
    if (error instanceof RangeError) throw new AvroFault(`${where}it is nested for ever`, at)
    throw error
  }
}

const AVRO_MAGIC = 'Obj\x01'
const SYNC_BYTES = 16
/** A schema of ten thousand columns has a megabyte or two. */
const MAX_HEAD_BYTES = 16 * MIB
const LONGEST_NUMBER = 10
const CRC_BYTES = 4

/** Some of a file's records, unpacked. */
interface Block {
  readonly offset: number
  readonly records: number
  readonly data: Buffer
}

/**
 * The schema of an Avro object file, as JSON text, and its blocks: https://avro.apache.org/docs/1.12.0/specification/#object-container-files. Holds one block at
 * a time. AvroFault, with the byte of the file, for one that is cut short or altered, or packed with a codec that is not read. A
 * file cut between two blocks can't be told from a whole one: the format has no mark of its end.
 */
async function openAvro(source: AsyncIterable<Buffer>) {
  const bytes = new ByteQueue(source)
  if ((await bytes.take(AVRO_MAGIC.length)).toString('latin1') !== AVRO_MAGIC)
    throw new AvroFault('it does not begin as an Avro file does', 0)
  const meta = await metaOf(bytes)
  const sync = Buffer.from(await bytes.take(SYNC_BYTES))
  const schema = meta.get('avro.schema')
  if (schema === undefined) throw new AvroFault('its head has no schema', 0)
  return { schema, blocks: blocksOf(bytes, sync, unpackerOf(meta.get('avro.codec') ?? 'null')) }
}

async function metaOf(bytes: ByteQueue): Promise<Map<string, string>> {
  const meta = new Map<string, string>()
  const start = bytes.offset
  const text = async () => {
    const { offset } = bytes
    const size = await bytes.number()
    if (size < 0 || offset + size - start > MAX_HEAD_BYTES) throw new AvroFault('its head is damaged', offset)
    return (await bytes.take(size)).toString('utf8')
  }
  for (;;) {
    const count = await bytes.number()
    if (count === 0) return meta
    if (count < 0) await bytes.number()
    for (let i = 0; i < Math.abs(count); i++) meta.set(await text(), await text())
  }
}

async function* blocksOf(bytes: ByteQueue, sync: Buffer, unpack: Unpack): AsyncGenerator<Block> {
  while (!(await bytes.ended())) {
    const { offset } = bytes
    const records = await bytes.number()
    const size = await bytes.number()
    if (records < 0 || size < 0) throw new AvroFault('a block has a negative size', offset)
    if (size > MAX_BLOCK_BYTES)
      throw new AvroFault(`a block of ${size} bytes is over the ${MAX_BLOCK_BYTES} that are read`, offset)
    yield { offset, records, data: unpack(await bytes.take(size), offset) }
    const at = bytes.offset
    if (!(await bytes.take(SYNC_BYTES)).equals(sync))
      throw new AvroFault(
        `the block that begins at byte ${offset} does not end with the file's sync marker`,
        at,
      )
  }
}

/** Hands out a stream's bytes in pieces of any size. A piece is gone when the next one is asked for. */
class ByteQueue {
  offset = 0
  readonly #source: AsyncIterator<Buffer>
  readonly #cursor = new Cursor()
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async ended(): Promise<boolean> {
    await this.#hold(1)
    return this.#held.length === 0
  }

  async take(size: number): Promise<Buffer> {
    await this.#hold(size)
    if (this.#held.length < size) throw this.#cutShort()
    return this.#pass(size)
  }

  async number(): Promise<number> {
    await this.#hold(LONGEST_NUMBER)
    const first = this.#held.subarray(0, LONGEST_NUMBER)
    if (first.length < LONGEST_NUMBER && first.every((byte) => byte >= 0x80)) throw this.#cutShort()
    this.#cursor.reset(first)
    const value = this.#cursor.size()
    this.#pass(this.#cursor.at)
    return value
  }

  #cutShort(): AvroFault {
    return new AvroFault('it is cut short: it ends in the middle', this.offset + this.#held.length)
  }

  #pass(size: number): Buffer {
    const piece = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    this.offset += size
    return piece
  }

  /** Gathers as many bytes, or all there are. */
  async #hold(size: number): Promise<void> {
    if (this.#held.length >= size) return
    const pieces = [this.#held]
    let bytes = this.#held.length
    while (bytes < size) {
      const next = await this.#source.next()
      if (next.done) break
      pieces.push(next.value)
      bytes += next.value.length
    }
    this.#held = Buffer.concat(pieces, bytes)
  }
}

type Unpack = (block: Buffer, offset: number) => Buffer

/** Each in plain JavaScript, or of the platform: nothing is compiled or fetched when posthaul is installed. */
const CODECS: ReadonlyMap<string, (block: Buffer) => Buffer> = new Map([
  ['null', (block) => block],
  ['deflate', (block) => inflateRawSync(block, { maxOutputLength: MAX_BLOCK_BYTES })],
  ['snappy', unsnappy],
  ['zstandard', unzstd],
])

function unpackerOf(codec: string): Unpack {
  const unpack = CODECS.get(codec)
  if (!unpack) throw new AvroFault(`its blocks are packed with ${JSON.stringify(codec)}, which is not read`)
  return (block, offset) => {
    try {
      return unpack(block)
    } catch (error) {
      throw new AvroFault(`its ${codec} data is damaged: ${(error as Error).message}`, offset)
    }
  }
}

/** Snappy has no checksum: Avro adds one of the unpacked bytes. */
function unsnappy(block: Buffer): Buffer {
  const end = Math.max(0, block.length - CRC_BYTES)
  const data = uncompress(block.subarray(0, end), MAX_BLOCK_BYTES)
  if (crc32(data) !== block.readUInt32BE(end)) throw new Error('its checksum is wrong')
  return data
}

function unzstd(block: Buffer): Buffer {
  const pieces: Uint8Array[] = []
  let bytes = 0
  const unpacker = new Decompress((piece) => {
    bytes += piece.length
    if (bytes > MAX_BLOCK_BYTES) throw new Error(`a block holds over ${MAX_BLOCK_BYTES} bytes`)
    pieces.push(piece)
  })
  unpacker.push(block, true)
  return Buffer.concat(pieces, bytes)
}
