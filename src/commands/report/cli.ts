import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import { addDatasetArguments, datasetsOf } from '../dataset-argument.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { REPORT_ROWS, type ReportOptions } from './order.ts'
import { runReport } from './run.ts'
import { reportText } from './text.ts'

const HELP = `
Writes one HTML file that shows what was moved, from where, when and how: it
loads nothing, runs nothing, and can be sent by mail or printed. It is made of
what lies on disk or in the bucket: manifests, rejects, the state of the import,
and what verify found last. What could not be found is said on the page.

With POSTHOG_PERSONAL_API_KEY (scopes query:read and group:read; also
ingestion_warning:read and project:read, for why events are missing) the service
is asked again, as verify asks it. What it answers is kept beside the state of
the import, in place of what the last verify found, and missing events are
written to a file there, ready for import --file. Nothing is sent.`

/** `report`: one page of HTML on a migration, for those who were not there. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useReported(command, REPORT_ROWS, { io, exit }, (options, args) =>
    report(datasetsOf(args, undefined), options, io),
  )
}

async function report(names: readonly string[], options: ReportOptions, io: Io): Promise<ExitCode> {
  const { json } = options.values
  const { result, verdict } = await runReport(names, options, io)
  io.telemetry.summary('report', { json: result, text: json ? '' : reportText(result, verdict) })
  if (json) io.stdout.write(jsonLine(result))
  return EXIT.done
}
