import { evenly, readSpread, type Spread, type SpreadRefused } from '../inputs/index.ts'
import type { RecordLoop } from '../pipeline/loop.ts'
import type { Job } from './job.ts'

/** A sample that is spread over the whole input, and what was read for it. */
export interface SpreadOver {
  /** Records that were tried. */
  readonly records: number
  /** True when these are all records of the input. */
  readonly whole: boolean
  readonly files: number
  readonly filesRead: number
  /** Of all inputs, as they are stored. */
  readonly bytes: number
  /** Of these, read: more than the sample's records have. */
  readonly bytesRead: number
}

/** Gives a loop about `wanted` records that are spread over all inputs of a job. Throws when stopped. */
export async function feedSpread(
  { inputs, columns, withTable }: Pick<Job, 'inputs' | 'columns' | 'withTable'>,
  loop: RecordLoop,
  { wanted, stop }: { readonly wanted: number; readonly stop: AbortSignal },
): Promise<SpreadOver> {
  const spread = await readSpread(inputs, { records: wanted, columns, withTable, stop })
  for (const { bytes, offset, number = 0, row } of spread.records) {
    loop.asRead.row = row === undefined ? undefined : () => Buffer.from(row)
    loop.line(bytes, 0, bytes.length, offset, number)
    loop.asRead.row = undefined
  }
  const refused = shareOfRefused(spread)
  for (const { number = 0, ...one } of refused) loop.reject({ ...one, offset: 0, line: number })
  const records = spread.records.length + refused.length
  const { files, filesRead, bytes, bytesRead } = spread
  return { records, whole: spread.whole && records === spread.read, files, filesRead, bytes, bytesRead }
}

/** As large a share of the refused records as was kept of the others, and one of each reason in any case. */
function shareOfRefused({ records, refused, refusedCount, read }: Spread): SpreadRefused[] {
  const others = read - refusedCount
  const share = others === 0 ? refused.length : Math.ceil((refusedCount * records.length) / others)
  const reasons = new Set(refused.map(({ reason }) => reason))
  const first = refused.filter(({ reason }) => reasons.delete(reason))
  const rest = refused.filter((one) => !first.includes(one))
  return [...first, ...evenly(rest, Math.max(0, share - first.length))]
}
