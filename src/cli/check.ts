import { hiddenIn, sentOf } from '../checks/groups-seen.ts'
import { type MigrationPlan, planOf } from '../checks/migration-plan.ts'
import type { HistoryOptions } from '../checks/persons/history.ts'
import { hasErrors, problemsOf } from '../checks/problems.ts'
import { fitOf } from '../checks/types-fit.ts'
import { OPEN_EVENTS, OPEN_PER_MINUTE, youngSince } from '../delivery/caps.ts'
import { DatasetSource } from '../delivery/dataset-source.ts'
import { EventLineReader } from '../delivery/line-reader.ts'
import { burstOf } from '../delivery/pacer.ts'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { inspectDataset, inspectFiles } from '../jobs/check/check-input.ts'
import { addDatasetArgument, DATASET_OPTION, datasetOf } from '../jobs/dataset-argument.ts'
import type { EventRules } from '../jobs/import/event-files.ts'
import { foretellPersons } from '../jobs/import/foretell-persons.ts'
import { groupTypesThere } from '../jobs/import/group-types-there.ts'
import { capsOf, PACE_ROWS, perIdOf } from '../jobs/import/import-caps.ts'
import { type ImportInput, inputOf, switchesFor } from '../jobs/import/import-order.ts'
import { projectThere } from '../jobs/import/project-there.ts'
import { sentOtherwise } from '../jobs/import/sent-before.ts'
import { statePlace } from '../jobs/import/state-place.ts'
import { groupInputOf } from '../jobs/transform/group-input.ts'
import type { Options } from '../options/options.ts'
import { flagOf, type Row, type Values } from '../options/row.ts'
import { ENDPOINT, FILE } from '../options/rows/dataset-rows.ts'
import {
  ACCEPT_OTHERS,
  APPROVED,
  BATCH_BYTES,
  BATCH_EVENTS,
  LANES,
  MAX_EVENTS,
  MAX_EVENTS_PER_ID,
  MAX_EVENTS_PER_MINUTE,
  STATE,
} from '../options/rows/import-rows.ts'
import { HTML, JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { CONFIG, HOST, REGION } from '../options/rows/service-rows.ts'
import { WITH } from '../options/rows/transform-rows.ts'
import { OPTIONAL_API_ROWS } from '../options/service-settings.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { openStore } from '../store/open.ts'
import { progressFor } from '../telemetry/progress.ts'
import { continueCommand } from '../text/command-line.ts'
import { jsonLine } from '../text/json.ts'
import { paintedFor } from '../text/paint.ts'
import type { CommandModule } from './command.ts'
import { assertHtml, writeHtml } from './html-option.ts'
import { useReported } from './reported.ts'
import { checkJson, checkReport } from './text/check.ts'

const CHECK_ROWS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: "files of the service's own events, as import takes them" },
  { ...WITH, help: 'switches of the preset posthog, with --file' },
  ...PACE_ROWS,
  MAX_EVENTS_PER_ID,
  BATCH_BYTES,
  STATE,
  { ...ACCEPT_OTHERS, help: 'events of another import are a warning, not an error' },
  JSON_SUMMARY,
  HTML,
  ENDPOINT,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

/** How import maps the lines of files by default. */
const BY_DEFAULT = { groupEventName: GROUP_EVENT, bigIntegersAsStrings: false } as const

type CheckOptions = Options<Values<typeof CHECK_ROWS>>

const HELP = `
Reads everything once and sends nothing; needs no key. With a personal key
(scopes project:read, group:read and query:read) it asks for the project and
what it has of these days, which group types it has and which events would not
show their groups, and which persons of the project import will put right. The
caps are those of import, from the same options, settings and defaults. What it
finds is an error, a warning or a note, each with an example and what to do. The
exit code is 3 if it finds an error: something that the service would certainly
lose or change.`

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(command).addHelpText('after', HELP)
  useReported(command, CHECK_ROWS, io, exit, (options, [argument]) => check(argument, options, io))
}

async function check(argument: string | undefined, options: CheckOptions, io: Io): Promise<ExitCode> {
  const { values } = options
  await assertHtml(values.html)
  const hasFiles = values.file.length > 0 && argument === undefined
  const dataset = hasFiles ? values.dataset : datasetOf(argument, values.dataset)
  const input = inputOf({ ...values, dataset })
  // Caps that need approval are allowed here, so that a user sees what an approval would change.
  const caps = capsOf(options, true)
  const pace = { perMinute: caps.perMinute, lanes: values.lanes, perId: perIdOf(options) }
  const switches = switchesFor(input, values.with)
  const project = (await hasNoGroups(input)) ? {} : await groupTypesThere(options, io)
  const since = project.types?.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const]))
  const batchEvents = Math.min(values.batchEvents, burstOf(pace))
  const batching = { pace, limits: { events: batchEvents, bytes: values.batchBytes } }
  const from = { young: youngSince(Date.now()), types: new Map(since), batching }
  const progress = progressFor(io.telemetry)
  const pass = { from, interrupted: io.interrupted, progress }
  const inspecting =
    input.kind === 'file'
      ? inspectFiles(input.files, { ...BY_DEFAULT, switches }, pass)
      : inspectDataset(dataset!, input.path, pass)
  const inspected = await inspecting.finally(progress.stop)
  const plan = planOf(inspected.subject, inspected.inspection, { pace, batchEvents, maxEvents: caps.events })
  const seen = inspected.inspection.groups
  const fit = project.types && fitOf(sentOf(seen), project.types, hiddenIn(seen))
  const groups = { fit, unasked: project.unasked }
  const { subject, importIds, reject, unnamed } = inspected
  const { failure } = project
  const asking = { days: Object.keys(subject.days), importIds, dataset: inspected.dataset, failure }
  const there = await projectThere(options, asking, io)
  const sent =
    input.kind === 'dataset'
      ? await sentOtherwise(input.path, statePlace({ ...values, input: input.path }, io.env))
      : undefined
  const problems = problemsOf(plan, subject, {
    groups,
    project: there.project,
    reject,
    sent,
    unnamed,
    acceptOthers: values.acceptOthers,
  })
  const failed = hasErrors(problems)
  const next = failed ? io.argv : ['import', ...inspected.words, ...importFlags(options, plan)]
  const open = inputOpener(input, switches)
  // A project that could not be asked is not asked again: each question may take its whole time.
  const persons = there.project.project && (await foretellPersons(options, { open }, io))
  const report = { ...inspected, plan, groups, persons, ...there, problems, next }
  const json = checkJson(report)
  io.telemetry.summary('check', { json, text: '' })
  if (values.json) {
    io.stdout.write(jsonLine(json))
    if (failed) io.stderr.write(`  mend the errors, then: ${continueCommand(next)}\n`)
  } else io.stdout.write(paintedFor(checkReport(report), io.stdout, io.env))
  const page = async () => {
    const { checkPage } = await import('../jobs/report/check-page.ts')
    return checkPage(report, input.kind === 'dataset' ? input.path : undefined, io)
  }
  await writeHtml(values.html, page, io)
  return failed ? EXIT.rejects : EXIT.done
}

/** True if it is known before the events are read. */
async function hasNoGroups(input: ImportInput): Promise<boolean> {
  const { known } = await groupInputOf(input, { switches: [], bigIntegersAsStrings: false })
  return known?.size === 0
}

/** Opens the input as import reads it. */
function inputOpener(input: ImportInput, switches: EventRules['switches']): HistoryOptions['open'] {
  return async () => {
    if (input.kind === 'dataset') {
      const source = await DatasetSource.open(await openStore(input.path))
      return { source, reader: new EventLineReader(GROUP_EVENT) }
    }
    const { eventFileReader, openEventFiles } = await import('../jobs/import/event-files.ts')
    const source = await openEventFiles(input.files)
    return { source, reader: eventFileReader({ ...BY_DEFAULT, switches }) }
  }
}

/** The options that `check` shares with import, as they were given, and those that the caps make necessary. */
function importFlags({ resolved }: CheckOptions, { events, perMinute, maxEvents }: MigrationPlan): string[] {
  const given = (row: Row, option: { source: string; value: string | number } | undefined) =>
    option?.source === 'cli' ? [flagOf(row), String(option.value)] : []
  const words = [
    ...given(MAX_EVENTS_PER_MINUTE, resolved.maxEventsPerMinute),
    ...given(MAX_EVENTS_PER_ID, resolved.maxEventsPerId),
    ...given(LANES, resolved.lanes),
    ...given(BATCH_EVENTS, resolved.batchEvents),
    ...given(BATCH_BYTES, resolved.batchBytes),
    ...given(REGION, resolved.region),
    ...given(HOST, resolved.host),
    ...given(CONFIG, resolved.config),
  ]
  const most = Math.max(events, maxEvents)
  if (resolved.acceptOthers.value) words.push(flagOf(ACCEPT_OTHERS))
  if (events > maxEvents || resolved.maxEvents.source === 'cli') words.push(flagOf(MAX_EVENTS), String(most))
  if (perMinute > OPEN_PER_MINUTE || most > OPEN_EVENTS) words.push(flagOf(APPROVED))
  return words
}
