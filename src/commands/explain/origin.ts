import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { listInputs } from '../../inputs/list.ts'
import { statOf } from '../../inputs/locate.ts'
import { readRecords } from '../../inputs/read.ts'
import { headUuid } from '../../record/head.ts'
import { findManifest } from '../../store/dataset.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { REJECTS } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { readWhole } from '../../store/read-file.ts'
import { isS3 } from '../../store/s3-location.ts'
import { inputList } from '../../store/source-inputs.ts'
import { MIB } from '../../text/units.ts'
import type { ExplainValues } from './index.ts'

/** What to read, and how it is mapped. */
export interface Origin {
  readonly inputs: readonly string[]
  /** Undefined where nothing names one: the records may tell. */
  readonly preset: string | undefined
  readonly map: string | undefined
  readonly remarks: readonly string[]
  /** The dataset that was named. */
  readonly dataset: string | undefined
  /** The line of the event that is looked for, in that dataset. */
  readonly event: string | undefined
  /** True when the dataset has no such event. */
  readonly isMissing: boolean
}

/** Raw input is read as it is. A dataset, or a file of one, leads to what it was made of. `stop` throws its reason. */
export async function originOf(
  paths: readonly string[],
  values: ExplainValues,
  stop: AbortSignal,
): Promise<Origin> {
  const { preset, map, uuid } = values
  const [path = ''] = paths
  const there = paths.length > 1 ? undefined : await datasetAt(path)
  const plain = { inputs: paths, preset, map, remarks: [], event: undefined, isMissing: false }
  // Events are records of the preset posthog, for who asks for that.
  if (!there || (preset !== undefined && !there.isRejects && uuid === undefined))
    return { ...plain, dataset: undefined }
  const { location, manifest } = there
  if (!there.isRejects && uuid === undefined) {
    throw new PosthaulError(`${path} holds events, not records`, {
      code: 'usage',
      hint: 'name one of them with --uuid to be led to its record, or name the raw input instead',
    })
  }
  const mapping = await mappingOf(there, map)
  const other = `${location} was made with another mapping file than ${mapping.path}: its events may be others`
  const made = {
    ...plain,
    preset: preset ?? manifest.source.preset,
    map: mapping.path,
    remarks: mapping.isOther ? [other] : [],
    dataset: location,
  }
  if (there.isRejects) return made
  const event = await eventUnder(uuid!, location, stop)
  if (event === undefined) return { ...made, isMissing: true }
  return {
    ...made,
    inputs: await inputsOf(there),
    event,
    remarks: [...made.remarks, `made from ${manifest.source.inputs}`],
  }
}

/** Where mapping files usually are. Which one made a dataset is told by its sha256. */
const USUAL_MAPPINGS = ['mapping.yaml', 'mapping.yml', 'mapping.json']

/** A dataset that transform wrote, to which a path leads. */
interface DatasetThere {
  readonly location: string
  readonly manifest: EventsManifest
  /** True when the path is of its rejects, whose lines are records. */
  readonly isRejects: boolean
}

/** The dataset at a path, or the one that the file at a path is of; undefined for neither. */
async function datasetAt(path: string): Promise<DatasetThere | undefined> {
  const stat = await statOf(path)
  // In a bucket a prefix is named itself.
  const location = stat === 'folder' ? path : isS3(path) ? undefined : dirname(path)
  if (stat === undefined || location === undefined) return undefined
  const manifest = (await findManifest(await openStore(location)))?.manifest
  if (manifest?.kind !== 'events') return undefined
  const name = stat === 'folder' ? '' : basename(path)
  const isPart = manifest.parts.some((part) => part.file === name)
  const isRejects = name === REJECTS
  return name === '' || isPart || isRejects ? { location, manifest, isRejects } : undefined
}

/** The inputs that a dataset was made of. Code `input` when nothing says which they were, or one is gone. */
async function inputsOf({ location, manifest }: DatasetThere): Promise<string[]> {
  const list = inputList(manifest.source)
  if (!list) {
    throw new PosthaulError(`${location} does not say what it was made of`, {
      code: 'input',
      hint: 'name the raw input instead',
    })
  }
  for (const path of list) {
    // A pattern is taken as it is: whether it finds anything is told when it is read.
    if (/[*?[{]/.test(path) || (await statOf(path)) !== undefined) continue
    throw new PosthaulError(`${location} was made of ${list.join(' ')}, and ${path} is not there`, {
      code: 'input',
      hint: 'run this in the folder where transform ran, or name the raw input instead of the dataset',
    })
  }
  return list
}

/**
 * The mapping file that made a dataset: `named`, or the usual one of this folder when it is the same to the byte. Code
 * `usage` when the dataset was made with one and it is not found.
 */
async function mappingOf(
  { location, manifest }: DatasetThere,
  named: string | undefined,
): Promise<{ readonly path: string | undefined; readonly isOther: boolean }> {
  const sha256 = manifest.source.mapping_sha256
  if (named !== undefined) return { path: named, isOther: sha256 !== (await digestOf(named)) }
  if (sha256 === undefined) return { path: undefined, isOther: false }
  for (const path of USUAL_MAPPINGS)
    if ((await statOf(path)) && (await digestOf(path)) === sha256) return { path, isOther: false }
  throw new PosthaulError(`${location} was made with a mapping file`, {
    code: 'usage',
    hint: `name it with --map (its sha256 begins with ${sha256.slice(0, 12)})`,
  })
}

async function digestOf(path: string): Promise<string> {
  const bytes = await readWhole(path, { mostBytes: 4 * MIB, pipe: true })
  return createHash('sha256').update(bytes).digest('hex')
}

/** The line of the event under this uuid, in lower case, in a dataset. `stop` throws its reason. */
async function eventUnder(wanted: string, dataset: string, stop: AbortSignal): Promise<string | undefined> {
  let found: string | undefined
  const enough = new AbortController()
  const sink = {
    line(bytes: Buffer, start: number, end: number) {
      if (found !== undefined || headUuid(bytes, start) !== wanted) return
      found = bytes.toString('utf8', start, end)
      enough.abort()
    },
    tooLong() {},
    reject() {},
    unusable() {},
  }
  for (const input of await listInputs([dataset])) {
    await readRecords(input, sink, { stop: AbortSignal.any([enough.signal, stop]) })
    stop.throwIfAborted()
    if (found !== undefined) break
  }
  return found
}
