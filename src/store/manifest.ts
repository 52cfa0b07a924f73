import { z } from 'zod'
import { isIdSketch } from '../record/index.ts'
import { readVersion1 } from './manifest-1.ts'
import {
  countShape,
  day,
  eventPart,
  fileShape,
  isObject,
  rawPart,
  sum,
  tallyShape,
} from './manifest-shapes.ts'

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
 * What it refuses. A version it does not know, and keys it does not know: a newer posthaul meant something by
 * them. Part names that leave the folder. Counts that contradict each other or the parts: a manifest edited by
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
  (value) => isObject(value) && Object.values(value).every((type) => groupType.safeParse(type).success),
  'expected an object of group types',
)

const eventsManifest = z
  .strictObject({
    ...about,
    version: z.literal(2),
    kind: z.literal('events'),
    /** The version of the rules that made the events, `mixpanel 1.1`; null for a dataset of manifest version 1. */
    rules: z.string().nullable(),
    /** The values of `$import_job_id` that the events carry; null when they can't be told by it. */
    import_ids: z.array(z.string()).nullable(),
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
        isObject(value) && Object.values(value).every((fates) => tallyShape.safeParse(fates).success),
      'expected an object of counts by fate',
    ),
    /** What became of the members that are not told apart. */
    other_members: tallyShape,
    /** Events by name. */
    names: tallyShape,
    /** Events whose names are not told apart. */
    other_names: countShape,
    /** Events by UTC day. */
    days: z.record(day, countShape),
    /** Events in which a property has a value. */
    properties: tallyShape,
    /** Values of the properties that are not told apart. */
    other_properties: countShape,
    /** Events that name each group type, and the time of the oldest. */
    group_types: groupTypes,
    /**
     * The group types that the service makes of the events: how many events get the type's column, and the time of the
     * oldest that makes it. Manifests of earlier versions have none.
     */
    groups: groupTypes.optional(),
    /** How many distinct ids there are, roughly; null when they were not counted. */
    distinct_ids: z.strictObject({ approximate: countShape }).nullable(),
    /** Tells datasets apart that have people in common: record/sketches.ts. Manifests of earlier versions have none. */
    id_sketch: z.string().refine(isIdSketch, 'expected a sketch of ids').optional(),
    /** The file that proves what should arrive; null for a dataset of manifest version 1. */
    arrival: z.strictObject({ ...fileShape, lines: countShape }).nullable(),
    /** What later datasets need to know: links.ts. Datasets of earlier versions, and of groups, have none. */
    links: z.strictObject({ ...fileShape, lines: countShape }).optional(),
    parts: z.array(eventPart),
    /** Of a dataset of manifest version 1 only, and never written: its own sha256, and its events by day and name. */
    version_1: z.strictObject({ sha256: z.string(), days: z.record(day, tallyShape) }).optional(),
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
    version: z.literal(2),
    kind: z.literal('raw'),
    /** Records in all parts. */
    records: countShape,
    parts: z.array(rawPart),
  })
  .refine((m) => sum(m.parts.map((part) => part.events)) === m.records, {
    error: "the parts' records are not as many as the manifest says",
  })

/** What a manifest that is written now must be. */
export const manifestSchema = z.discriminatedUnion('kind', [eventsManifest, rawManifest])

/** Reads a manifest of this version, or one of version 1, which is brought into this version's form. */
export function parseManifest(value: unknown): { data: Manifest } | { error: z.ZodError } {
  const old = isObject(value) && value.version === 1 ? readVersion1(value) : undefined
  if (old && !old.success) return { error: old.error }
  const parsed = manifestSchema.safeParse(old ? old.data : value)
  return parsed.success ? { data: parsed.data } : { error: parsed.error }
}

export type EventsManifest = z.infer<typeof eventsManifest>
export type RawManifest = z.infer<typeof rawManifest>
export type Manifest = EventsManifest | RawManifest
export type EventPart = EventsManifest['parts'][number]
