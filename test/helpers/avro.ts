import { crc32, deflateRawSync } from 'node:zlib'
import avro from 'avsc'
import { compress } from 'snappyjs'

/** 64-bit integers as bigints: the library's own type throws beyond 2^53. */
const long = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(value))
    return bytes
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value),
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
})

export const CODECS = ['null', 'deflate', 'snappy', 'zstandard'] as const
type Codec = (typeof CODECS)[number]

const PACK: Readonly<Record<Codec, (data: Buffer) => Buffer>> = {
  null: (data) => data,
  deflate: (data) => deflateRawSync(data),
  snappy: (data) => {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(data))
    return Buffer.concat([compress(data), sum])
  },
  zstandard: storedZstd,
}

interface AvroFile {
  readonly codec?: Codec
  /** Records a block. */
  readonly block?: number
}

export const SYNC = Buffer.from('sixteen sync b..')

/** The library's type of a schema, without logical types: values are what stands in the file. */
function avroType(schema: unknown): avro.Type {
  const bare = JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'logicalType') return undefined
    return value.type === 'long' && value.name === undefined ? 'long' : value
  })
  return avro.Type.forSchema(bare, { registry: { long }, wrapUnions: 'auto' })
}

/** An Avro object file, put together by its specification; the library encodes the values. */
export function avroFile(
  schema: unknown,
  values: readonly unknown[],
  { codec = 'null', block = 100 }: AvroFile = {},
): Buffer {
  const type = avroType(schema)
  const blocks: Buffer[] = []
  for (let from = 0; from < values.length; from += block) {
    const some = values.slice(from, from + block).map((value) => type.toBuffer(value))
    blocks.push(avroBlock(some.length, PACK[codec](Buffer.concat(some))))
  }
  return Buffer.concat([avroHead(JSON.stringify(schema), codec), ...blocks])
}

export function avroHead(schema: string, codec: string): Buffer {
  const meta = { 'avro.schema': schema, 'avro.codec': codec }
  const pairs = Object.entries(meta).flatMap(([name, value]) => [sized(name), sized(value)])
  return Buffer.concat([Buffer.from('Obj\x01'), varint(2), ...pairs, varint(0), SYNC])
}

export function avroBlock(records: number, data: Buffer): Buffer {
  return Buffer.concat([varint(records), varint(data.length), data, SYNC])
}

function varint(value: number): Buffer {
  return avro.Type.forSchema('long').toBuffer(value)
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([varint(bytes.length), bytes])
}

/** A frame of one block that is not compressed: the platform packs none. */
function storedZstd(data: Buffer): Buffer {
  if (data.length >= 2 ** 17) throw new Error('a block of zstandard holds 128 KiB')
  const head = Buffer.alloc(9)
  head.writeUInt32LE(0xfd2fb528)
  head[4] = 0xa0
  head.writeUInt32LE(data.length, 5)
  const block = Buffer.alloc(3)
  block.writeUIntLE((data.length << 3) | 1, 0, 3)
  return Buffer.concat([head, block, data])
}
