import { PosthaulError } from '../errors.ts'
import type { Encoding } from '../mapping/index.ts'
import type { InputFile } from './input-file.ts'

/** What a mapping file says of how inputs are read. */
export interface CellReading {
  readonly encoding?: Encoding | undefined
  readonly json?: 'python' | undefined
}

/**
 * Inputs to be read as a mapping file says. A byte order mark decides over it. Code `input` for UTF-16 without a mark that
 * nobody has spoken of.
 */
export function readAs(inputs: readonly InputFile[], { encoding, json }: CellReading): InputFile[] {
  return inputs.map((input) => {
    // Nobody has said anything: no second copy of a list of many files.
    if ((encoding ?? json ?? input.encoding ?? input.json) === undefined) return input
    const { json: _, ...plain } = input
    const isJson = input.format === 'ndjson' || input.format === 'json'
    const read = { ...plain, ...(isJson && json && { json }) }
    if (input.isMarked || input.format === 'parquet' || input.format === 'avro') return read
    const { encoding: seen, ...rest } = read
    if (encoding !== undefined) return encoding === 'utf-8' ? rest : { ...rest, encoding }
    if (seen === undefined) return read
    throw new PosthaulError(`${input.path} is text in UTF-16 without a byte order mark`, {
      code: 'input',
      hint: `say so in the mapping file: "encoding: ${seen}"; posthaul init writes it`,
    })
  })
}
