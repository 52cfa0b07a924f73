import { z } from 'zod'
import { STAGES } from '../../text/index.ts'
import { count, resultOf, seconds, type ValueOf } from '../result-parts.ts'

const needs = z.strictObject({ memory_mib: count, disk_gib: count })

/** What `fleet plan` answers. */
export const fleetPlanResult = resultOf('fleet plan', {
  out: z.string(),
  plan: z.string().describe('its id'),
  kept: z.boolean().describe('the same was there'),
  fleet_finished: z.boolean(),
  tasks: count.describe('a stage'),
  exact: z.boolean().describe('records were counted, not estimated'),
  tried: z.strictObject({ records: count, rejected: count }),
  input_files: count,
  input_bytes: count,
  records: count,
  events: count,
  import: z.strictObject({
    events_per_minute: count,
    seconds_at_cap: count,
    needs_approval: z.boolean(),
    granted_events_per_second: count,
    seconds_if_granted: count,
  }),
  core_hours: z.number(),
  hours_at_once: z.number().describe('with a core for each task'),
  shuffle_bytes: count,
  most_objects: count,
  busy_tasks: z.strictObject({ map: count, generate: count }),
  largest_task: z.strictObject({
    index: count,
    bytes: count,
    mean_bytes: z.number(),
    file: z.strictObject({ name: z.string(), bytes: count, stored: count }).nullable(),
  }),
  task_needs: z.partialRecord(z.enum(STAGES), needs).describe('of each stage of the plan'),
  largest_day_bytes: count,
  next: z.array(z.string()).describe('commands'),
})

const doneTask = z.strictObject({ index: count, seconds })
const runningTask = z.strictObject({
  index: count,
  host: z.string(),
  seconds: count,
  share: z.number().nullable(),
})

/** What `fleet status` answers. */
export const fleetStatusResult = resultOf('fleet status', {
  out: z.string(),
  plan: z.string(),
  tool: z.string(),
  created_at: z.string(),
  tasks: count,
  finished: z.boolean(),
  stages: z
    .partialRecord(
      z.enum(STAGES),
      z.strictObject({
        done: count,
        running: count,
        failed: count,
        failed_for_good: count,
        lost: count,
        waiting: count,
        slowest_running: runningTask.nullable(),
        slowest_done: doneTask.nullable(),
        seconds_left: count.nullable(),
        lost_tasks: z.array(runningTask),
        errors: z.array(
          z.strictObject({
            index: count,
            tries: count,
            for_good: z.boolean(),
            at: z.string(),
            code: z.string(),
            exit: count,
            fate: z.string(),
            message: z.string(),
            hint: z.string().nullable(),
          }),
        ),
      }),
    )
    .describe('of each'),
  leftovers: z.strictObject({ files: count, bytes: count, unfinished: count }),
  next: z.array(z.string()).describe('commands'),
})

export type FleetPlanResult = ValueOf<typeof fleetPlanResult>
export type FleetStatusResult = ValueOf<typeof fleetStatusResult>
