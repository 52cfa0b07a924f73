import { PosthaulError } from '../../errors.ts'
import { ByteWriter } from '../../record/byte-writer.ts'
import { MAX_LINE_BYTES } from '../../record/lines.ts'
import type { InputFile } from '../input-file.ts'
import type { RecordSink } from '../record-sink.ts'
import { type Block, openAvro } from './container.ts'
import { AvroFault, Cursor, compileSchema, MOST_EMPTY, type WriteValue } from './schema.ts'

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
