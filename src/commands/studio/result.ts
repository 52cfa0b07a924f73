import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `studio` says when its page is there. */
export const studioResult = resultOf('studio', {
  url: z.string().describe('secret: it holds a token'),
  mapping: z.strictObject({ path: z.string(), exists: z.boolean() }),
  records: count,
  files: count,
  whole: z.boolean().describe('that is the whole input'),
  fault: z.string().nullable().describe('of the mapping file'),
  pid: count,
})

export type StudioResult = ValueOf<typeof studioResult>
