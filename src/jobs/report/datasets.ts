import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type EventsManifest,
  inputList,
  isS3,
  MANIFEST,
  type Manifest,
  openStore,
  type RawManifest,
  readManifest,
  type Store,
  withEndpoint,
} from '../../store/index.ts'

/** A dataset that a report is of. `name`: as it was typed; `place`: the same with its endpoint. */
export interface Opened<M extends Manifest = Manifest> {
  readonly name: string
  readonly place: string
  readonly store: Store
  readonly manifest: M
}

export interface OpenedDatasets {
  readonly raw: readonly Opened<RawManifest>[]
  readonly events: readonly Opened<EventsManifest>[]
}

/**
 * Opens the datasets that were named, and the raw ones that they were made of, where these are on this machine. One that is
 * named twice counts once. Code `input` for what is no finished dataset.
 */
export async function openDatasets(
  names: readonly string[],
  endpoint: string | undefined,
): Promise<OpenedDatasets> {
  const opened = new Map<string, Opened>()
  const add = async (name: string) => {
    const place = isS3(name) ? withEndpoint(name, endpoint) : name
    const store = await openStore(place)
    const address = store.address(MANIFEST)
    if (opened.has(address)) return
    opened.set(address, { name, place, store, manifest: await readManifest(store) })
  }
  for (const name of names) await add(name)
  for (const { manifest } of [...opened.values()]) {
    if (manifest.kind === 'raw') continue
    for (const input of datasetInputs(manifest)) {
      // An input is mostly a file, and what is in its folder now may be another export: the user did not name it.
      if (!isS3(input) && existsSync(join(input, MANIFEST))) await add(input).catch(() => undefined)
    }
  }
  const all = [...opened.values()]
  return { raw: all.filter(isRaw), events: all.filter(isOfEvents) }
}

/** The inputs of a transform, as its manifest names them: one of an earlier version doesn't tell blanks in paths apart. */
export function datasetInputs({ source }: Manifest): string[] {
  return inputList(source) ?? (source.inputs ?? '').split(' ').filter((word) => word !== '')
}

function isRaw(opened: Opened): opened is Opened<RawManifest> {
  return opened.manifest.kind === 'raw'
}

function isOfEvents(opened: Opened): opened is Opened<EventsManifest> {
  return opened.manifest.kind === 'events'
}
