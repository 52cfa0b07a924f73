import type { InputFile } from '../inputs/input-file.ts'
import { readSpread } from '../inputs/spread.ts'
import type { Job } from '../transform/job.ts'

/** Rows that a table of the page shows at once: a search finds the others. */
export const MOST_ROWS = 100

/** Records of the sample, and how they were come by. */
export type StudioSample = Awaited<ReturnType<typeof takeStudioSample>>

export interface SampleOptions {
  /** So many are wanted. */
  readonly records: number
  readonly stop: AbortSignal
}

/** One record of the sample. Its place in the sample is its number. */
export interface SampleRecord {
  /** A line of JSON; empty for what was refused. */
  readonly bytes: Buffer
  /** As its file has it, where column types made others of its cells. */
  readonly row?: string | undefined
  /** Why a reader could not make a record of it, and its text; null when that was too long to be held. */
  readonly refused: {
    readonly reason: string
    readonly message: string
    readonly record: string | null
  } | null
  /** The input's name. */
  readonly file: string
  /** From 1; null where the reading began in the middle of the file. */
  readonly line: number | null
}

/** Reads a sample spread over all inputs; those that no reader could make records of come last. */
export async function takeStudioSample(
  inputs: readonly InputFile[],
  { columns, withTable }: Pick<Job, 'columns' | 'withTable'>,
  { records: wanted, stop }: SampleOptions,
) {
  const spread = await readSpread(inputs, { records: wanted, columns, withTable, stop })
  const placed = ({ input, number }: { readonly input: InputFile; readonly number: number | undefined }) => {
    return { file: input.name, line: number ?? null }
  }
  const records: SampleRecord[] = [
    ...spread.records.map((one) => ({ bytes: one.bytes, row: one.row, refused: null, ...placed(one) })),
    ...spread.refused.map(({ reason, message, record, ...place }) => {
      return { bytes: Buffer.alloc(0), refused: { reason, message, record }, ...placed(place) }
    }),
  ]
  const { files, bytes, whole, read } = spread
  return {
    records,
    /** `bytes`: on disk or in the bucket, packed where the files are packed. `whole`: that the sample is all there is. */
    input: { files, bytes, records: records.length, whole: whole && records.length === read },
  }
}
