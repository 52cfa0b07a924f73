import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { addDatasetArguments, datasetsOf } from '../jobs/dataset-argument.ts'
import { type AskedOfService, gatherReport } from '../jobs/report/gather-report.ts'
import { askService, REPORT_ROWS, type ReportOptions } from '../jobs/report/order.ts'
import { assertPagePlace, writePage } from '../jobs/report/report-page.ts'
import { apiSettingsIfAny } from '../options/index.ts'
import { jsonLine } from '../text/index.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'
import { reportJson, reportText } from './text/report.ts'

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
  const { out, overwrite, json, checkpoint, state, endpoint } = options.values
  const place = { path: out, overwrite }
  await assertPagePlace(place)
  const settings = await apiSettingsIfAny(options, io.stdin)
  const data = await gatherReport(
    {
      names,
      where: { checkpoint, state, endpoint },
      stateWords: [
        ...(checkpoint === undefined ? [] : ['--checkpoint', checkpoint]),
        ...(state === undefined ? [] : ['--state', state]),
        ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
      ],
      ...(settings && { ask: (asked: AskedOfService) => askService(asked, settings, io) }),
    },
    io,
  )
  const size = await writePage(place, data)
  const summary = reportJson(names, out, size, data)
  io.telemetry.summary('report', { json: summary, text: json ? '' : reportText(out, size, data) })
  if (json) io.stdout.write(jsonLine(summary))
  return EXIT.done
}
