import { EXIT, type ExitCode } from '../../errors.ts'
import { IMPORT_ROWS, importOrder } from '../../imports/import-order.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { Values } from '../../options/row.ts'
import { apiSettings, ingestSettings } from '../../options/service-settings.ts'
import { verifyArgv } from '../../text/command-line.ts'
import { LATE } from '../late.ts'
import type { CommandModule } from '../module.ts'
import { performWords } from '../perform.ts'
import { useReported } from '../reported.ts'
import { verifyWords } from './import-json.ts'

const HELP = `
Where the events go: POSTHOG_REGION, or POSTHOG_HOST and POSTHOG_INGEST_HOST.
The key: POSTHOG_PROJECT_API_KEY, the file POSTHOG_PROJECT_API_KEY_FILE names,
or standard input; never an argument. If POSTHOG_PERSONAL_API_KEY is set too,
import first checks that the key is the project's and that events will show
their groups, and asks each minute whether events arrive: the service
acknowledges what it drops, under a wrong key or over quota. The personal key
needs the scopes project:read, query:read and group:read; with
ingestion_warning:read it is told too why events are dropped or changed.

Examples:
  posthaul import --dataset events/ --dry-run
  posthaul import --dataset events/
  posthaul import --file events.ndjson --stop-after 55m

If it is interrupted, killed or paused, the same command continues where it was.
Its state is beside the input, that of a dataset in a bucket in .state/ beside
it, or where --state says. Rejects are kept there, with the reason for each.`

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', HELP)
  useReported(command, IMPORT_ROWS, { io, exit }, (options) => importEvents(options, io))
}

type ImportOptions = Options<Values<typeof IMPORT_ROWS>>

async function importEvents(options: ImportOptions, io: Io): Promise<ExitCode> {
  const order = importOrder(options, io.env)
  const { dryRun, verify, json } = options.values
  if (dryRun) {
    const [{ planImport }, { showPlan }] = await Promise.all([LATE.importPlan(), import('./show.ts')])
    return showPlan(await planImport(order, options, io), { json }, io)
  }
  // The key comes first: most first runs fail here, before anything is read or written.
  const ingest = await ingestSettings(options, io.stdin)
  const api = verify ? await apiSettings(options, io.stdin) : undefined
  // A dry run and help need no client of HTTP, whose loading takes longer than either.
  const [{ runImport }, { showImport }] = await Promise.all([LATE.import(), import('./show.ts')])
  const end = await runImport({ order, options, ingest }, io)
  const delivered = showImport(end, { json, verify, place: order.place.at }, io)
  if (!api || !delivered.finished) return delivered.exit
  const words = [...verifyArgv(verifyWords(order), io.argv), '--wait', '10m', ...(json ? ['--json'] : [])]
  const verified = await performWords(words, io)
  return verified === EXIT.done ? delivered.exit : verified
}
