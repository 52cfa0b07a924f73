import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { importJson, importSummary, isForeign, planJson, planSummary } from '../jobs/import/import-summary.ts'
import type { ImportPlan } from '../jobs/import/plan-import.ts'
import type { ImportEnd } from '../jobs/import/run-import.ts'
import type { StatePlace } from '../jobs/import/state-place.ts'
import { renderError } from '../jobs/render-error.ts'
import { isS3 } from '../store/index.ts'
import {
  continueCommand,
  folded,
  jsonLine,
  mendedCommand,
  rejectsCommand,
  withoutRestart,
} from '../text/index.ts'

/** How a run of the import ended. */
export interface Delivered {
  readonly exit: ExitCode
  /** The input came to its end. */
  readonly finished: boolean
}

/** Prints the summary, and how to go on. */
export function showImport(
  { subject, outcome, seconds }: ImportEnd,
  asked: { readonly json: boolean; readonly verify: boolean; readonly place: StatePlace },
  io: Io,
): Delivered {
  const json = importJson(subject, outcome, seconds)
  if (asked.json) io.stdout.write(jsonLine(json))
  const text = asked.json ? '' : importSummary(subject, outcome, seconds)
  io.telemetry.summary('import', { json, text })
  if (outcome.error !== undefined)
    return { exit: renderError(outcome.error, { ...io, argv: withoutRestart(io.argv) }), finished: false }
  if (outcome.rejectsLeft && !isForeign(outcome.counts, outcome.tally.reasons)) {
    const fetched = isS3(asked.place.location)
    if (fetched) io.stderr.write(`  get a copy: ${rejectsCommand(io.argv)}\n`)
    io.stderr.write(`  mend ${fetched ? 'it' : 'a copy'}, then: ${mendedCommand(io.argv)}\n`)
  }
  if (outcome.stoppedInTime) io.stderr.write(`  then: ${continueCommand(withoutRestart(io.argv))}\n`)
  else if (!asked.verify && outcome.counts.written > 0) io.stderr.write(`  next: ${subject.verify}\n`)
  // Only the run that made rejects exits with 3, so that a scheduler hears of them once. Later summaries still name them.
  return { exit: outcome.rejectedNow > 0 ? EXIT.rejects : EXIT.done, finished: !outcome.stoppedInTime }
}

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
