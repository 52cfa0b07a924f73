import type { InputFile } from '../inputs/input-file.ts'
import { readSpread } from '../inputs/spread.ts'
import type { Job } from '../transform/job.ts'

/** Rows that a table of the page shows at once: a search finds the others. */
export const MOST_ROWS = 100

/** Records of the sample, and how they were come by. */
export interface StudioSample {
  readonly records: readonly SampleRecord[]
  readonly input: {
    readonly files: number
    /** On disk or in the bucket, packed where the files are packed. */
    readonly bytes: number
    /** In the sample. */
    readonly records: number
    /** True when the sample is all there is. */
    readonly whole: boolean
    /** Records in the whole input, judged by the sample's share of the bytes; null where nothing tells. */
    readonly estimatedRecords: number | null
  }
}

export interface SampleOptions {
  /** So many are wanted. */
  readonly records: number
  readonly stop: AbortSignal
}

/** Reads a sample spread over all inputs; those that no reader could make records of come last. */
export async function takeStudioSample(
  inputs: readonly InputFile[],
  { columns, withTable }: Pick<Job, 'columns' | 'withTable'>,
  { records: wanted, stop }: SampleOptions,
): Promise<StudioSample> {
  const spread = await readSpread(inputs, { records: wanted, columns, withTable, stop })
  const read = spread.records.map(({ bytes, row, input, number }): SampleRecord => {
    return { bytes, row, refused: null, file: input.name, line: number ?? null }
  })
  const refused = spread.refused.map(({ input, number, reason, message, record }): SampleRecord => {
    return {
      bytes: Buffer.alloc(0),
      refused: { reason, message, record },
      file: input.name,
      line: number ?? null,
    }
  })
  const records = [...read, ...refused]
  const { files, bytes, bytesRead, whole, read: total } = spread
  return {
    records,
    input: {
      files,
      bytes,
      records: records.length,
      whole: whole && records.length === total,
      estimatedRecords: whole ? total : estimate(total, bytes, bytesRead),
    },
  }
}

function estimate(records: number, bytes: number, bytesRead: number): number | null {
  return bytesRead > 0 && records > 0 ? Math.round((records * bytes) / bytesRead) : null
}

/** Why a reader could not make a record of a piece of the input. */
interface ReadRefusal {
  readonly reason: string
  readonly message: string
  /** Its text; null when it was too long to be held. */
  readonly record: string | null
}

/** One record of the sample. Its place in the sample is its number. */
export interface SampleRecord {
  /** A line of JSON; empty for what was refused. */
  readonly bytes: Buffer
  /** As its file has it, where column types made others of its cells. */
  readonly row?: string | undefined
  readonly refused: ReadRefusal | null
  /** The input's name. */
  readonly file: string
  /** From 1; null where the reading began in the middle of the file. */
  readonly line: number | null
}
