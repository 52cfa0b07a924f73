/*
 * What a team writes around its events, as the files of a folder: `events.yaml`, `properties.yaml` and so on. A person reads,
 * edits and keeps them. Names are those of the vendor that the folder was pulled from; a push gives them their final ones.
 */
import { z } from 'zod'

/** What was given and has no field here, by the names of who gave it: nothing is left out unsaid. */
const more = z.record(z.string(), z.json()).optional()
const name = z.string().min(1)
const text = z.string().optional()
const texts = z.array(z.string()).optional()
const flag = z.boolean().optional()

const described = {
  display_name: text,
  description: text,
  tags: texts,
  hidden: flag,
  verified: flag,
  owner: text,
}

const eventSchema = z.strictObject({ name, ...described, more })

/** What a property's values are. */
export const PROPERTY_TYPES = ['text', 'number', 'boolean', 'time', 'duration', 'list', 'object'] as const

const propertySchema = z.strictObject({
  of: z.enum(['event', 'person', 'group']),
  /** The group type, for a property of groups. */
  group: text,
  name,
  type: z.enum(PROPERTY_TYPES).optional(),
  /** The events that it is described for, where the vendor describes it event by event. */
  events: texts,
  ...described,
  more,
})

const annotationSchema = z.strictObject({
  /** RFC 3339, with the zone as it was given. */
  at: z.iso.datetime({ offset: true }),
  text: z.string(),
  tags: texts,
  more,
})

/** A path below the folder: a file from elsewhere is never read as members. */
const membersFile = z
  .string()
  .regex(/^cohorts\/\w[\w.-]*\.csv$/, 'a file in cohorts/ whose name ends in .csv')

const cohortSchema = z.strictObject({
  /** The vendor's, as text. */
  id: name,
  name,
  description: text,
  /** As the vendor words it: text, or its JSON. */
  definition: z.json().optional(),
  tags: texts,
  /** One distinct_id a row under the heading `distinct_id`; null where the vendor gives no members. */
  file: membersFile.nullable(),
  /** Rows of the file. */
  members: z.int().min(0).nullable(),
  /** Why there are no members. */
  untold: text,
  more,
})

/** The insight of PostHog that is closest to a vendor's report. */
export const CLOSEST = ['trends', 'funnel', 'retention', 'paths', 'stickiness', 'lifecycle', 'sql'] as const

const reportSchema = z.strictObject({
  id: name,
  name,
  description: text,
  /** As the vendor calls it: `insights`, `TrendsQuery`. */
  kind: z.string(),
  closest: z.enum(CLOSEST).optional(),
  /** The vendor's names. */
  events: texts,
  /** A condition each, in words: `plan is pro or team`. */
  filters: texts,
  /** Other settings in words: `measure: unique people`, `interval: week`, `by: $browser`, `window: 7 days`. */
  settings: z.record(z.string(), z.string()).optional(),
  tags: texts,
  link: text,
  /** PostHog's own, of which an insight can be made again. */
  query: z.json().optional(),
  more,
})

const tileSchema = z.strictObject({
  /** The id of a report of `reports.yaml`. */
  report: text,
  /** A tile of words. */
  text,
  /** Where it is, as PostHog has it: `{ sm: { x: 0, y: 0, w: 6, h: 5 } }`. */
  layouts: z.json().optional(),
  color: text,
  more,
})

const dashboardSchema = z.strictObject({
  id: name,
  name,
  description: text,
  pinned: flag,
  tags: texts,
  link: text,
  /** In their order. */
  tiles: z.array(tileSchema).optional(),
  more,
})

/** The schema of a row of each file, by the name of the file and of its list. */
export const AROUND_ROWS = {
  events: eventSchema,
  properties: propertySchema,
  annotations: annotationSchema,
  cohorts: cohortSchema,
  reports: reportSchema,
  dashboards: dashboardSchema,
} as const

export type AroundKind = keyof typeof AROUND_ROWS
/** In the order in which they are pulled and pushed: what others name comes first. */
export const AROUND_KINDS = Object.keys(AROUND_ROWS) as AroundKind[]

export type AroundRow<K extends AroundKind = AroundKind> = z.output<(typeof AROUND_ROWS)[K]>
export type AroundCohort = AroundRow<'cohorts'>

/** What one row is told from others by, as one text. Rows are written in its order. */
export function rowKey<K extends AroundKind>(kind: K, row: AroundRow<K>): string {
  const one = row as Partial<Record<'of' | 'group' | 'at' | 'text' | 'name' | 'id', string>>
  const parts: Readonly<Record<AroundKind, readonly (string | undefined)[]>> = {
    events: [one.name],
    properties: [one.of, one.group, one.name],
    annotations: [one.at && new Date(one.at).toISOString(), one.text],
    cohorts: [one.name, one.id],
    reports: [one.name, one.id],
    dashboards: [one.name, one.id],
  }
  return parts[kind].map((part) => part ?? '').join('\n')
}
