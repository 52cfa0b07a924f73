import { basename, resolve as resolvePath, sep } from 'node:path'
import { BATCH_BYTES } from '../delivery/batcher.ts'
import { capsOf } from '../delivery/pacer.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { ARRIVAL, MANIFEST, parsePartName, REJECTS } from '../store/name.ts'
import type { IMPORT_ROWS } from './import-options.ts'
import { addressIn, otherPlaces, stateHome, statePlace } from './state-place.ts'

type ImportValues = Values<typeof IMPORT_ROWS>

/** What is imported: a dataset, or what --file named. The checkpoint is named after `path`. */
export type ImportInput =
  | { readonly kind: 'dataset'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly files: readonly string[] }

/** What an import is asked to do. */
export type ImportOrder = ReturnType<typeof importOrder>
/** What is sent, and by which rules its lines are read. */
export type SourceOrder = ImportOrder['source']
/** How events go, how fast, and for how long. */
export type PaceOrder = ImportOrder['pace']
/** What is asked before and while events go, and what the user accepts. */
export type GuardsOrder = ImportOrder['guards']

/** Makes the order from the options, all but the address and the key. Opens no file. */
export function importOrder(options: Options<ImportValues>, env: Io['env']) {
  const { values } = options
  const input = inputOf(values)
  return {
    source: {
      input,
      bigIntegersAsStrings: values.bigIntegers === 'string',
      /** The switches of the preset that maps the lines of files. */
      switches: switchesFor(input, values.with),
    },
    /** Where the state is kept, and how a run comes to it. */
    place: placeOf(values, input, env),
    pace: paceOf(options),
    guards: guardsOf(values),
    /** What becomes of persons that the project has. `keep` is undefined where the user did not say: kept if it can be done. */
    persons: { keep: values.keepPersons && values.keepPersons === 'yes' },
  }
}

function placeOf(values: ImportValues, input: ImportInput, env: Io['env']) {
  const asked = { ...values, input: input.path }
  const at = statePlace(asked, env)
  const checkpointPath = addressIn(at, at.checkpoint)
  const rejectsPath = addressIn(at, at.rejects)
  assertApart(input, [checkpointPath, rejectsPath, addressIn(at, at.own)])
  return {
    at,
    /** Where an earlier run may have kept it. */
    others: otherPlaces(asked, env),
    /** The folder of the user's own ledgers. */
    home: stateHome(env),
    checkpointPath,
    rejectsPath,
    /** The user sees to it that one run at a time writes, so a store that ignores conditions will do. */
    singleWriter: values.singleWriter,
    restart: values.restart,
    wait: values.wait,
    steal: values.stealLock,
    newMigration: values.newMigration,
    /** The fingerprint of the key that the project key replaced, if the user says so. */
    replacesKey: values.replacesKey,
  }
}

function paceOf(options: Options<ImportValues>) {
  const { values } = options
  const { approved } = values
  return {
    lanes: values.lanes,
    limits: { events: values.batchEvents, bytes: BATCH_BYTES },
    caps: { ...capsOf(options, approved), approved },
    /** The route that events take; undefined if none was asked for. */
    via: values.via,
    retryForMs: values.retryFor,
    stopAfterMs: values.stopAfter,
    /** How long a run that stops waits for the requests under way. */
    drainMs: values.drain,
  }
}

function guardsOf(values: ImportValues) {
  return {
    /** The codes of findings with which it goes on. */
    accept: values.accept,
    /** The user says that the dataset is a trial, and names the project that it is for. */
    trial: values.trial,
    /** How long nothing may arrive. 0: not asked. */
    arrivalWaitMs: values.arrivalWait,
  }
}

/** Throws if the state would be written over the input: a restart replaces whatever file is in its place. */
function assertApart(input: ImportInput, paths: readonly string[]): void {
  const taken = paths.find((path) => {
    const name = basename(path)
    if (input.kind === 'file') return input.files.some((file) => resolvePath(path) === resolvePath(file))
    const isOfDataset = [MANIFEST, ARRIVAL, REJECTS].includes(name) || parsePartName(name) !== undefined
    return isOfDataset && resolvePath(path).startsWith(`${resolvePath(input.path)}${sep}`)
  })
  if (taken !== undefined) throw writesOver(taken)
}

/** The refusal of a checkpoint that would take the place of what is imported. */
export function writesOver(path: string): PosthaulError {
  return new PosthaulError(`--checkpoint would write over what is imported: ${path}`, {
    code: 'usage',
    hint: 'name another file, such as state.checkpoint.json; it need not exist',
  })
}

/** The one input that is named. */
export function inputOf({ file: files, dataset }: Pick<ImportValues, 'file' | 'dataset'>): ImportInput {
  const [first] = files
  if (first !== undefined && dataset === undefined) return { kind: 'file', path: first, files }
  if (dataset !== undefined && first === undefined) return { kind: 'dataset', path: dataset }
  const wrong = first === undefined ? 'no input: say what to import' : 'two inputs: an import takes one'
  throw new PosthaulError(wrong, {
    code: 'usage',
    hint: 'name a file of events with --file, or a folder that transform wrote with --dataset',
  })
}

/** The switches that were asked for. Throws for a dataset: only lines of files go through the preset. */
export function switchesFor({ kind }: Pick<ImportInput, 'kind'>, switches: readonly string[]) {
  if (kind === 'file' || switches.length === 0) return switches
  throw new PosthaulError('--with goes with --file: the events of a dataset are mapped already', {
    code: 'usage',
    hint: 'give --with to the transform that makes the dataset',
  })
}
