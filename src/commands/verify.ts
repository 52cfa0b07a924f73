import { compare, type Days, spansOf, sumOfDays } from '../audit/compare.ts'
import { surveyDistinct } from '../audit/survey.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { continueCommand } from '../report/command-line.ts'
import { progressFor } from '../report/progress.ts'
import { RowWriter } from '../report/rows.ts'
import { differencesView, verifyJson, verifySummary } from '../report/verify.ts'
import type { Api } from '../service/api.ts'
import { countEvents, type EventCount } from '../service/event-counts.ts'
import { chooseProject } from '../service/projects.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import { withApi } from './api-session.ts'
import type { CommandModule } from './command.ts'
import { addDatasetArguments, datasetsOf } from './dataset-argument.ts'
import { addEndpointFlag, placed } from './endpoint-flag.ts'
import { addApiFlags } from './service-flags.ts'

interface Flags {
  readonly dataset?: string
  readonly file?: readonly string[]
  readonly with?: readonly string[]
  readonly json?: boolean
  readonly endpoint?: string
}

const HELP = `
Compares what the manifests count for each UTC day and event name with what the
service counts (each uuid once). Datasets and files that share days are verified
together, such as a dataset and the mended rejects of it. Prints the
differences; exit code 0 when there are none, 3 when there are. Needs
POSTHOG_PERSONAL_API_KEY (with the scope query:read) and POSTHOG_REGION or
POSTHOG_HOST.`

/** `verify`: the counts per day and event, here and in the service. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(addEndpointFlag(command))
    .option('--file <events.ndjson...>', 'files that were imported as they are, counted with the datasets')
    .option('--with <switch...>', 'a switch of the preset posthog that they were imported with')
    .option('--json', 'print the result as one JSON object on stdout')
    .addHelpText('after', HELP)
  addApiFlags(command).action(async (args: string[], flags: Flags) =>
    exit(
      await verify(
        flags.file ? [...args, flags.dataset ?? []].flat() : datasetsOf(args, flags.dataset),
        flags,
        io,
      ),
    ),
  )
}

async function verify(datasets: readonly string[], flags: Flags, io: Io): Promise<ExitCode> {
  // First, for it costs nothing: a wrong path should not need a key to be told.
  const manifests = await Promise.all(
    datasets.map(async (dataset) => readEventsManifest(await openStore(placed(dataset, flags)))),
  )
  // One that is named twice is there once.
  const unique = new Map(
    manifests.map((manifest) => [manifest.parts.map(({ sha256 }) => sha256).join(), manifest]),
  )
  const files = flags.file ?? []
  const ofFiles = files.length > 0 ? [await daysOfFiles(files, flags.with ?? [], io)] : []
  const days = sumOfDays([...[...unique.values()].map((manifest) => manifest.days), ...ofFiles])
  const comparison = await withApi({ ...flags }, io, async (api) =>
    compare(days, countsOf(api, await chooseProject(api), days)),
  )
  if (flags.json) io.stdout.write(`${JSON.stringify(verifyJson([...datasets, ...files], comparison))}\n`)
  else if (comparison.differences.length > 0) {
    const writer = new RowWriter('table', differencesView, io.stdout)
    for (const difference of comparison.differences) await writer.write(difference)
    await writer.end()
  }
  io.stderr.write(verifySummary(comparison))
  if (comparison.differences.length === 0) return EXIT.done
  // What is more there will not become less.
  if (comparison.differences.some(({ here, there }) => there < here))
    io.stderr.write(`  then: ${continueCommand(io.argv)}\n`)
  return EXIT.rejects
}

/** What the service should hold of files that were imported as they are: by the same rules, each event once. */
async function daysOfFiles(files: readonly string[], switches: readonly string[], io: Io): Promise<Days> {
  const { eventFileReader, openEventFiles } = await import('./event-files.ts')
  const source = await openEventFiles(files)
  const rules = { groupEventName: GROUP_EVENT, bigIntegersAsStrings: false, switches }
  const progress = progressFor(io.stderr)
  progress.start('read', source.totalBytes)
  const open = async () => ({ source, reader: eventFileReader(rules) })
  return surveyDistinct({ open, interrupted: io.interrupted, progress: progress.add }).finally(progress.stop)
}

async function* countsOf(api: Api, projectId: string, days: Days): AsyncGenerator<EventCount> {
  for (const { first, last } of spansOf(days)) yield* countEvents(api, projectId, first, last)
}
