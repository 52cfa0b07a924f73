import { PosthaulError } from '../../errors.ts'
import { ByteWriter } from '../../record/byte-writer.ts'
import { MAX_LINE_BYTES } from '../../record/lines.ts'
import type { InputFile } from '../input-file.ts'
import type { RecordSink } from '../record-sink.ts'
import { type Block, Container, codecOf } from './container.ts'
import { AvroFault, Cursor } from './cursor.ts'
import type { WriteValue } from './scalars.ts'
import { compileSchema, MOST_EMPTY } from './schema.ts'

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
  const container = new Container(bytes)
  let at = 0
  try {
    const { schema, codec } = await container.head()
    const unpack = codecOf(codec)
    const read = recordReader(compileSchema(schema), sink, maxBytes)
    for await (const block of container.blocks()) {
      at = block.offset
      read(block, unpack(block.data))
    }
  } catch (error) {
    throw avroError(error, input.member ? `${input.path}: ${input.member.name}` : input.path, at)
  }
}

/** What reads the records of one block after another. */
function recordReader(write: WriteValue, sink: RecordSink, maxBytes: number) {
  const [from, out] = [new Cursor(), new ByteWriter()]
  let number = 0
  /** A fault inside a block is told by the block's byte: the others are of unpacked data. */
  const readOne = (offset: number): void => {
    try {
      write(from, out)
    } catch (error) {
      if (!(error instanceof AvroFault)) throw error
      const where = `record ${number + 1}, in the block that begins at byte ${offset}`
      throw new AvroFault(`${where}: ${error.message}`, offset)
    }
  }
  return ({ offset, records }: Block, data: Buffer): void => {
    from.reset(data)
    if (records > data.length + MOST_EMPTY)
      throw new AvroFault('a block counts more records than it has bytes', offset)
    for (let i = 0; i < records; i++) {
      out.length = 0
      readOne(offset)
      number++
      if (out.length > maxBytes) sink.tooLong(offset, out.length, number)
      else sink.line(out.bytes, 0, out.length, offset, number)
    }
    if (from.at < from.end)
      throw new AvroFault(`the block that begins at byte ${offset} holds more than its records`, offset)
  }
}

function avroError(error: unknown, file: string, at: number): unknown {
  if (!(error instanceof AvroFault)) return error
  const isCodec = error.message.endsWith('which is not read')
  return new PosthaulError(`${file} cannot be read as Avro: ${error.message} (byte ${error.at ?? at})`, {
    code: 'input',
    hint: isCodec
      ? 'write it anew with the codec deflate, snappy or zstandard, or with none'
      : 'fetch or copy the file again; nothing was made from it',
    cause: error,
  })
}
