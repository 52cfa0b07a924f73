import { z } from 'zod'
import { CellKind } from '../state/cell-kind.ts'

/*
 * What the last finished `verify` found: `<input>.verified.json`, beside the state of the import.
 *
 * It is for people and pages: `report` shows it to those who have no key. It names the inputs by their hashes, so that it is
 * not taken for the proof of a dataset that was made anew. It is replaced whole by the next verify that comes to its end,
 * and nothing depends on it: where it can't be written, verify says so and goes on.
 */
const count = z.number()
const maybe = count.nullable()

const warning = z.object({
  type: z.string(),
  severity: z.string(),
  sampled: count,
  example: z.object({ uuid: z.string(), file: z.string().nullable(), line: maybe }).nullable(),
})

const found = z.object({
  equal: z.boolean(),
  proof: z.enum(['fingerprints', 'counts']),
  days: count,
  events: z.object({
    here: count,
    service: count,
    others: count,
    missing: maybe,
    unknown: maybe,
    doubled: count.optional(),
  }),
  /** Days and names that differ, oldest day first: at most 10,000, and then one a day. `event` null: all of the day. */
  differences: z
    .array(
      z.object({
        day: z.string(),
        event: z.string().nullable(),
        here: count,
        service: count,
        missing: maybe,
        unknown: maybe,
      }),
    )
    .readonly(),
  missing_file: z.string().nullable(),
  values: z.object({ compared: count, absent: count, changed: count }).nullable(),
  persons: z
    .object({
      distinct_ids: z.object({ here: maybe, service: count }),
      persons: count,
      merges: z.object({ events: count, asked: count, apart: z.array(z.unknown()).readonly() }),
      groups: z
        .array(
          z.object({
            type: z.string(),
            events: z.object({ here: maybe, service: count }),
            keys: z.object({ service: count }),
          }),
        )
        .readonly(),
    })
    .nullable(),
  put_right: z.object({ persons: count, equal: count }).nullable(),
  unasked: z.array(z.string()).readonly(),
  /** Why events may be missing; an earlier version kept neither. */
  likely_causes: z
    .array(z.object({ cause: z.string(), events: count }))
    .readonly()
    .optional(),
  ingestion_warnings: z
    .object({ unasked: z.string().nullable(), types: z.array(warning).readonly() })
    .nullish(),
})

const schema = z.object({
  version: z.literal(1),
  tool: z.string(),
  /** When the service was asked. */
  asked_at: z.iso.datetime(),
  host: z.string(),
  project: z.string(),
  /** `sha256`: `VerifyInput.sha256`. `own`: the import made the events itself. */
  inputs: z.array(z.object({ paths: z.array(z.string()), sha256: z.string(), own: z.boolean() })),
  found,
})

export type Verified = z.infer<typeof schema>

/** One that can't be read is as good as none: nothing depends on it. */
export const VERIFIED = new CellKind({ name: 'last verify', schema, version: 1 })

/** Without the members that are not kept. */
export function keptOf(verified: Verified): Verified {
  return schema.parse(verified)
}

/** What a verify found, as the program that ran it says it. */
export type SavedVerdict = Verified['found']
