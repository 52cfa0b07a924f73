import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { isForeign, planJson, planSummary } from '../jobs/import/import-summary.ts'
import type { ImportPlan } from '../jobs/import/plan-import.ts'
import { continueCommand, folded, jsonLine } from '../text/index.ts'

/** Prints what an import would do. */
export function showPlan(plan: ImportPlan, asked: { readonly json: boolean }, io: Io): ExitCode {
  const { subject, planned, texts, stops, seconds } = plan
  const json = planJson(subject, planned, seconds)
  if (asked.json) io.stdout.write(jsonLine(json))
  io.telemetry.summary('import', { json, text: asked.json ? '' : planSummary(subject, planned) })
  for (const text of texts) io.stderr.write(folded(text, '            ', '  groups    '))
  if (!stops && !isForeign(planned.counts, planned.reasons))
    io.stderr.write(`  next: ${continueCommand(io.argv.filter((word) => word !== '--dry-run'))}\n`)
  return stops || planned.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
