import { basename, resolve as resolvePath, sep } from 'node:path'
import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/caps.ts'
import { LEAST_PER_ID } from '../../delivery/id-pacer.ts'
import { leastPerMinute } from '../../delivery/pacer.ts'
import type { Via } from '../../delivery/route.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Options, Resolved, Source } from '../../options/options.ts'
import { flagOf, type Values } from '../../options/row.ts'
import * as datasets from '../../options/rows/dataset-rows.ts'
import * as rows from '../../options/rows/import-rows.ts'
import { GROUP_READABLE, HTML, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { BIG_INTEGERS, GROUP_EVENT_NAME, RULES_CHANGED, WITH } from '../../options/rows/transform-rows.ts'
import { VERIFY } from '../../options/rows/verify-rows.ts'
import { INGEST_ROWS, OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import { ARRIVAL, MANIFEST, REJECTS } from '../../store/name.ts'
import { parsePartName } from '../../store/part-name.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { number } from '../../text/words.ts'
import { addressIn, otherPlaces, type StatePlace, statePlace } from './state-place.ts'

/** The options that say how fast events may go, and how many. */
export const CAP_ROWS = [rows.MAX_EVENTS_PER_MINUTE, rows.MAX_EVENTS, rows.LANES] as const
/** The same, and what else decides how fast they go. */
export const PACE_ROWS = [...CAP_ROWS, rows.BATCH_EVENTS] as const

/** The options of `import`. */
export const IMPORT_ROWS = [
  datasets.FILE,
  datasets.DATASET,
  rows.IMPORT_DRY_RUN,
  rows.CHECKPOINT,
  rows.STATE,
  rows.SINGLE_WRITER,
  rows.RESTART,
  rows.FORCE,
  rows.SEND_AGAIN,
  RULES_CHANGED,
  rows.MAX_EVENTS_PER_MINUTE,
  rows.MAX_EVENTS,
  rows.MAX_EVENTS_PER_ID,
  rows.APPROVED,
  rows.SHARE_CAP,
  rows.WAIT,
  rows.STEAL_LOCK,
  rows.NEW_MIGRATION,
  rows.STOP_AFTER,
  rows.DRAIN,
  rows.RETRY_FOR,
  rows.ACCEPT_REFUSALS,
  rows.ACCEPT_HIDDEN_GROUPS,
  rows.ACCEPT_OTHERS,
  rows.LANES,
  rows.BATCH_EVENTS,
  rows.BATCH_BYTES,
  rows.VIA,
  rows.ARRIVAL_WAIT,
  rows.KEEP_PERSONS,
  rows.NO_KEEP_PERSONS,
  rows.SKIP_KEY_CHECK,
  { ...WITH, help: 'switches of the preset posthog, e.g. merge-dangerously; with --file' },
  BIG_INTEGERS,
  GROUP_EVENT_NAME,
  GROUP_READABLE,
  VERIFY,
  HTML,
  JSON_SUMMARY,
  datasets.ENDPOINT,
  ...INGEST_ROWS,
  ...OPTIONAL_API_ROWS,
] as const

type ImportValues = Values<typeof IMPORT_ROWS>

/** What is imported: a dataset, or what --file named. The checkpoint is named after `path`. */
export type ImportInput =
  | { readonly kind: 'dataset'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly files: readonly string[] }

/** The settings of `import`, checked. */
export interface ImportSettings {
  readonly input: ImportInput
  readonly place: StatePlace
  readonly otherPlaces: readonly StatePlace[]
  /** The addresses of the checkpoint and the rejects. */
  readonly checkpointPath: string
  readonly rejectsPath: string
  /** The user sees to it that one run at a time writes, so a store that ignores conditions will do. */
  readonly singleWriter: boolean
  readonly restart: boolean
  readonly force: boolean
  /** The user knows that events were sent before, and wants these all the same. */
  readonly sendAgain: boolean
  readonly rulesChanged: boolean
  readonly dryRun: boolean
  /** Verifies at the end that all events arrived. */
  readonly verify: boolean
  readonly json: boolean
  readonly lanes: number
  readonly limits: { readonly events: number; readonly bytes: number }
  /** `perMinute` is this import's share of the rate cap. */
  readonly caps: Caps & { readonly approved: boolean; readonly perId: number }
  readonly share: number
  readonly wait: boolean
  readonly steal: boolean
  readonly newMigration: boolean
  readonly retryForMs: number
  readonly acceptRefusals: boolean
  /** The route that events take; undefined if none was asked for. */
  readonly via: Via | undefined
  /** Go on where the project would not show the groups of events that are older than their type. */
  readonly acceptHiddenGroups: boolean
  /** Go on where the project holds events of the input's days that another import brought. */
  readonly acceptOthers: boolean
  readonly stopAfterMs: number | undefined
  /** How long a run that stops waits for the requests under way. */
  readonly drainMs: number
  /** How long nothing may arrive. 0: not asked. */
  readonly arrivalWaitMs: number
  readonly skipKeyCheck: boolean
  /** Undefined: as the user did not say, if it can be done. */
  readonly keepPersons: boolean | undefined
  readonly groupEventName: string
  readonly bigIntegersAsStrings: boolean
  /** The switches of the preset that maps the lines of files. */
  readonly switches: readonly string[]
}

interface Caps {
  readonly perMinute: number
  readonly events: number
}

/** Reads and checks all settings but the address and the key. Opens no file. */
export function importSettings(options: Options<ImportValues>, env: Io['env']): ImportSettings {
  const { values } = options
  const input = inputOf(values)
  const place = statePlace({ ...values, input: input.path }, env)
  const checkpointPath = addressIn(place, place.checkpoint)
  const rejectsPath = addressIn(place, place.rejects)
  assertApart(input, [checkpointPath, rejectsPath, addressIn(place, place.own)])
  return {
    input,
    place,
    otherPlaces: otherPlaces({ ...values, input: input.path }, env),
    checkpointPath,
    rejectsPath,
    singleWriter: values.singleWriter,
    restart: values.restart,
    force: forceOf(values),
    sendAgain: values.sendAgain,
    rulesChanged: values.rulesChanged,
    dryRun: values.dryRun,
    verify: values.verify,
    json: values.json,
    lanes: values.lanes,
    limits: { events: values.batchEvents, bytes: values.batchBytes },
    caps: {
      ...capsOf(options, values.approved, values.shareCap),
      approved: values.approved,
      perId: perIdOf(options, values.shareCap),
    },
    share: values.shareCap,
    wait: values.wait,
    steal: values.stealLock,
    newMigration: values.newMigration,
    retryForMs: values.retryFor,
    acceptRefusals: values.acceptRefusals,
    via: values.via,
    acceptHiddenGroups: values.acceptHiddenGroups,
    acceptOthers: values.acceptOthers,
    stopAfterMs: values.stopAfter,
    drainMs: values.drain,
    arrivalWaitMs: values.arrivalWait,
    skipKeyCheck: values.skipKeyCheck,
    keepPersons: keepPersonsOf(values),
    groupEventName: values.groupEventName,
    bigIntegersAsStrings: values.bigIntegers === 'string',
    switches: switchesFor(input, values.with),
  }
}

/**
 * The caps, of which `share` imports at once take a part each. Throws if they are too low for the lanes, or so high that
 * they need approval.
 */
export function capsOf(
  { values, resolved }: Options<Values<typeof CAP_ROWS>>,
  approved: boolean,
  share = 1,
): Caps {
  const least = leastPerMinute(values.lanes) * share
  const { value, source, from } = resolved.maxEventsPerMinute
  if (value < least) {
    throw new PosthaulError(`${from} is "${value}": expected a whole number from ${least} on`, {
      code: codeOf(source),
      hint: `raise the cap, or lower ${flagOf(rows.LANES)}: each lane needs a share of the cap`,
    })
  }
  return {
    perMinute: Math.floor(
      allowed(resolved.maxEventsPerMinute, OPEN_PER_MINUTE, 'events a minute', approved) / share,
    ),
    events: allowed(resolved.maxEvents, OPEN_EVENTS, 'events', approved),
  }
}

/** The part of the cap of a distinct_id that is this import's, since others that run at once may send the same id; 0 is none. */
export function perIdOf(
  { resolved }: Options<Values<readonly [typeof rows.MAX_EVENTS_PER_ID]>>,
  share = 1,
): number {
  const { value, source, from } = resolved.maxEventsPerId
  const least = LEAST_PER_ID * share
  if (value === 0 || value >= least) return Math.floor(value / share)
  throw new PosthaulError(`${from} is "${value}": expected 0, or a whole number from ${least} on`, {
    code: codeOf(source),
    hint: `a request holds a twentieth of it; 0 sends each distinct_id as fast as ${flagOf(rows.MAX_EVENTS_PER_MINUTE)} allows`,
  })
}

function keepPersonsOf({
  keepPersons,
  noKeepPersons,
}: Pick<ImportValues, 'keepPersons' | 'noKeepPersons'>): boolean | undefined {
  if (keepPersons && noKeepPersons) {
    throw new PosthaulError('--keep-persons and --no-keep-persons say the opposite', {
      code: 'usage',
      hint: 'leave one of the two out; without both, persons are kept if a personal key is set',
    })
  }
  return keepPersons ? true : noKeepPersons ? false : undefined
}

/** --force alone would promise more than it does. */
function forceOf({ force, restart }: Pick<ImportValues, 'force' | 'restart'>): boolean {
  if (!force || restart) return force
  throw new PosthaulError('--force goes with --restart', {
    code: 'usage',
    hint: 'add --restart to forget the saved state, or leave --force out to go on from it',
  })
}

/** Throws if the state would be written over the input: a restart replaces whatever file is in its place. */
function assertApart(input: ImportInput, paths: readonly string[]): void {
  const files = input.kind === 'file' ? input.files : []
  const within = input.kind === 'dataset' ? `${resolvePath(input.path)}${sep}` : undefined
  const isPart = (path: string) =>
    within === undefined
      ? files.some((file) => resolvePath(path) === resolvePath(file))
      : resolvePath(path).startsWith(within) && isOfDataset(basename(path))
  const taken = paths.find(isPart)
  if (taken !== undefined) throw writesOver(taken)
}

/** The refusal of a checkpoint that would take the place of what is imported. */
export function writesOver(path: string): PosthaulError {
  return new PosthaulError(`--checkpoint would write over what is imported: ${path}`, {
    code: 'usage',
    hint: 'name another file, such as state.checkpoint.json; it need not exist',
  })
}

function isOfDataset(name: string): boolean {
  return [MANIFEST, ARRIVAL, REJECTS].includes(name) || parsePartName(name) !== undefined
}

/** The words after `verify` that name the input of an import, and the rules by which it was sent. */
export function verifyWords(settings: ImportSettings): string[] {
  const { input, switches, bigIntegersAsStrings, acceptHiddenGroups } = settings
  const accept = acceptHiddenGroups ? [flagOf(rows.ACCEPT_HIDDEN_GROUPS)] : []
  if (input.kind === 'dataset') return [input.path, ...accept]
  return [
    flagOf(datasets.FILE),
    ...input.files,
    ...(switches.length > 0 ? [flagOf(WITH), ...switches] : []),
    ...(bigIntegersAsStrings ? [flagOf(BIG_INTEGERS), 'string'] : []),
    ...accept,
  ]
}

/** The one input that is named. */
export function inputOf({
  file: files,
  dataset,
  endpoint,
}: Pick<ImportValues, 'file' | 'dataset' | 'endpoint'>): ImportInput {
  const [first] = files
  if (first !== undefined && dataset === undefined) return { kind: 'file', path: first, files }
  if (dataset !== undefined && first === undefined) {
    return { kind: 'dataset', path: withEndpoint(dataset, endpoint) }
  }
  throw new PosthaulError(
    first === undefined ? 'no input: say what to import' : 'two inputs: an import takes one',
    {
      code: 'usage',
      hint: 'name a file of events with --file, or a folder that transform wrote with --dataset',
    },
  )
}

function allowed(cap: Resolved<number>, open: number, unit: string, approved: boolean): number {
  if (cap.value <= open || approved) return cap.value
  throw new PosthaulError(
    `${cap.from} is over ${number(open)} ${unit}: the service must approve that first`,
    {
      code: codeOf(cap.source),
      hint: `once its team has approved the migration, add ${flagOf(rows.APPROVED)}`,
    },
  )
}

function codeOf(source: Source): 'usage' | 'config' {
  return source === 'cli' ? 'usage' : 'config'
}

/** The switches that were asked for. Throws for a dataset: only lines of files go through the preset. */
export function switchesFor(
  { kind }: Pick<ImportInput, 'kind'>,
  switches: readonly string[],
): readonly string[] {
  if (kind === 'file' || switches.length === 0) return switches
  throw new PosthaulError('--with goes with --file: the events of a dataset are mapped already', {
    code: 'usage',
    hint: 'give --with to the transform that makes the dataset',
  })
}
