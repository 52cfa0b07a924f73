import { z } from 'zod'
import { YOUNG_HOURS } from '../delivery/pacer.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { count, ingestionWarningsPart, resultOf, tally, type ValueOf } from '../result-parts.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_HOUR } from '../text/units.ts'

const day = z.string()
/** Null for a day that is compared as a whole. */
const event = z.string().nullable()
const named = z.strictObject({ day, event: z.string(), uuid: z.string(), distinct_id: z.string() })

/** What `verify` answers. */
export const verifyResult = resultOf('verify', {
  datasets: z.array(z.string()),
  equal: z.boolean(),
  days: count,
  events: z.strictObject({
    here: count,
    service: count,
    others: count,
    missing: count.nullable(),
    unknown: count.nullable(),
    moved: count.nullable().describe('another time of the same day'),
    rounded: count.describe('equal to the millisecond only'),
    doubled: count,
    apart: count,
  }),
  hidden: z
    .strictObject({
      events: count,
      days: count,
      months: count.describe("of the project's retention"),
      shown_from: day.describe('the first day it shows'),
    })
    .nullable()
    .describe('hidden by retention: not missing'),
  doubled: z.array(z.strictObject({ day, event, more: count, uuid: z.string(), times: z.array(z.string()) })),
  differences: z.array(
    z.strictObject({
      day,
      event,
      here: count,
      service: count,
      missing: count.nullable(),
      unknown: count.nullable(),
      moved: count.nullable(),
    }),
  ),
  inputs: z.array(
    z.strictObject({
      paths: z.array(z.string()),
      events: count,
      days: count,
      whole_days: count,
      import_ids: z.array(z.string()).nullable(),
    }),
  ),
  unreadable: count.describe('lines that are not events'),
  unreadable_in: z.string().nullable().describe('the first part with such a line'),
  missing: z.array(named),
  missing_file: z.string().nullable(),
  unknown: z.array(named),
  values: z
    .strictObject({
      compared: count,
      absent: count,
      changed: count,
      changes: z.array(
        named.extend({ property: z.string(), here: z.string().nullable(), service: z.string().nullable() }),
      ),
      known_changes: tally,
      unparseable: count,
    })
    .nullable(),
  persons: z
    .strictObject({
      distinct_ids: z.strictObject({ here: count.nullable(), service: count }),
      persons: count,
      merges: z.strictObject({
        events: count,
        asked: count,
        apart: z.array(z.tuple([z.string(), z.string()])),
      }),
      groups: z.array(
        z.strictObject({
          type: z.string(),
          events: z.strictObject({ here: count.nullable(), service: count, hidden: count }),
          since: z.string().nullable(),
          keys: z.strictObject({ service: count, asked: count, absent: z.array(z.string()) }),
        }),
      ),
    })
    .nullable(),
  ingestion_warnings: ingestionWarningsPart.nullable(),
  likely_causes: z.array(
    z.strictObject({
      cause: z
        .string()
        .describe(
          '`rejected`, `over_quota`, `kept_apart`, `young`, `not_arrived_yet`, or a type of ingestion warnings',
        ),
      events: count.describe('at most'),
      file: z.string().optional().describe('has the rejected ones'),
    }),
  ),
  unasked: z.array(z.string()),
  sent_otherwise: z
    .strictObject({
      count: count.describe('would be there twice, at most'),
      names: z.array(z.string()),
      text: z.array(z.string()),
    })
    .nullable()
    .describe('the dataset is not what was sent'),
})

export type VerifyResult = ValueOf<typeof verifyResult>

/**
 * True if no event differs or is there twice, and no value that was compared, and every line that was read is an event.
 * Events in another table, and those that the project hides, prove nothing: where there are no others, nothing is proven.
 */
export function isProven({
  differences,
  doubled,
  events,
  hidden,
  values,
  unreadable,
}: VerifyResult): boolean {
  const same = values === null || values.changed + values.absent === 0
  const isCompared = events.here > 0 || (events.apart === 0 && hidden === null)
  return differences.length + doubled.length === 0 && same && isCompared && unreadable === 0
}

/** Why events that are missing may be so, the likeliest first; none where nothing is missing. `at`: when it was asked (ISO time). */
export function likelyCauses(
  { differences, ingestion_warnings: warnings }: Pick<VerifyResult, 'differences' | 'ingestion_warnings'>,
  at: string,
  overQuota: boolean,
  rejects = { events: 0, file: '' },
): VerifyResult['likely_causes'] {
  const youngFrom = new Date(Date.parse(at) - YOUNG_HOURS * MS_PER_HOUR).toISOString().slice(0, 10)
  const missing = (of: (row: VerifyResult['differences'][number]) => boolean = () => true) =>
    sum(differences.filter(of), ({ missing, here, service }) => missing ?? Math.max(0, here - service))
  const rejected = Math.min(rejects.events, missing())
  const all = missing() - rejected
  // These it has not stored; others it has changed.
  const dropped = warnings?.types.filter(({ severity }) => ['error', 'info'].includes(severity)) ?? []
  const causes = [
    { cause: 'rejected', events: rejected, file: rejects.file },
    { cause: 'over_quota', events: overQuota ? all : 0 },
    ...dropped.map(({ type: cause }) => ({ cause, events: all })),
    // A service that has some of them among its other events may have put the later ones into their own table.
    { cause: 'kept_apart', events: missing(({ event }) => event === APART_EVENT) },
    { cause: 'young', events: missing(({ day }) => day >= youngFrom) },
    { cause: 'not_arrived_yet', events: all },
  ]
  return causes.filter(({ events }) => events > 0)
}
