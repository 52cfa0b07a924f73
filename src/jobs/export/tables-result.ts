import { z } from 'zod'
import { count, type ValueOf } from '../result-parts.ts'

const texts = z.array(z.string())

/** What a database has: `posthaul export postgres --list --json`. */
export const exportListResult = z.strictObject({
  version: z.literal(1),
  command: z.literal('export --list'),
  vendor: z.string(),
  server: z.string(),
  shapes: texts.describe('that the tables fit, for --like'),
  tables: z.array(
    z.strictObject({
      schema: z.string().nullable(),
      name: z.string(),
      view: z.boolean(),
      rows: count.nullable().describe("by the server's own estimate, where it counts none"),
      bytes: count.nullable(),
      first: z.string().nullable().describe('of the first column of `times`'),
      last: z.string().nullable(),
      times: texts.describe('columns for --time-column'),
      keys: texts.describe('columns for --key'),
    }),
  ),
})

export type ExportListResult = ValueOf<typeof exportListResult>
