import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { VENDORS } from '../../sources/vendors.ts'
import { withOptions } from '../../text/command-line.ts'
import { folded } from '../../text/fold.ts'
import { jsonLine } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { visible } from '../../text/visible.ts'
import type { CommandModule } from '../module.ts'
import { renderError } from '../render-error.ts'
import { useReported } from '../reported.ts'
import { type ExportAnswer, runVendorExport } from './run.ts'
import { exportPlanLines, exportPlanText, exportText, isShort } from './text.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  for (const vendor of VENDORS) {
    const own = command.command(vendor.name).description(vendor.description)
    own.addHelpText('after', vendor.help)
    useReported(own, vendor.rows, { io, exit }, async ({ values }) => {
      const answer = await runVendorExport(vendor, values, io)
      return values.dryRun ? showPlan(answer, values.json, io) : show(answer, values.json, io)
    })
  }
  command.addHelpText('after', HELP)
}

const HELP = `
Each writes a raw dataset: one part per window, and manifest.json when all are
there. If it is killed or interrupted, the same command continues. Then run:
  posthaul transform --preset mixpanel --in raw/ --out events/`

function showPlan({ result }: ExportAnswer, json: boolean, io: Io): ExitCode {
  if (json) io.stdout.write(jsonLine(result))
  else io.stdout.write(exportPlanLines(result, io.stdout.isTTY === true))
  io.telemetry.summary('export', { json: result, text: json ? '' : exportPlanText(result) })
  return EXIT.done
}

/** Prints the summary, and how to go on. */
function show({ result, said, failure, again }: ExportAnswer, json: boolean, io: Io): ExitCode {
  io.telemetry.summary('export', { json: result, text: json ? '' : exportText(result, said) })
  if (json) io.stdout.write(jsonLine(result))
  if (failure !== undefined) return renderError(failure, io)
  if (result.windows.refused.length > 0) {
    if (result.error?.hint) io.stderr.write(folded(visible(result.error.hint), '  '))
    io.stderr.write(`  then: ${posthaulLine(io.argv)}\n`)
    return EXIT.paused
  }
  if (!isShort(result)) return EXIT.done
  io.stderr.write(`  then: ${posthaulLine(withOptions(io.argv, again))}\n`)
  return EXIT.rejects
}
