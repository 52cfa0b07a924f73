import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, posix, resolve } from 'node:path'
import type { ImportState } from '../delivery/import-state.ts'
import { type ErrorCode, PosthaulError } from '../errors.ts'
import { parseGlob } from '../inputs/list.ts'
import { fileError } from '../store/file-error.ts'
import { homeOf } from '../store/home.ts'
import { openStore } from '../store/open.ts'
import type { S3StoreOptions } from '../store/s3.ts'
import { isS3, parseS3, s3Address, splitAddress } from '../store/s3-location.ts'

/** Where an import keeps its state. The names are those of files in the store at `location`. */
export type StatePlace = Readonly<ReturnType<typeof placeIn>>

/** The options that say where the state is. `input` is the dataset, or the first value of --file. */
export interface StateOptions {
  readonly input: string
  readonly checkpoint?: string | undefined
  readonly state?: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

export const CHECKPOINT_SUFFIX = '.checkpoint.json'
const HASH_DIGITS = 8
/** Of a name's own text. A file name has 255 bytes, and the state adds to it. */
const MOST_LETTERS = 80

/**
 * Says where the state of an import is. With --state, in that store, under a name with a hash of the input's
 * address: two inputs called `events` have two states. Else beside the input: for a dataset in a bucket in `.state/`
 * beside it. --checkpoint names one file on this machine. Opens no file.
 */
export function statePlace(options: StateOptions, env: Env): StatePlace {
  const { input, checkpoint, state } = options
  if (checkpoint !== undefined) assertFile(checkpoint, state)
  if (state !== undefined) assertStore(state)
  const ledger = state ?? stateHome(env)
  if (state !== undefined) {
    return placeIn(state, `${nameOf(input)}-${digest(addressFrom(state, input))}${CHECKPOINT_SUFFIX}`, ledger)
  }
  if (checkpoint === undefined && isS3(input)) {
    const { prefix, ...bucket } = parseS3(input)
    const folder = prefix.split('/').slice(0, -1).join('/')
    const location = s3Address({ ...bucket, prefix: folder }, '.state')
    return placeIn(location, `${nameOf(input)}${CHECKPOINT_SUFFIX}`, ledger)
  }
  const path = checkpoint ?? `${localStem(input)}${CHECKPOINT_SUFFIX}`
  return placeIn(dirname(path), basename(path), ledger)
}

/** The place of the state whose checkpoint has this name in the store at `location`. */
export function placeIn(location: string, checkpoint: string, ledger: string) {
  const stem = checkpoint.replace(/(\.checkpoint)?\.json$/, '')
  // Names of a store do not begin with a dot.
  const name = stem.replace(/^\./, '_.')
  return {
    /** A folder, or `s3://bucket/prefix`, with its endpoint where it has one. */
    location,
    /** What the names of its files begin with. */
    stem,
    checkpoint,
    rejects: `${stem}.rejects.ndjson`,
    /** The events that the import made itself. */
    own: `${stem}.own.ndjson`,
    /** What is sent of a dataset: see sent-record.ts. */
    sent: `${name}.sent.ndjson`,
    /** What is asked to be deleted: see undo-record.ts. */
    undo: `${name}.undo.json`,
    lease: `${checkpoint.replace(/^\./, '_.')}.lock`,
    /** The location of the store of the ledger, which counts what all imports delivered. */
    ledger,
  }
}

/** The place of the state whose checkpoint has this address. */
export function placeOf(checkpoint: string, ledger: string): StatePlace {
  if (!isS3(checkpoint)) return placeIn(dirname(checkpoint), basename(checkpoint), ledger)
  const { location, name } = splitAddress(checkpoint)
  return placeIn(location, name, ledger)
}

/** The address of a file of the state, for messages and for files on this machine. */
export function addressIn({ location }: Pick<StatePlace, 'location'>, name: string): string {
  return isS3(location) ? s3Address(parseS3(location), name) : join(location, name)
}

/** Opens the state that is kept at a place. Reads and writes nothing. */
export async function openState(place: StatePlace, options?: S3StoreOptions): Promise<ImportState> {
  const { location, checkpoint, rejects, own } = place
  const { ImportState } = await import('../delivery/import-state.ts')
  if (isS3(location)) return ImportState.inBucket(await openStore(location, options), place)
  const at = (name: string) => addressIn(place, name)
  return ImportState.local({ checkpoint: at(checkpoint), rejects: at(rejects), own: at(own) })
}

const NOTHING_THERE: readonly ErrorCode[] = ['usage', 'auth']

/**
 * What `look` finds of a state that may be there. A file that is no checkpoint is left alone, and a bucket that may not be
 * read there holds none of this user's.
 */
export async function ifThere<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look
  } catch (error) {
    if (error instanceof PosthaulError && NOTHING_THERE.includes(error.code)) return undefined
    throw error
  }
}

/** Refuses a checkpoint that the user names and that is not there: another would be left out in silence. Code `input`. */
export async function assertNamedThere(
  place: StatePlace,
  { checkpoint }: Pick<StateOptions, 'checkpoint'>,
): Promise<void> {
  if (checkpoint === undefined || (await ifThere((await openState(place)).load()))) return
  throw new PosthaulError(`there is no checkpoint at ${checkpoint}`, {
    code: 'input',
    hint: 'check the path for a typing error, or leave --checkpoint out',
  })
}

/** The names of the checkpoints at a location. */
export async function checkpointsIn(location: string): Promise<string[]> {
  // A store lists folders in folders, too, and this one may hold data.
  const names = isS3(location)
    ? (await (await openStore(location)).list()).map(({ name }) => name)
    : await readdir(location).catch((error: unknown) => {
        throw fileError(error, 'list', location)
      })
  return names.filter((name) => name.endsWith(CHECKPOINT_SUFFIX)).sort()
}

/**
 * Where else the state of this import can be: with --state, where it is without. A run that finds none at its own place
 * looks there, so that it does not begin anew by mistake.
 */
export function otherPlaces(options: StateOptions, env: Env): StatePlace[] {
  const { checkpoint, state } = options
  if (checkpoint !== undefined || state === undefined) return []
  return [statePlace({ ...options, state: undefined }, env)]
}

/** The address of a file, a folder or a location in a bucket, the same from whatever folder. */
export function fullAddress(path: string): string {
  return isS3(path) ? s3Address(parseS3(path), '') : resolve(path)
}

/** An input's address as seen from the state, so that both can be moved together. */
function addressFrom(state: string, input: string): string {
  const [from, to] = [fullAddress(state), fullAddress(input)]
  return isS3(from) === isS3(to) ? posix.relative(from, to) : to
}

/** The last word of an input's address, in letters that every store takes. */
function nameOf(input: string): string {
  if (isS3(input)) {
    const { bucket, prefix } = parseS3(input)
    return legible(prefix.split('/').at(-1) || bucket)
  }
  return legible(basename(resolve(input))) || 'dataset'
}

function legible(name: string): string {
  return name
    .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '_')
    .replace(/^\.+/, '')
    .slice(-MOST_LETTERS)
}

/**
 * The input's path, or a path beside the folder of its glob. Several inputs have the checkpoint of the first, so that
 * the same command finds it after more files have come.
 */
function localStem(input: string): string {
  const glob = isS3(input) || existsSync(input) ? undefined : parseGlob(input)
  if (glob) {
    const pattern = input.slice(glob.folder === '.' ? 0 : glob.folder.length).replace(/^\//, '')
    const folder = glob.folder === '.' ? 'files' : glob.folder
    return `${folder}.${legible(pattern)}-${digest(pattern)}`
  }
  const stem = input.replace(/\/+$/, '') || input
  return stem === '.' || stem === '..' ? `${stem}/dataset` : stem
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}

function assertFile(checkpoint: string, state: string | undefined): void {
  if (state !== undefined) {
    throw new PosthaulError('--checkpoint and --state both say where the state is', {
      code: 'usage',
      hint: 'give --state alone: it keeps the checkpoints of all imports apart',
    })
  }
  if (!hasScheme(checkpoint)) return
  throw new PosthaulError('--checkpoint names a file on this machine', {
    code: 'usage',
    hint: 'for state in a bucket, give --state s3://bucket/prefix',
  })
}

function assertStore(state: string): void {
  if (isS3(state) || !hasScheme(state)) return
  throw new PosthaulError(`${state} is no place for state`, {
    code: 'usage',
    hint: 'name a folder on this machine, or s3://bucket/prefix',
  })
}

function hasScheme(place: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(place)
}

/** The folder of what posthaul keeps for this user: the ledger, and work files of datasets in buckets. */
export function stateHome(env: Env): string {
  const { XDG_STATE_HOME: named = '' } = env
  // A relative path is to be ignored, by the XDG specification: each folder would have a ledger of its own.
  const home = isAbsolute(named) ? named : join(homeOf(env), '.local', 'state')
  return join(home, 'posthaul')
}

/** The folder of work files: `named` by --work-dir, else the user's own. */
export function workHome(env: Env, named: string | undefined): string {
  return named === undefined ? join(stateHome(env), 'work') : resolve(named)
}

/** Refuses --work-dir where nothing would be kept in it. */
export function assertWorkDir({
  out,
  workDir,
}: Partial<Record<'out' | 'workDir', string | undefined>>): void {
  if (workDir === undefined || out === undefined || isS3(out)) return
  throw new PosthaulError(`--work-dir is for --out s3://…, and ${out} is a folder`, {
    code: 'usage',
    hint: 'leave it out: a dataset in a folder has its work files inside that folder',
  })
}
