import { z } from 'zod'

/**
 * One number of a chart. `at`: for a series the first day of the bucket (`2024-03-01`), or `whole`; for a funnel the step,
 * from `1`; for retention the first day of the start's period and the number of periods after it, `2024-03-01+2`; for people
 * `whole`. `by`: the value of the property that the series is divided by, null without one, `` for events that lack it.
 * Cells of 0 are left out.
 */
export const chartCellSchema = z.strictObject({
  at: z.string(),
  by: z.string().nullable(),
  value: z.number(),
})
export type ChartCell = z.output<typeof chartCellSchema>

/** What one side answers to one chart. */
export const chartAnswerSchema = z.strictObject({
  cells: z.array(chartCellSchema),
  /** The zone of its days; null where the side doesn't tell. */
  zone: z.string().nullable(),
  /** The side says that it looked at a sample, or that it estimates. */
  estimated: z.boolean(),
  /** What a reader must know about these numbers, a sentence each. */
  notes: z.array(z.string()),
})
export type ChartAnswer = z.output<typeof chartAnswerSchema>

/** Why a side has no answer to a chart, as a sentence: its API can't be asked for it. */
export interface NoAnswer {
  readonly unanswered: string
}
