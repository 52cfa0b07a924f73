import { z } from 'zod'
import { FINDING_LEVELS } from '../../checks/finding.ts'
import { count, level, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `doctor` answers. */
export const doctorResult = resultOf('doctor', {
  ready: z.boolean().describe('there is no error'),
  counts: z.record(level, count).describe('by level'),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      level: level.describe(FINDING_LEVELS.map((name) => `\`${name}\``).join(', ')),
      text: z.string(),
      cause: z.string().nullable(),
      remedy: z.string().nullable(),
    }),
  ),
})

export type DoctorResult = ValueOf<typeof doctorResult>
