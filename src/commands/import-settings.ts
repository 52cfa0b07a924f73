import { existsSync } from 'node:fs'
import { basename, resolve as resolvePath, sep } from 'node:path'
import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/caps.ts'
import { leastPerMinute } from '../delivery/pacer.ts'
import { PosthaulError } from '../errors.ts'
import { parseGlob } from '../inputs/glob.ts'
import { flagName, type Resolved, resolveOr, type Setting, type Sources } from '../options/resolve.ts'
import { duration, oneOf, wholeNumber } from '../options/values.ts'
import { number } from '../report/words.ts'
import { MANIFEST, REJECTS } from '../store/dataset.ts'
import { parsePartName } from '../store/part-name.ts'
import { placed } from './endpoint-flag.ts'

const MIB = 1024 * 1024

/** What is imported: a dataset, or what was named as files; `path` is what the state is named after. */
export type ImportInput =
  | { readonly kind: 'dataset'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly files: readonly string[] }

/** What `import` was told, checked. */
export interface ImportSettings {
  readonly input: ImportInput
  readonly checkpointPath: string
  readonly rejectsPath: string
  readonly restart: boolean
  readonly dryRun: boolean
  readonly json: boolean
  readonly lanes: number
  readonly limits: { readonly events: number; readonly bytes: number }
  readonly caps: { readonly perMinute: number; readonly events: number; readonly approved: boolean }
  readonly retryForMs: number
  readonly stopAfterMs: number | undefined
  readonly groupEventName: string
  readonly bigIntegersAsStrings: boolean
  /** Of the preset that the lines of files go through. */
  readonly switches: readonly string[]
}

const LANES = { flag: 'lanes', file: 'import.lanes', parse: wholeNumber(1, 64) }
const BATCH_EVENTS = { flag: 'batchEvents', file: 'import.batchEvents', parse: wholeNumber(1, 10_000) }
// An event of any size fits into the least, and the most fits through the service's door even where gzip gains nothing.
const BATCH_BYTES = { flag: 'batchBytes', file: 'import.batchBytes', parse: wholeNumber(MIB, 20 * MIB - 1) }
const MAX_EVENTS = { flag: 'maxEvents', file: 'import.maxEvents', parse: wholeNumber(1) }
const RETRY_FOR = { flag: 'retryFor', file: 'import.retryFor', parse: duration }
const BIG_INTEGERS = { flag: 'bigIntegers', parse: oneOf('keep', 'string') }
const STOP_AFTER = { flag: 'stopAfter', parse: duration }

/** Reads and checks everything but where the events go and with which key. Touches nothing. */
export function importSettings(sources: Sources): ImportSettings {
  const { flags } = sources
  const of = <T>(setting: Setting<T>, fallback: T): Resolved<T> => resolveOr(setting, sources, fallback)
  const input = inputOf(flags)
  const lanes = of(LANES, 1).value
  const approved = flags.approved === true
  const perMinute = {
    flag: 'maxEventsPerMinute',
    file: 'import.maxEventsPerMinute',
    parse: wholeNumber(leastPerMinute(lanes)),
  }
  const paths = pathsOf(input.path, flags.checkpoint)
  assertApart(input, Object.values(paths))
  const stopAfter = of<number | undefined>(STOP_AFTER, undefined).value
  return {
    input,
    ...paths,
    restart: flags.restart === true,
    dryRun: flags.dryRun === true,
    json: flags.json === true,
    lanes,
    limits: { events: of(BATCH_EVENTS, 1000).value, bytes: of(BATCH_BYTES, 8 * MIB).value },
    caps: {
      perMinute: allowed(of(perMinute, OPEN_PER_MINUTE), OPEN_PER_MINUTE, 'events a minute', approved),
      events: allowed(of(MAX_EVENTS, OPEN_EVENTS), OPEN_EVENTS, 'events', approved),
      approved,
    },
    retryForMs: of(RETRY_FOR, 3_600_000).value,
    stopAfterMs: stopAfter,
    groupEventName: groupEventName(flags.groupEventName),
    bigIntegersAsStrings: of(BIG_INTEGERS, 'keep').value === 'string',
    switches: switchesFor(input, flags.with),
  }
}

/** The state must not be written over what is imported: a restart puts it in the place of whatever is there. */
function assertApart(input: ImportInput, paths: readonly string[]): void {
  const files = input.kind === 'file' ? input.files : []
  const within = input.kind === 'dataset' ? `${resolvePath(input.path)}${sep}` : undefined
  const isPart = (path: string) =>
    within === undefined
      ? files.some((file) => resolvePath(path) === resolvePath(file))
      : resolvePath(path).startsWith(within) && isOfDataset(basename(path))
  const taken = paths.find(isPart)
  if (taken === undefined) return
  throw new PosthaulError(`--checkpoint would write over what is imported: ${taken}`, {
    code: 'usage',
    hint: 'name another file, such as state.checkpoint.json; it is made when it is not there',
  })
}

function isOfDataset(name: string): boolean {
  return name === MANIFEST || name === REJECTS || parsePartName(name) !== undefined
}

function inputOf({ file, dataset, endpoint }: Sources['flags']): ImportInput {
  if (file !== undefined && dataset === undefined) {
    const files = [file].flat() as string[]
    return { kind: 'file', path: files[0]!, files }
  }
  if (typeof dataset === 'string' && file === undefined) {
    return { kind: 'dataset', path: placed(dataset, { endpoint }) }
  }
  throw new PosthaulError(
    file === undefined ? 'no input: say what to import' : 'two inputs: one import takes one',
    {
      code: 'usage',
      hint: 'name a file of events with --file, or a folder that transform wrote with --dataset',
    },
  )
}

/**
 * The checkpoint is beside its input (here, when that is not on this disk), the rejects beside the checkpoint. Of
 * several inputs it is the first, so that the same command finds it when more files have come; of a glob, its folder.
 */
export function pathsOf(
  input: string,
  checkpoint?: unknown,
): { checkpointPath: string; rejectsPath: string } {
  const trimmed = placeOf(input).replace(/\/+$/, '') || input
  const remote = /^[a-z][a-z0-9+.-]+:\/\//i.test(trimmed)
  // Behind the question mark is an endpoint.
  const stem = remote
    ? (trimmed
        .replace(/\/*\?.*$/, '')
        .split('/')
        .at(-1) ?? 'dataset')
    : trimmed
  const base = stem === '.' || stem === '..' ? `${stem}/dataset` : stem
  const checkpointPath = typeof checkpoint === 'string' ? checkpoint : `${base}.checkpoint.json`
  return {
    checkpointPath,
    rejectsPath: `${checkpointPath.replace(/(\.checkpoint)?\.json$/, '')}.rejects.ndjson`,
  }
}

/** The folder of a glob; anything else is its own place. */
function placeOf(input: string): string {
  const glob = existsSync(input) ? undefined : parseGlob(input)
  if (!glob) return input
  return glob.folder === '.' ? 'files' : glob.folder
}

function allowed(cap: Resolved<number>, open: number, unit: string, approved: boolean): number {
  if (cap.value <= open || approved) return cap.value
  throw new PosthaulError(
    `${cap.from} is over ${number(open)} ${unit}: the service wants to be asked first`,
    {
      code: cap.tier === 'flag' ? 'usage' : 'config',
      hint: `once its team has approved the migration, add ${flagName('approved')}`,
    },
  )
}

function switchesFor({ kind }: ImportInput, value: unknown): readonly string[] {
  if (value === undefined) return []
  if (kind === 'file') return value as string[]
  throw new PosthaulError('--with goes with --file: the events of a dataset are mapped already', {
    code: 'usage',
    hint: 'give --with to the transform that makes the dataset',
  })
}

function groupEventName(value: unknown): string {
  if (value === undefined) return '$groupidentify'
  if (value === '$groupidentify' || value === '$group_identify') return value
  throw new PosthaulError(
    `--group-event-name is "${String(value)}": expected $groupidentify or $group_identify`,
    {
      code: 'usage',
      hint: "quote it for the shell: '$groupidentify'",
    },
  )
}
