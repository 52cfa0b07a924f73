import { compare, type Days, spansOf } from '../delivery/compare.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import { continueCommand } from '../report/command-line.ts'
import { RowWriter } from '../report/rows.ts'
import { differencesView, verifyJson, verifySummary } from '../report/verify.ts'
import type { Api } from '../service/api.ts'
import { countEvents, type EventCount } from '../service/event-counts.ts'
import { chooseProject } from '../service/projects.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { withApi } from './api-session.ts'
import type { CommandModule, Io } from './command.ts'
import { addDatasetArgument, datasetOf } from './dataset-argument.ts'
import { addEndpointFlag, placed } from './endpoint-flag.ts'
import { addApiFlags } from './service-flags.ts'

interface Flags {
  readonly dataset?: string
  readonly json?: boolean
  readonly endpoint?: string
}

const HELP = `
Compares what the dataset's manifest counts for each UTC day and event name with
what the service counts (each uuid once). Prints the differences; exit code 0
when there are none, 3 when there are. Needs POSTHOG_PERSONAL_API_KEY (with the
scope query:read) and POSTHOG_REGION or POSTHOG_HOST.`

/** `verify`: the counts per day and event, here and in the service. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(addEndpointFlag(command))
    .option('--json', 'print the result as one JSON object on stdout')
    .addHelpText('after', HELP)
  addApiFlags(command).action(async (argument: string | undefined, flags: Flags) =>
    exit(await verify(datasetOf(argument, flags.dataset), flags, io)),
  )
}

async function verify(dataset: string, flags: Flags, io: Io): Promise<ExitCode> {
  // First, for it costs nothing: a wrong path should not need a key to be told.
  const { days } = await readEventsManifest(await openStore(placed(dataset, flags)))
  const comparison = await withApi({ ...flags }, io, async (api) =>
    compare(days, countsOf(api, await chooseProject(api), days)),
  )
  if (flags.json) io.stdout.write(`${JSON.stringify(verifyJson(dataset, comparison))}\n`)
  else if (comparison.differences.length > 0) {
    const writer = new RowWriter('table', differencesView, io.stdout)
    for (const difference of comparison.differences) await writer.write(difference)
    await writer.end()
  }
  io.stderr.write(verifySummary(comparison))
  if (comparison.differences.length === 0) return EXIT.done
  io.stderr.write(`  then: ${continueCommand(io.argv)}\n`)
  return EXIT.rejects
}

async function* countsOf(api: Api, projectId: string, days: Days): AsyncGenerator<EventCount> {
  for (const { first, last } of spansOf(days)) yield* countEvents(api, projectId, first, last)
}
