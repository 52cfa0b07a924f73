import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import type { RUN_STAGES } from '../options/run-rows.ts'
import { formatUtc } from '../sources/window.ts'
import { isS3, parseS3, s3Address } from '../store/s3-location.ts'
import type { At, Migration } from './migration-file.ts'
import { type Settings, variablesFor, wordsFor } from './row-setting.ts'
import type { MigrationWindow } from './windows.ts'

export type RunStageName = (typeof RUN_STAGES)[number]

/** Whether a stage runs, and why. */
export interface StageDecision {
  readonly runs: boolean
  readonly why: string
}

/** A stage, and whether it runs. */
export interface StagePlan {
  readonly step: RunStep
  readonly decision: StageDecision
}

/** One stage of one window: a command of posthaul. */
export interface RunStep {
  readonly stage: RunStageName
  /** The name of the window: `2024-03-01_2024-03-02`, or `files`. */
  readonly window: string
  /** The words after `posthaul`. */
  readonly argv: readonly string[]
  /** What the command reads from the environment besides its keys. */
  readonly env: Readonly<Record<string, string>>
  /** What of the command decides about its result, with the paths of the migration file: the same on every machine. */
  readonly said: string
  /** The portion's raw dataset, if it is exported, and its events. */
  readonly raw: string | undefined
  readonly events: string
}

/** A command to run as a stage. */
export interface StageCall {
  readonly stage: RunStageName
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Tells the stage to stop; the reason is a signal's name, or another word. */
  readonly interrupted: AbortSignal
}

/** How a stage ended, and its summary: the object that `--json` prints. */
export interface StageEnd {
  readonly code: ExitCode
  readonly summary: Readonly<Record<string, unknown>> | undefined
}

/** Runs a stage's command here, as its command line would. */
export type RunStage = (call: StageCall, io: Io) => Promise<StageEnd>

/** What a run works on: a span of a vendor's history, or files. */
export type Portion = MigrationWindow | 'files'

/** The name of a portion, which its folders have too. */
export function stepName(portion: Portion): string {
  return portion === 'files' ? 'files' : portion.name
}

/**
 * The stages of one portion, in order. `earlier`: the names of the portions before it, whose events it leaves out. `mark`: a short
 * text that two migrations don't share.
 */
export function stepsOf(
  migration: Migration,
  portion: Portion,
  earlier: readonly string[],
  at: At,
  mark: string,
): readonly RunStep[] {
  const said = new Map(wordsOf(withoutTuning(migration), portion, [], (path) => path, ''))
  return wordsOf(migration, portion, earlier, at, mark).map(([stage, command]) => ({
    stage,
    window: stepName(portion),
    ...command,
    said: JSON.stringify(said.get(stage)),
    raw: migration.source.kind === 'files' ? undefined : at(inStore(migration, `raw/${stepName(portion)}`)),
    events: at(inStore(migration, `events/${stepName(portion)}`)),
  }))
}

/** A place in the store, as the migration file would write it. */
export function inStore({ store: { at } }: Pick<Migration, 'store'>, name: string): string {
  if (!isS3(at)) return `${at === '/' ? '' : at}/${name}`
  return s3Address(parseS3(at), name)
}

/** Settings that change how fast something is done, and not what comes of it. */
const TUNING = [
  ...['requests_per_hour', 'concurrency', 'retry_for', 'timeout', 'base_url', 'workers', 'accept'],
  ...['lanes', 'via', 'batch_events', 'drain', 'arrival_wait', 'wait'],
]

function withoutTuning(migration: Migration): Migration {
  const { source, mapping, store } = migration
  const decisive = (settings: Settings): Settings =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => !TUNING.includes(name)))
  return {
    ...migration,
    source: source.kind === 'files' ? source : { ...source, settings: decisive(source.settings) },
    mapping: { ...mapping, settings: decisive(mapping.settings) },
    store: { ...store, work_dir: undefined },
    isScheduled: false,
    caps: { events: 0, eventsPerMinute: 0, approved: false },
    import: decisive(migration.import),
    verify: decisive(migration.verify),
  }
}

interface Words {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

function wordsOf(
  migration: Migration,
  portion: Portion,
  earlier: readonly string[],
  at: At,
  mark: string,
): (readonly [RunStageName, Words])[] {
  const { source, target, mapping, store, caps } = migration
  const inPlace = (name: string) => at(inStore(migration, name))
  const events = inPlace(`events/${stepName(portion)}`)
  const raw = inPlace(`raw/${stepName(portion)}`)
  const { region, host, ingest_host: ingestHost } = target
  // An option is stronger than a variable, and the address for events has no option.
  const service = ingestHost === undefined ? wordsFor({ region, host }) : []
  const env = {
    ...(target.project_id !== undefined && { POSTHOG_PROJECT_ID: target.project_id }),
    ...(ingestHost !== undefined && {
      POSTHOG_REGION: region ?? '',
      POSTHOG_HOST: host ?? '',
      POSTHOG_INGEST_HOST: ingestHost,
    }),
  }
  // Only a dataset in a bucket has its work files elsewhere.
  const work_dir = isS3(store.at) && store.work_dir !== undefined ? at(store.work_dir) : undefined
  const stages: (readonly [RunStageName, Words])[] = []
  if (source.kind === 'vendor' && portion !== 'files') {
    const { vendor, settings } = source
    const { start, end } = portion.fetch
    const file = typeof settings.file === 'string' ? at(settings.file) : undefined
    const words = { from: formatUtc(start), to: formatUtc(end), ...settings, file, work_dir, out: raw }
    stages.push(['export', { argv: ['export', vendor, ...wordsFor(words)], env: source.env }])
  }
  const { preset, ...settings } = mapping.settings
  const after = earlier.map((name) => inPlace(`events/${name}`))
  const transform = wordsFor({
    preset: mapping.presetFile === undefined ? preset : at(mapping.presetFile),
    in: source.kind === 'files' ? source.files.map(at) : [raw],
    map: mapping.file === undefined ? undefined : at(mapping.file),
    join: Object.entries(mapping.join).map(([table, path]) => `${table}=${at(path)}`),
    ...settings,
    after,
    // Windows share days, and so do migrations. By an id of its own verify and undo can tell the events of one from others'.
    import_id: `posthaul-${stepName(portion)}-${mark}`,
    work_dir,
    out: events,
  })
  stages.push(['transform', { argv: ['transform', ...transform], env: variablesFor(mapping.settings) }])
  const pace = { max_events: String(caps.events), max_events_per_minute: String(caps.eventsPerMinute) }
  const where = [...wordsFor({ state: inPlace('state') }), ...service]
  const { lanes, batch_events, accept } = migration.import
  const { approved } = caps
  const checking = wordsFor({ ...pace, approved, lanes, batch_events, accept })
  stages.push(['check', { argv: ['check', events, ...checking, ...service], env }])
  const sending = { ...pace, approved, ...migration.import, single_writer: store.single_writer }
  const argv = ['import', '--dataset', events, ...where, ...wordsFor(sending)]
  stages.push(['import', { argv, env: { ...env, ...variablesFor(sending) } }])
  stages.push([
    'verify',
    { argv: ['verify', events, ...where, ...wordsFor({ ...migration.verify, accept })], env },
  ])
  return stages
}
