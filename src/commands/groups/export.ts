import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import { addKeyHelp } from '../module.ts'
import { useReported } from '../reported.ts'
import { groupsExportText, pageReporter } from './groups-export.ts'
import { EXPORT_ROWS, exportGroups, type GroupsExportOptions } from './run.ts'

/** `groups export`: groups as a dataset of events that `import` takes. */
export function configureExport(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent
    .command('export')
    .description('write groups as a dataset of group events, which import takes as it is')
  addKeyHelp(command, 'group:read (--via query: query:read too)')
  useReported(command, EXPORT_ROWS, { io, exit }, (options) => run(options, io))
}

async function run(options: GroupsExportOptions, io: Io): Promise<ExitCode> {
  const { result, parts } = await exportGroups(options, pageReporter(io.telemetry), io)
  io.telemetry.summary('export', { json: result, text: groupsExportText(result, parts) })
  if (options.values.json) io.stdout.write(jsonLine(result))
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
