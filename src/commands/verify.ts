import { compare, type Days, spansOf, sumOfDays } from '../audit/compare.ts'
import { surveyDistinct } from '../audit/survey.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { ENDPOINT, FILE } from '../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { WITH } from '../options/rows/transform-rows.ts'
import { API_ROWS } from '../options/service-settings.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { continueCommand } from '../report/command-line.ts'
import { progressFor } from '../report/progress.ts'
import { RowWriter } from '../report/rows.ts'
import { differencesView, verifyJson, verifySummary } from '../report/verify.ts'
import type { Api } from '../service/api.ts'
import { countEvents, type EventCount } from '../service/event-counts.ts'
import { chooseProject } from '../service/projects.ts'
import { readArrival } from '../store/arrival.ts'
import { readEventsManifest } from '../store/dataset.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { openStore } from '../store/open.ts'
import { withEndpoint } from '../store/s3-location.ts'
import type { Store } from '../store/store.ts'
import { withApi } from './api-session.ts'
import type { CommandModule } from './command.ts'
import { addDatasetArguments, DATASET_OPTION, datasetsOf } from './dataset-argument.ts'
import { switchesFor } from './import-settings.ts'

const VERIFY_ROWS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: 'files that were imported as they are, counted with the datasets' },
  { ...WITH, help: 'switches of the preset posthog that they were imported with' },
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

const HELP = `
Compares what the manifests count for each UTC day and event name with what the
service counts (each uuid once). Verify datasets and files that share days
together, such as a dataset and its mended rejects. Prints the differences; the
exit code is 0 if there are none, and 3 if there are. Needs
POSTHOG_PERSONAL_API_KEY (with the scope query:read) and POSTHOG_REGION or
POSTHOG_HOST.`

/** `verify`: the counts per day and event, here and in the service. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useOptions(command, VERIFY_ROWS, io.env, async (options, args) => {
    const { dataset, file } = options.values
    exit(
      await verify(
        file.length > 0 ? [...args, dataset ?? []].flat() : datasetsOf(args, dataset),
        options,
        io,
      ),
    )
  })
}

async function verify(
  datasets: readonly string[],
  options: Options<Values<typeof VERIFY_ROWS>>,
  io: Io,
): Promise<ExitCode> {
  const { file: files, endpoint, json } = options.values
  const switches = switchesFor({ kind: files.length > 0 ? 'file' : 'dataset' }, options.values.with)
  // The datasets come first, so that a wrong path is reported without a key.
  const manifests = await Promise.all(
    datasets.map(async (dataset) => {
      const store = await openStore(withEndpoint(dataset, endpoint))
      const manifest = await readEventsManifest(store)
      return { key: manifest.parts.map(({ sha256 }) => sha256).join(), days: await daysOf(store, manifest) }
    }),
  )
  // A dataset that is named twice counts once.
  const unique = new Map(manifests.map(({ key, days }) => [key, days]))
  const ofFiles = files.length > 0 ? [await daysOfFiles(files, switches, io)] : []
  const days = sumOfDays([...unique.values(), ...ofFiles])
  const comparison = await withApi(options, io, async (api) =>
    compare(days, countsOf(api, await chooseProject(api), days)),
  )
  if (json) io.stdout.write(`${JSON.stringify(verifyJson([...datasets, ...files], comparison))}\n`)
  else if (comparison.differences.length > 0) {
    const writer = new RowWriter('table', differencesView, io.stdout)
    for (const difference of comparison.differences) await writer.write(difference)
    await writer.end()
  }
  io.stderr.write(verifySummary(comparison))
  if (comparison.differences.length === 0) return EXIT.done
  // To verify again helps only if events are missing: surplus events do not go away.
  if (comparison.differences.some(({ here, there }) => there < here))
    io.stderr.write(`  then: ${continueCommand(io.argv)}\n`)
  return EXIT.rejects
}

/** A dataset's events by day and name. */
async function daysOf(store: Store, manifest: EventsManifest): Promise<Days> {
  if (manifest.version_1) return manifest.version_1.days
  const days: Record<string, Record<string, number>> = {}
  for (const { day, event, count } of await readArrival(store, manifest)) {
    days[day] ??= Object.create(null) as Record<string, number>
    days[day][event ?? ''] = count
  }
  return days
}

/** What the service should have of files that were imported as they are: read by the same rules, each event once. */
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
