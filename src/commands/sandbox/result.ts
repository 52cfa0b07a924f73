import { z } from 'zod'
import { count, type ValueOf } from '../../result-parts.ts'

/** The line that `sandbox` prints when it can be asked. */
export const sandboxResult = z.strictObject({
  version: z.literal(1),
  event: z.literal('listening'),
  url: z.string(),
  host: z.string(),
  port: count,
  project_key: z.string(),
  personal_key: z.string(),
  project_id: count,
  data: z.string(),
  temporary: z.boolean().describe('`data` is deleted at the end'),
  faults: z.array(z.string()),
  seed: count,
  settings: z.array(z.string()).describe('of the project'),
  pid: count,
})

export type SandboxResult = ValueOf<typeof sandboxResult>
