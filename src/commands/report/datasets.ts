import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readManifest } from '../../store/dataset.ts'
import type { EventsManifest, Manifest, RawManifest } from '../../store/manifest.ts'
import { MANIFEST } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { readWhole } from '../../store/read-file.ts'
import { isS3 } from '../../store/s3-location.ts'
import { inputList } from '../../store/source-inputs.ts'
import type { Store } from '../../store/store.ts'
import { MIB } from '../../text/units.ts'
import type { DatasetPart } from './report-data.ts'

/** A dataset that a report is of. */
export interface Opened<M extends Manifest = Manifest> {
  readonly name: string
  readonly place: string
  readonly store: Store
  readonly manifest: M
}

interface OpenedDatasets {
  readonly raw: readonly Opened<RawManifest>[]
  readonly events: readonly Opened<EventsManifest>[]
}

/**
 * Opens the datasets that were named, and the raw ones that they were made of, where these are on this machine. One that is
 * named twice counts once. Code `input` for what is no finished dataset.
 */
export async function openDatasets(names: readonly string[]): Promise<OpenedDatasets> {
  const opened = new Map<string, Opened>()
  const add = async (name: string) => {
    const place = isS3(name) ? name : name
    const store = await openStore(place)
    const address = store.address(MANIFEST)
    if (opened.has(address)) return
    opened.set(address, { name, place, store, manifest: await readManifest(store) })
  }
  for (const name of names) await add(name)
  for (const { manifest } of [...opened.values()]) {
    if (manifest.kind === 'raw') continue
    for (const input of inputList(manifest.source) ?? []) {
      // An input is mostly a file, and what is in its folder now may be another export: the user did not name it.
      if (!isS3(input) && existsSync(join(input, MANIFEST))) await add(input).catch(() => undefined)
    }
  }
  const all = [...opened.values()]
  return { raw: all.filter(isRaw), events: all.filter(isOfEvents) }
}

function isRaw(opened: Opened): opened is Opened<RawManifest> {
  return opened.manifest.kind === 'raw'
}

function isOfEvents(opened: Opened): opened is Opened<EventsManifest> {
  return opened.manifest.kind === 'events'
}

const MOST_FILES = 200
const MOST_BYTES = 1 * MIB
const MOST_CHARS = 20_000

/**
 * The mapping file with this hash, if it is in the working folder or beside the dataset. A file that was edited since is
 * another one.
 */
export async function findMapping(dataset: string, sha256: string): Promise<DatasetPart['mapping']> {
  const folders = new Set(['.', ...(isS3(dataset) ? [] : [dirname(dataset)])])
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((one) => /\.(ya?ml|json)$/i.test(one)).slice(0, MOST_FILES)) {
      const path = join(folder, name)
      const text = await textOf(path, sha256)
      if (text !== undefined)
        return { path, text: text.slice(0, MOST_CHARS), isCut: text.length > MOST_CHARS }
    }
  }
  return undefined
}

async function textOf(path: string, sha256: string): Promise<string | undefined> {
  try {
    const about = await stat(path)
    if (!about.isFile() || about.size > MOST_BYTES) return undefined
    const bytes = await readWhole(path, { mostBytes: MOST_BYTES })
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes.toString('utf8') : undefined
  } catch {
    // What can't be read is not the file that is looked for.
    return undefined
  }
}
