import { type InputFile, readSpread } from '../inputs/index.ts'
import type { Job } from '../transform/index.ts'
import type { SampleRecord } from './sample-record.ts'
import type { StudioInput } from './studio-data.ts'

/** Records of the sample, and how they were come by. */
export interface StudioSample {
  readonly records: readonly SampleRecord[]
  readonly input: Omit<StudioInput, 'said'>
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
