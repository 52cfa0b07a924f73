import { z } from 'zod'
import { isStoreName } from './name.ts'

/**
 * manifest.json: what a dataset holds.
 *
 * What it proves. The manifest is written last, atomically, after every part it names is whole and synced. So a
 * folder with a manifest is a finished dataset, and the manifest says to the byte what belongs to it: each part's
 * size, sha256, lines, and first and last timestamp; where every record went; how many events each day has of each
 * name, which is what `verify` later compares with the service.
 *
 * The crash cases.
 * - Killed while parts are being written: parts without a manifest. Nothing takes them for a dataset; the next run
 *   of the same command replaces them.
 * - Killed while the manifest is being written: a hidden temporary file, and the old manifest or none. As above.
 * - Killed after it: the dataset is finished. The same command again makes the same parts.
 * - Power lost: the parts' bytes and names are synced before the manifest's are, so a manifest never outlives a part.
 * - A dataset made anew over an old one: its writer removes the old manifest first, so that no moment shows an old
 *   manifest beside new parts.
 *
 * What it refuses. A version it does not know, and keys it does not know: a newer posthaul meant something by
 * them. Part names that leave the folder. Counts that contradict each other or the parts: a manifest edited by
 * hand. What it cannot see by itself, a part that is gone or has another size, `assertParts` (dataset.ts) refuses.
 */
const count = z.number().int().nonnegative()
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day, YYYY-MM-DD')

/** Counts by name. A plain record schema drops the key `__proto__`, which may be an event's name; this takes any key. */
export const tally = z.custom<Record<string, number>>(
  (value) => isObject(value) && Object.values(value).every((n) => count.safeParse(n).success),
  'expected an object of counts',
)

const partShape = {
  file: z.string().refine(isStoreName, 'expected the name of a file in this dataset'),
  /** Lines, which is events or raw records. */
  events: count,
  /** As stored, so after gzip. */
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'),
}

const eventPart = z.strictObject({
  ...partShape,
  day,
  /** Timestamps of the first and last event, in the canonical 27 characters. */
  first: z.string(),
  last: z.string(),
})

const rawPart = z.strictObject({ ...partShape, window: z.string(), first: z.null(), last: z.null() })

const counts = z
  .strictObject({
    read: count,
    written: count,
    rejected: count,
    filtered: count,
    duplicate: count,
    pending: count,
    /** Events in the parts that were made from several records: identity links, group updates. */
    generated: count,
  })
  .refine((c) => c.read === c.written + c.rejected + c.filtered + c.duplicate + c.pending, {
    error: 'read is not the sum of written, rejected, filtered, duplicate and pending',
  })

const common = {
  version: z.literal(1),
  /** The program that wrote it, `posthaul 0.1.0`. */
  tool: z.string(),
  created_at: z.iso.datetime(),
  /** Where the records came from: `preset`, `mapping_sha256` and whatever else is worth knowing later. */
  source: z.record(z.string(), z.string()),
  counts,
  rejects: tally,
  mends: tally,
  /** Integers over 2^53, by property: the service rounds them later. */
  big_integers: tally,
}

const eventsManifest = z
  .strictObject({
    ...common,
    kind: z.literal('events'),
    parts: z.array(eventPart),
    /** Events by UTC day and name. */
    days: z.record(day, tally),
  })
  .refine((m) => sum(m.parts.map((part) => part.events)) === m.counts.written + m.counts.generated, {
    error: "the parts' events are not the sum of written and generated",
  })
  .refine(
    (m) => sum(Object.values(m.days).map((d) => sum(Object.values(d)))) === sum(m.parts.map((p) => p.events)),
    {
      error: 'the days and the parts hold different numbers of events',
    },
  )

const rawManifest = z
  .strictObject({ ...common, kind: z.literal('raw'), parts: z.array(rawPart), days: z.record(day, tally) })
  .refine((m) => sum(m.parts.map((part) => part.events)) === m.counts.written + m.counts.generated, {
    error: "the parts' events are not the sum of written and generated",
  })

export const manifestSchema = z.discriminatedUnion('kind', [eventsManifest, rawManifest])

export type EventsManifest = z.infer<typeof eventsManifest>
export type RawManifest = z.infer<typeof rawManifest>
export type Manifest = EventsManifest | RawManifest
export type EventPart = EventsManifest['parts'][number]
export type RawPart = RawManifest['parts'][number]

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
