import { inspect } from '../audit/inspect.ts'
import { type MigrationPlan, planOf } from '../audit/migration-plan.ts'
import { hasErrors, problemsOf } from '../audit/problems.ts'
import { survey } from '../audit/survey.ts'
import { OPEN_EVENTS, OPEN_PER_MINUTE, youngSince } from '../delivery/caps.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { flagName } from '../options/resolve.ts'
import { checkJson, checkReport, type Looked } from '../report/check.ts'
import { continueCommand } from '../report/command-line.ts'
import { progressFor } from '../report/progress.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import type { CommandModule } from './command.ts'
import { addDatasetArgument, datasetOf } from './dataset-argument.ts'
import { addEndpointFlag } from './endpoint-flag.ts'
import type { EventRules } from './event-files.ts'
import { importSettings } from './import-settings.ts'
import { loadSources } from './service-flags.ts'

interface Flags extends Readonly<Record<string, unknown>> {
  readonly dataset?: string
  readonly file?: readonly string[]
  readonly endpoint?: string
}

const HELP = `
Reads everything once and sends nothing; needs no key. The caps are those of
import, from the same options, settings and defaults. Exit code 3 when it finds
an error: something that the service would lose or bend for sure.`

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(addEndpointFlag(command))
    .option('--file <events.ndjson...>', "files of the service's own events, as import takes them")
    .option('--with <switch...>', 'a switch of the preset posthog, with --file')
    .option('--max-events-per-minute <n>', 'rate cap (default: 10,000)')
    .option('--max-events <n>', 'volume cap of the whole migration (default: 20,000,000)')
    .option('--lanes <n>', 'requests under way at once (default: 1)')
    .option('--batch-events <n>', 'events a request, at most (default: 1,000)')
    .option('--config <file>', 'settings (default: posthaul.config.json here, if there is one)')
    .option('--json', 'print the report as one JSON object on stdout')
    .addHelpText('after', HELP)
    .action(async (argument: string | undefined, flags: Flags) => exit(await check(argument, flags, io)))
}

async function check(argument: string | undefined, flags: Flags, io: Io): Promise<ExitCode> {
  const dataset = flags.file && argument === undefined ? flags.dataset : datasetOf(argument, flags.dataset)
  // Higher caps than those of an unapproved import may be looked at, to see what approval is worth.
  const sources = await loadSources({ ...flags, dataset, approved: true }, io)
  const settings = importSettings(sources)
  const { caps, lanes, limits, input } = settings
  const progress = progressFor(io.stderr)
  const looking =
    input.kind === 'file'
      ? lookAtFiles(input.files, settings, io, progress)
      : lookAtDataset(dataset!, input.path, io, progress)
  const looked = await looking.finally(progress.stop)
  const plan = planOf(looked.subject, looked.inspection, {
    pace: { perMinute: caps.perMinute, lanes },
    batchEvents: limits.events,
    maxEvents: caps.events,
  })
  const problems = problemsOf(plan, looked.subject)
  const failed = hasErrors(problems)
  const next = failed ? io.argv : ['import', ...looked.words, ...importFlags(flags, plan)]
  const report = { ...looked, plan, problems, next }
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(checkJson(report))}\n`)
    if (failed) io.stderr.write(`  mend the errors, then: ${continueCommand(next)}\n`)
  } else io.stdout.write(checkReport(report))
  return failed ? EXIT.rejects : EXIT.done
}

type Progress = ReturnType<typeof progressFor>

/** `name` as it was typed, `place` with the endpoint that was given for it. */
async function lookAtDataset(name: string, place: string, io: Io, progress: Progress): Promise<Looked> {
  const store = await openStore(place)
  const manifest = await readEventsManifest(store)
  const source = await DatasetSource.open(store)
  progress.start('check', source.totalBytes)
  const inspection = await inspect(source, youngSince(Date.now()), io.interrupted, progress.add)
  const about = `made by ${manifest.tool} on ${manifest.created_at.slice(0, 10)}; its parts are whole`
  return { name, about, subject: manifest, inspection, words: ['--dataset', name] }
}

async function lookAtFiles(
  files: readonly string[],
  rules: EventRules,
  io: Io,
  progress: Progress,
): Promise<Looked> {
  const { eventFileReader, openEventFiles } = await import('./event-files.ts')
  const source = await openEventFiles(files)
  progress.start('check', source.totalBytes)
  const open = async () => ({ source, reader: eventFileReader(rules) })
  const options = { open, interrupted: io.interrupted, progress: progress.add }
  const found = await survey(options, youngSince(Date.now()))
  const name = files.length === 1 ? files[0]! : source.name
  return { name, about: 'read by the rules of import', ...found, words: ['--file', ...files] }
}

/** The options of `check` that are import's too, as they were typed, and what the caps make necessary. */
function importFlags(
  flags: Readonly<Record<string, unknown>>,
  { events, perMinute, maxEvents }: MigrationPlan,
): string[] {
  const words = ['maxEventsPerMinute', 'lanes', 'batchEvents', 'config'].flatMap((name) =>
    typeof flags[name] === 'string' ? [flagName(name), flags[name]] : [],
  )
  const most = Math.max(events, maxEvents)
  if (events > maxEvents || flags.maxEvents !== undefined) words.push(flagName('maxEvents'), String(most))
  if (perMinute > OPEN_PER_MINUTE || most > OPEN_EVENTS) words.push(flagName('approved'))
  return words
}
