import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import {
  addDatasetArguments,
  COMPARE_ROWS,
  type CompareOptions,
  compareOrder,
  datasetsOf,
} from '../jobs/index.ts'
import { LATE } from '../jobs/late.ts'
import { jsonLine, paintedFor, posthaulLine } from '../text/index.ts'
import type { CommandModule } from './command.ts'
import { assertHtml, writeHtml } from './html-option.ts'
import { useReported } from './reported.ts'
import { compareText, reportListText } from './text/compare.ts'

const HELP = `
Asks the vendor, the dataset and PostHog the same charts, puts their numbers
side by side, and says why they differ: what was rejected, left out or a copy,
time zones, people who are joined, events of others. What no cause explains is
the headline. The exit code is 0 where nothing is unexplained beyond the
tolerance, else 3.

Answers are kept beside the state of the import, and a run that is cut short
goes on. Needs POSTHOG_PERSONAL_API_KEY (scopes query:read and project:read),
with --with the vendor's credentials as export takes them, and the package
@duckdb/node-api.`

/** `compare`: do the charts agree? */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useReported(command, COMPARE_ROWS, { io, exit }, (options, args) =>
    compare(datasetsOf(args, options.values.dataset), options, io),
  )
}

async function compare(names: readonly string[], options: CompareOptions, io: Io): Promise<ExitCode> {
  const { html, json, listReports } = options.values
  const order = compareOrder(names, options.values, io.env)
  await assertHtml(html)
  const { compareExit, keepLast, listSavedReports, runCompare } = await LATE.compare()
  if (listReports) {
    const listed = await listSavedReports(order, io)
    io.stdout.write(json ? jsonLine(listed) : reportListText(listed))
    return compareExit(listed)
  }
  const compared = await runCompare(order, options, io)
  const { result } = compared
  io.telemetry.summary('compare', { json: result, text: '' })
  io.stdout.write(json ? jsonLine(result) : paintedFor(compareText(result), io.stdout, io.env))
  await writeHtml(html, ({ comparePage }) => comparePage(compared, io), io)
  await keepLast(order, compared, html)
  if (!result.equal) io.stderr.write(`  once it is mended: ${posthaulLine([...io.argv, '--refetch'])}\n`)
  return compareExit(result)
}
