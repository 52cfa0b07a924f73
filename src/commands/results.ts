import { z } from 'zod'
import { verifyResult } from '../imports/verify-result.ts'
import { testResult } from '../mapping-tests/result.ts'
import { errorPart } from '../result-parts.ts'
import { checkResult } from './check/result.ts'
import { doctorResult } from './doctor/result.ts'
import { explainResult } from './explain/result.ts'
import { exportResult } from './export/result.ts'
import { groupsExportResult } from './groups/result.ts'
import { importResult } from './import/result.ts'
import { initResult } from './init/result.ts'
import { presetTestResult } from './preset/result.ts'
import { reportResult } from './report/result.ts'
import { runResult } from './run/result.ts'
import { sandboxResult } from './sandbox/result.ts'
import { statusResult } from './status/result.ts'
import { studioResult } from './studio/result.ts'
import { transformResult } from './transform/result.ts'
import { undoResult } from './undo/result.ts'

export type { RunResult } from './run/result.ts'
export type { SandboxResult } from './sandbox/result.ts'
export type { TransformResult } from './transform/result.ts'

/** What each command prints with `--json`, in the order of a migration. The documentation and the tests are made of these. */
export const RESULTS = {
  init: initResult,
  export: exportResult,
  transform: transformResult,
  explain: explainResult,
  test: testResult,
  'preset test': presetTestResult,
  import: importResult,
  status: statusResult,
  check: checkResult,
  verify: verifyResult,
  undo: undoResult,
  report: reportResult,
  run: runResult,
  doctor: doctorResult,
  'groups export': groupsExportResult,
  studio: studioResult,
  sandbox: sandboxResult,
} as const

/** What a command prints that failed before it had anything to sum up. */
export const failedResult = z.strictObject({
  version: z.literal(1),
  command: z.string(),
  finished: z.literal(false),
  error: errorPart,
})
