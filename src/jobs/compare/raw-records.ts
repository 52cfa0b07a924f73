import { PosthaulError } from '../../errors.ts'
import { listInputs } from '../../inputs/index.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/index.ts'
import { type Engine, makeEngine } from '../../pipeline/engine.ts'
import { GROUP_EVENT } from '../../record/index.ts'
import type { EventsManifest } from '../../store/index.ts'
import { HASH_KEY, type Job, loadMapping, prepare } from '../../transform/index.ts'
import { inputsOf, mappingOf } from '../explain/origin.ts'
import { SideTables } from '../transform/side-tables.ts'

/** What the raw records of a dataset are read with. */
export interface RawRecords {
  readonly engine: Engine
  readonly job: Job
  close(): Promise<void>
}

interface OfDataset {
  readonly location: string
  readonly manifest: EventsManifest
}

export interface RawRequest {
  /** The mapping file that the user names. */
  readonly mapping: string | undefined
  /** The inputs that the user names; empty for those of the manifest. */
  readonly inputs: readonly string[]
}

/** Why the raw records are not read, as a sentence. */
type Unread = { readonly unread: string }

/** The raw records of a dataset and what made events of them, or why they can't be read. Code `usage` for another mapping file. */
export async function rawRecords(
  datasets: readonly OfDataset[],
  request: RawRequest,
  io: Io,
): Promise<RawRecords | Unread> {
  const [dataset, ...more] = datasets
  if (dataset === undefined || more.length > 0)
    return { unread: 'several datasets are compared together, so the raw records were not read' }
  const found = await placesOf(dataset, request)
  return 'unread' in found ? found : open(dataset, found, io)
}

interface Places {
  readonly inputs: readonly string[]
  readonly map: string | undefined
}

async function placesOf(dataset: OfDataset, { mapping, inputs }: RawRequest): Promise<Places | Unread> {
  try {
    const { path, isOther } = await mappingOf(dataset, mapping)
    if (!isOther) return { map: path, inputs: inputs.length > 0 ? inputs : await inputsOf(dataset) }
  } catch (error) {
    // What the user did not name may be gone, and the dataset can be compared without it.
    if (!(error instanceof PosthaulError) || mapping !== undefined || inputs.length > 0) throw error
    return { unread: `the raw records were not read: ${error.message}; ${error.hint ?? ''}` }
  }
  throw new PosthaulError(`${dataset.location} was made with another mapping file than ${mapping}`, {
    code: 'usage',
    hint: 'name the file that transform was given, as it was then',
  })
}

async function open({ manifest }: OfDataset, { inputs, map }: Places, io: Io): Promise<RawRecords | Unread> {
  const { source, import_ids: importIds } = manifest
  const prepared = await prepare(
    {
      preset: source.preset,
      map,
      in: inputs,
      gzip: false,
      dryRun: true,
      groupEventName: GROUP_EVENT,
      with: [],
      importId: importIds === null ? false : importIds[0],
      hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
    },
    { inputs: await listInputs(inputs) },
  )
  if (prepared.job.forget)
    return { unread: 'the mapping file names people to forget, so the raw records were not read' }
  if (prepared.source.rules_sha256 !== source.rules_sha256)
    return {
      unread:
        'transform was given options that its manifest does not name, or was another version, so the raw records were not read',
    }
  const sides = new SideTables(prepared, io)
  const { job } = await sides.join('here')
  const engine = await makeEngine(job)
  return {
    engine,
    job,
    close: async () => {
      engine.close()
      await sides.remove()
    },
  }
}

/** Vendor's name -> final name, as far as a mapping file says it; for a dataset whose raw records are not read. */
export async function renamedEvents(mapping: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (mapping === undefined) return new Map()
  return new Map(Object.entries((await loadMapping(mapping)).mapping.events.rename))
}
