import { PosthaulError } from '../../errors.ts'
import { eventsByUuid } from '../events-by-uuid.ts'
import { type DatasetThere, datasetAt, inputsOf, mappingOf } from './dataset-origin.ts'
import type { ExplainValues } from './settings.ts'

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
export async function originOf(path: string, values: ExplainValues, stop: AbortSignal): Promise<Origin> {
  const { preset, map, uuid } = values
  const there = await datasetAt(path)
  const plain = { inputs: [path], preset, map, remarks: [], event: undefined, isMissing: false }
  // Events are records of the preset posthog, for who asks for that.
  if (!there || (preset !== undefined && !there.isRejects && uuid === undefined))
    return { ...plain, dataset: undefined }
  const { location, manifest } = there
  if (!there.isRejects && uuid === undefined) {
    throw new PosthaulError(`${path} holds events, not records`, {
      code: 'usage',
      hint: 'name one of them with --uuid to be led to its record, or name the raw input in its place',
    })
  }
  const made = { ...plain, ...(await mappedAs(there, values)), dataset: location }
  if (there.isRejects) return made
  const event = (await eventsByUuid(new Set([uuid!]), [location], stop)).get(uuid!)?.text
  if (event === undefined) return { ...made, isMissing: true }
  return {
    ...made,
    inputs: await inputsOf(there),
    event,
    remarks: [...made.remarks, `made from ${manifest.source.inputs}`],
  }
}

/** The preset and the mapping file that made a dataset. */
async function mappedAs(
  there: DatasetThere,
  { preset, map }: ExplainValues,
): Promise<Pick<Origin, 'preset' | 'map' | 'remarks'>> {
  const { source } = there.manifest
  const mapping = await mappingOf(there, map)
  const other = `${there.location} was made with another mapping file than ${mapping.path}: its events may be others`
  return { preset: preset ?? source.preset, map: mapping.path, remarks: mapping.isOther ? [other] : [] }
}
