import { z } from 'zod'
import { isStoreName } from './name.ts'

// The pieces that the versions of a manifest share.

export const countShape = z.number().int().nonnegative()
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day, YYYY-MM-DD')

/** Counts by name. A plain record schema drops the key `__proto__`, which may be an event's name; this takes any key. */
export const tallyShape = z.custom<Record<string, number>>(
  (value) => isObject(value) && Object.values(value).every((n) => countShape.safeParse(n).success),
  'expected an object of counts',
)

export const fileShape = {
  file: z.string().refine(isStoreName, 'expected the name of a file in this dataset'),
  /** As stored, so after gzip. */
  bytes: countShape,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'),
}

// In this order, in which checkpoints of manifests of version 1 hash it.
const partShape = {
  file: fileShape.file,
  /** Lines, which is events or raw records. */
  events: countShape,
  bytes: fileShape.bytes,
  sha256: fileShape.sha256,
}

export const eventPart = z.strictObject({
  ...partShape,
  day,
  /** Timestamps of the first and last event, in the canonical 27 characters. */
  first: z.string(),
  last: z.string(),
})

export const rawPart = z.strictObject({ ...partShape, window: z.string(), first: z.null(), last: z.null() })

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
