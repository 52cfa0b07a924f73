import { crc32, inflateRawSync } from 'node:zlib'
import { Decompress } from 'fzstd'
import { uncompress } from 'snappyjs'
import { MIB } from '../../text/index.ts'
import { AvroFault } from './fault.ts'

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
