import type { FoundWarning, WarningsFound } from '../../checks/warnings-found.ts'
import { PosthaulError } from '../../errors.ts'
import { listInputs } from '../../inputs/list.ts'
import { readRecords } from '../../inputs/read.ts'
import { headUuid } from '../../record/head.ts'
import type { Api } from '../../service/api.ts'
import { type IngestionWarning, ingestionWarnings } from '../../service/ingestion-warnings.ts'

interface Place {
  readonly file: string
  readonly line: number
}

/** What the service answered, with all of its examples. */
export interface AskedWarnings extends WarningsFound {
  readonly told: readonly IngestionWarning[]
}

/** Asks what the service warned of since then. That it can't be asked is said in the answer, and is no failure. */
export async function askWarnings(api: Api, projectId: string, since: string): Promise<AskedWarnings> {
  try {
    const told = await ingestionWarnings(api, projectId, since)
    const warnings = told.map(({ examples, ...warning }) => ({ ...warning, example: examples[0] }))
    return { since, warnings, told, unasked: undefined }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    return unaskedWarnings(since, error)
  }
}

/** Why they could not be asked for, and what to do. */
export function unaskedWarnings(since: string, { message, hint }: PosthaulError): AskedWarnings {
  const help = hint ?? 'posthaul verify asks for them again'
  return { since, warnings: [], told: [], unasked: `${message}; ${help}` }
}

/**
 * The same, with an example of each traced to its file and line in the inputs. They are read once, if there is a need. Where
 * they can't be read, as in a dataset without events, the examples have no lines: that is no failure.
 */
export async function tracedWarnings(
  { told, warnings, ...found }: AskedWarnings,
  paths: readonly string[],
  stop: AbortSignal,
): Promise<WarningsFound> {
  const uuids = new Set(told.flatMap(({ examples }) => examples.map(({ uuid }) => uuid)))
  if (uuids.size === 0) return { ...found, warnings }
  const places = await placesOf(uuids, paths, stop).catch((error: unknown) => {
    if (!(error instanceof PosthaulError) || stop.aborted) throw error
    return new Map<string, Place>()
  })
  const traced = told.map(({ examples, ...warning }): FoundWarning => {
    const example = examples.find(({ uuid }) => places.has(uuid)) ?? examples[0]
    const place = example && places.get(example.uuid)
    return { ...warning, example: example && { uuid: example.uuid, ...(place && { place }) } }
  })
  return { ...found, warnings: traced }
}

/** Where the events with these uuids are in datasets and files. Lines count from 1. */
async function placesOf(
  uuids: ReadonlySet<string>,
  paths: readonly string[],
  stop: AbortSignal,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>()
  const enough = new AbortController()
  for (const input of await listInputs(paths)) {
    if (places.size === uuids.size) break
    const sink = {
      line(bytes: Buffer, start: number, end: number, _offset: number, number: number) {
        const uuid = headUuid(bytes, start)
        const own = uuids.has(uuid) ? uuid : uuidWithin(bytes.toString('utf8', start, end), uuids)
        if (own === undefined || places.has(own)) return
        places.set(own, { file: input.path, line: number })
        if (places.size === uuids.size) enough.abort()
      },
      tooLong() {},
      reject() {},
      unusable() {},
    }
    await readRecords(input, sink, { stop: AbortSignal.any([enough.signal, stop]) })
    stop.throwIfAborted()
  }
  return places
}

/** The uuid of an event whose members are in another order, as files have them. */
function uuidWithin(line: string, uuids: ReadonlySet<string>): string | undefined {
  if (!line.includes('"uuid"')) return undefined
  try {
    const uuid = String((JSON.parse(line) as { readonly uuid?: unknown }).uuid).toLowerCase()
    return uuids.has(uuid) ? uuid : undefined
  } catch {
    return undefined
  }
}
