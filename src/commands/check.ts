import { inspect } from '../audit/inspect.ts'
import { type MigrationPlan, planOf } from '../audit/migration-plan.ts'
import { problemsOf } from '../audit/problems.ts'
import { OPEN_EVENTS, OPEN_PER_MINUTE, youngSince } from '../delivery/caps.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { flagName } from '../options/resolve.ts'
import { checkJson, checkReport } from '../report/check.ts'
import { progressFor } from '../report/progress.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { openStore } from '../store/open.ts'
import type { CommandModule } from './command.ts'
import { addDatasetArgument, datasetOf } from './dataset-argument.ts'
import { addEndpointFlag, placed } from './endpoint-flag.ts'
import { importSettings } from './import-settings.ts'
import { loadSources } from './service-flags.ts'

interface Flags extends Readonly<Record<string, unknown>> {
  readonly dataset?: string
  readonly endpoint?: string
}

const HELP = `
Reads the whole dataset and sends nothing; needs no key. The caps are those of
import, from the same options, settings and defaults.`

/** `check`: what an import of a dataset will do, and the text of the request for approval. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(addEndpointFlag(command))
    .option('--max-events-per-minute <n>', 'rate cap (default: 10,000)')
    .option('--max-events <n>', 'volume cap of the whole migration (default: 20,000,000)')
    .option('--lanes <n>', 'requests under way at once (default: 1)')
    .option('--batch-events <n>', 'events a request, at most (default: 1,000)')
    .option('--config <file>', 'settings (default: posthaul.config.json here, if there is one)')
    .option('--json', 'print the report as one JSON object on stdout')
    .addHelpText('after', HELP)
    .action(async (argument: string | undefined, flags: Flags) =>
      exit(await check(datasetOf(argument, flags.dataset), flags, io)),
    )
}

async function check(dataset: string, flags: Flags, io: Io): Promise<ExitCode> {
  // Higher caps than those of an unapproved import may be looked at, to see what approval is worth.
  const sources = await loadSources({ ...flags, dataset, approved: true }, io)
  const { caps, lanes, limits } = importSettings(sources)
  const store = await openStore(placed(dataset, flags))
  const manifest = await readEventsManifest(store)
  const source = await DatasetSource.open(store)
  const progress = progressFor(io.stderr)
  progress.start('check', source.totalBytes)
  const inspection = await inspect(source, youngSince(Date.now()), io.interrupted, progress.add).finally(
    progress.stop,
  )
  const plan = planOf(manifest, inspection, {
    pace: { perMinute: caps.perMinute, lanes },
    batchEvents: limits.events,
    maxEvents: caps.events,
  })
  const problems = problemsOf(plan, manifest)
  const report = { dataset, manifest, plan, problems, importFlags: importFlags(flags, plan) }
  if (flags.json) io.stdout.write(`${JSON.stringify(checkJson(report))}\n`)
  else io.stdout.write(checkReport(report))
  return EXIT.done
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
