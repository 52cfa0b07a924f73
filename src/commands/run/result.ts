import { z } from 'zod'
import { RUN_STAGES } from '../../options/run-rows.ts'
import { count, errorPart, resultOf, seconds, type ValueOf } from '../../result-parts.ts'

const step = { window: z.string(), stage: z.enum(RUN_STAGES) }

/** What `run` answers. */
export const runResult = resultOf('run', {
  file: z.string(),
  ready: z.boolean().describe('it could begin'),
  finished: z.boolean(),
  exit_code: count,
  counts: z
    .strictObject({ written: count, rejected: count, pending: count })
    .nullable()
    .describe('of the whole migration'),
  stopped_in_time: z.boolean(),
  stages: z
    .array(
      z.strictObject({
        ...step,
        exit_code: count,
        finished: z.boolean(),
        seconds,
        summary: z.record(z.string(), z.unknown()).nullable().describe("the command's own"),
      }),
    )
    .describe('that this run did'),
  left: z.array(z.strictObject({ ...step, why: z.string() })),
  next_at: z.string().nullable().describe('when the next window can be fetched'),
  seconds,
  next_command: z.string().nullable(),
  error: errorPart.nullable(),
})

export type RunResult = ValueOf<typeof runResult>
