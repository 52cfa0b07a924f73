import { z } from 'zod'
import { count, findingPart, level, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `doctor` answers. */
export const doctorResult = resultOf('doctor', {
  ready: z.boolean().describe('no errors'),
  counts: z.record(level, count).describe('by level'),
  findings: z.array(findingPart),
})

export type DoctorResult = ValueOf<typeof doctorResult>
