import { z } from 'zod'
import {
  children,
  count,
  distinctIds,
  eventsPart,
  findingPart,
  inventory,
  records,
  resultOf,
  tally,
  type ValueOf,
} from '../../result-parts.ts'
import { plannedRequests } from '../planned-requests.ts'

const project = z.strictObject({
  id: z.string(),
  name: z.string(),
  empty: z.boolean(),
  days: z.array(z.strictObject({ day: z.string(), events: count, own: count, others: count })),
  held: z
    .strictObject({
      places: z.array(
        z.strictObject({
          day: z.string(),
          event: z.string(),
          import_id: z.string(),
          source: z.string(),
          count,
        }),
      ),
      asked: count,
      merges: count,
      moved: count,
      apart: count,
      renamed: count,
    })
    .nullable(),
  quota: z
    .strictObject({ limited: z.boolean(), usage: z.number().nullable(), limit: z.number().nullable() })
    .nullable(),
})

/** What `check` answers. */
export const checkResult = resultOf('check', {
  dataset: z.string(),
  about: z.string().describe('where the input comes from'),
  events: count,
  made_of: z
    .strictObject({
      records,
      children: children.nullable(),
      events: eventsPart.partial({ earlier: true }).omit({ pending: true }),
    })
    .nullable(),
  bytes: count,
  parts: count,
  days: count,
  span: z.strictObject({ first: z.string(), last: z.string() }).nullable(),
  names: tally,
  other_names: count,
  seconds_at_cap: count,
  requests: plannedRequests,
  caps: z.strictObject({ events_per_minute: count, events: count }),
  lanes: count,
  batch_events: count,
  young_events: count,
  group_types: tally,
  members: inventory.members.nullable(),
  other_members: inventory.other_members.nullable(),
  properties: inventory.properties.nullable(),
  other_properties: inventory.other_properties.nullable(),
  distinct_ids: distinctIds.nullable().describe('as in the manifest'),
  people: z.strictObject({ distinct_ids: count, identity_events: count }),
  project: project.nullable(),
  unasked: z.string().nullable(),
  problems: z.array(findingPart),
  questions: z
    .strictObject({ drop_events_older_than: z.string(), paid_plan: z.string() })
    .describe('that only you can answer'),
  approval_request: z.string(),
  passes: z.boolean().describe('the errors may pass by themselves'),
  next_command: z.string().describe('the import, or this check again'),
})

export type CheckResult = ValueOf<typeof checkResult>
