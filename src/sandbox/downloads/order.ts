import { z } from 'zod'
import { invalid } from '../routes/api-error.ts'

const MIB = 1024 * 1024
const WEEK = 7n * 86_400_000_000n

/** What an export orders. Of the service's models, formats and filters no other is here. */
const Body = z.object({
  model: z.literal('events'),
  file: z.object({
    format: z.literal('JSONLines'),
    compression: z.literal('gzip'),
    max_size_mb: z.int().positive(),
  }),
  data_interval_start: z.iso.datetime({ offset: true }),
  data_interval_end: z.iso.datetime({ offset: true }),
})

/** What a download is to contain. Times are microseconds since the epoch. */
export interface Order {
  /** Bytes of a file after which the next begins. */
  readonly fileBytes: number
  /** The first moment. */
  readonly start: bigint
  /** The moment after the last. */
  readonly end: bigint
}

/** Reads the body that orders a download of events. ApiError as the service words it; `now` in ms since the epoch. */
export function readOrder(body: unknown, now: number): Order {
  const asked = Body.safeParse(body)
  if (!asked.success) {
    const { path, message } = asked.error.issues[0]!
    throw invalid(message, path.join('__'))
  }
  const { file, data_interval_start, data_interval_end } = asked.data
  const [start, end] = [Date.parse(data_interval_start), Date.parse(data_interval_end)].map(
    (millis) => BigInt(millis) * 1000n,
  ) as [bigint, bigint]
  const present = BigInt(now) * 1000n
  if (start > end) throw invalid("'data_interval_end' must occur after 'data_interval_start'")
  if (end - start > WEEK) throw invalid('data interval range too big. The most is seven days.')
  if (start > present) throw invalid("The provided 'data_interval_start' is in the future")
  if (end > present) throw invalid("The provided 'data_interval_end' is in the future")
  return { fileBytes: file.max_size_mb * MIB, start, end }
}
