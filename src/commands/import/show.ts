import { hasErrors } from '../../checks/finding.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { StatePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { isS3 } from '../../store/s3-location.ts'
import { mendedCommand, rejectsCommand, withoutRestart } from '../../text/command-line.ts'
import { jsonLine } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { renderError } from '../render-error.ts'
import type { ImportPlan } from './plan-import.ts'
import type { ImportEnd } from './run.ts'
import { importPlanText, importText, isForeign } from './text.ts'

/** How a run of the import ended. */
interface Delivered {
  readonly exit: ExitCode
  /** The input came to its end. */
  readonly finished: boolean
}

/** Prints the summary, and how to go on. */
export function showImport(
  { result, said, outcome }: ImportEnd,
  asked: { readonly json: boolean; readonly verify: boolean; readonly place: StatePlace },
  io: Io,
): Delivered {
  if (asked.json) io.stdout.write(jsonLine(result))
  io.telemetry.summary('import', { json: result, text: asked.json ? '' : importText(result, said) })
  const { error, stoppedInTime } = outcome
  if (error !== undefined)
    return { exit: renderError(error, { ...io, argv: withoutRestart(io.argv) }), finished: false }
  if (result.rejects_file !== null && !isForeign(result)) {
    const fetched = isS3(asked.place.location)
    if (fetched) io.stderr.write(`  get a copy: ${rejectsCommand(io.argv)}\n`)
    io.stderr.write(`  mend ${fetched ? 'it' : 'a copy'}, then: ${mendedCommand(io.argv)}\n`)
  }
  if (stoppedInTime) io.stderr.write(`  then: ${posthaulLine(withoutRestart(io.argv))}\n`)
  else if (!asked.verify && result.counts.written > 0) io.stderr.write(`  next: ${said.verify}\n`)
  // Only the run that made rejects exits with 3, so that a scheduler hears of them once. Later summaries still name them.
  return { exit: outcome.rejectedNow > 0 ? EXIT.rejects : EXIT.done, finished: !stoppedInTime }
}

/** Prints what an import would do. */
export function showPlan({ result, said }: ImportPlan, asked: { readonly json: boolean }, io: Io): ExitCode {
  if (asked.json) io.stdout.write(jsonLine(result))
  io.telemetry.summary('import', { json: result, text: asked.json ? '' : importPlanText(result, said) })
  const stops = hasErrors(result.findings)
  if (!stops && !isForeign(result))
    io.stderr.write(`  next: ${posthaulLine(io.argv.filter((word) => word !== '--dry-run'))}\n`)
  return stops || result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
