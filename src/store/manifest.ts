import { z } from 'zod'
import { isJsonObject } from '../text/json.ts'
import { sum } from '../text/lists.ts'
import { isStoreName } from './name.ts'

export const countShape = z.number().int().nonnegative()
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day, YYYY-MM-DD')

/** Counts by name. A plain record schema drops the key `__proto__`, which may be an event's name; this takes any key. */
export const tallyShape = z.custom<Record<string, number>>(
  (value) => isJsonObject(value) && Object.values(value).every((n) => countShape.safeParse(n).success),
  'expected an object of counts',
)

/** A manifest of any other version is refused. */
export const MANIFEST_VERSION = 2

const fileShape = {
  file: z.string().refine(isStoreName, 'expected the name of a file in this dataset'),
  /** As stored, so after gzip. */
  bytes: countShape,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'),
}

const partShape = {
  file: fileShape.file,
  /** Lines, which is events or raw records. */
  events: countShape,
  bytes: fileShape.bytes,
  sha256: fileShape.sha256,
}

const eventPart = z.strictObject({
  ...partShape,
  day,
  /** Timestamps of the first and last event, in the canonical 27 characters. */
  first: z.string(),
  last: z.string(),
})

const rawPart = z.strictObject({ ...partShape, window: z.string(), first: z.null(), last: z.null() })

/**
 * manifest.json: what a dataset holds.
 *
 * What it proves. The manifest is written last, atomically, after every part it names is whole and synced. So a
 * folder with a manifest is a finished dataset, and the manifest says to the byte what belongs to it: each part's
 * size, sha256, lines, and first and last timestamp; where every record went, and every member of them; and the sha256 of
 * `arrival.ndjson` (arrival.ts), which `verify` later compares with the service.
 *
 * What becomes of a dataset when a run is cut short: src/state/README.md.
 *
 * What it refuses. Another version, and keys it does not know. Part names that leave the folder. Counts that contradict each other or the parts: a manifest edited by
 * hand. What it cannot see by itself, a part that is gone or has another size, `assertParts` (dataset.ts) refuses.
 */
/** Records are lines of the source; every one is mapped to an event, rejected, or left out on purpose. */
const records = z
  .strictObject({ read: countShape, mapped: countShape, rejected: countShape, filtered: countShape })
  .refine((r) => r.read === r.mapped + r.rejected + r.filtered, {
    error: 'read is not the sum of mapped, rejected and filtered',
  })

/** Events are what was made of them. `generated` were made of several records, and are among the written. */
const events = z
  .strictObject({
    made: countShape,
    written: countShape,
    rejected: countShape,
    duplicate: countShape,
    /** Left out, because earlier datasets have them; only where some were named. */
    earlier: countShape.optional(),
    generated: countShape,
  })
  .refine((e) => e.made === e.written + e.rejected + e.duplicate + (e.earlier ?? 0), {
    error: 'made is not the sum of written, rejected, duplicate and earlier',
  })

/** Elements of records, where one becomes several events. Every one was made an event, or left out on purpose. */
const children = z.strictObject({ read: countShape, filtered: countShape })

const about = {
  /** The program that wrote it, `posthaul 0.1.0`. */
  tool: z.string(),
  created_at: z.iso.datetime(),
  /** Where the records came from: `preset`, `mapping_sha256` and whatever else is worth knowing later. */
  source: z.record(z.string(), z.string()),
}

const groupType = z.strictObject({ events: countShape, oldest: z.iso.datetime() })
const groupTypes = z.custom<Record<string, { events: number; oldest: string }>>(
  (value) => isJsonObject(value) && Object.values(value).every((type) => groupType.safeParse(type).success),
  'expected an object of group types',
)

/** A dataset of some of the people in its input. */
const trial = z.strictObject({
  by: z.enum(['people', 'days']),
  most: countShape,
  people: countShape,
  /** What the events of the whole carry as `$import_job_id`. */
  whole_import_id: z.string(),
  /** Events of the whole. */
  whole_events: countShape,
})

const eventsManifest = z
  .strictObject({
    ...about,
    version: z.literal(MANIFEST_VERSION),
    kind: z.literal('events'),
    /** The version of the rules that made the events, `mixpanel 1.1`. */
    rules: z.string(),
    /** The values of `$import_job_id` that the events carry; null when they can't be told by it. */
    import_ids: z.array(z.string()).nullable(),
    trial: trial.optional(),
    records,
    /** Where a record becomes several events. */
    children: children.optional(),
    events,
    rejects: tallyShape,
    filtered: tallyShape,
    mends: tallyShape,
    /** Integers over 2^53, by property: the service rounds them later. */
    big_integers: tallyShape,
    /** What became of each member of the records, by its path, then by its fate. */
    members: z.custom<Record<string, Record<string, number>>>(
      (value) =>
        isJsonObject(value) && Object.values(value).every((fates) => tallyShape.safeParse(fates).success),
      'expected an object of counts by fate',
    ),
    /** What became of the members that are not told apart. */
    other_members: tallyShape,
    names: tallyShape,
    /** Events whose names are not told apart. */
    other_names: countShape,
    /** Events by UTC day. */
    days: z.record(day, countShape),
    properties: tallyShape,
    /** Values of the properties that are not told apart. */
    other_properties: countShape,
    /** Events that name each group type, and the time of the oldest. */
    group_types: groupTypes,
    /**
     * The group types that the service makes of the events: how many events get the type's column, and the time of the
     * oldest that makes it.
     */
    groups: groupTypes,
    /** How many distinct ids there are, roughly. */
    distinct_ids: z.strictObject({ approximate: countShape }),
    /** The file that proves what should arrive. */
    arrival: z.strictObject({ ...fileShape, lines: countShape }),
    /** What later datasets need to know: links.ts. */
    links: z.strictObject({ ...fileShape, lines: countShape }),
    parts: z.array(eventPart),
  })
  .refine(
    (m) => !m.children || m.children.read - m.children.filtered === m.events.made - m.events.generated,
    {
      error: 'made is not the number of children that were not filtered, and of generated events',
    },
  )
  .refine((m) => sum(m.parts.map((part) => part.events)) === m.events.written, {
    error: "the parts' events are not as many as were written",
  })
  .refine((m) => sum(Object.values(m.days)) === m.events.written, {
    error: 'the days and the parts hold different numbers of events',
  })
  .refine((m) => sum(Object.values(m.names)) + m.other_names === m.events.written, {
    error: 'the names and the parts hold different numbers of events',
  })

const rawManifest = z
  .strictObject({
    ...about,
    version: z.literal(MANIFEST_VERSION),
    kind: z.literal('raw'),
    records: countShape,
    parts: z.array(rawPart),
  })
  .refine((m) => sum(m.parts.map((part) => part.events)) === m.records, {
    error: "the parts' records are not as many as the manifest says",
  })

export const manifestSchema = z.discriminatedUnion('kind', [eventsManifest, rawManifest])

export type EventsManifest = z.infer<typeof eventsManifest>
export type RawManifest = z.infer<typeof rawManifest>
export type Manifest = EventsManifest | RawManifest
export type EventPart = EventsManifest['parts'][number]
