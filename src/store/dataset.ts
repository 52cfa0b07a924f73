import type { z } from 'zod'
import { ofOtherVersion, PosthaulError } from '../errors.ts'
import { isJsonObject } from '../text/json.ts'
import { pathWord, posthaulLine } from '../text/shell-word.ts'
import { errnoOf } from './file-error.ts'
import { type EventsManifest, MANIFEST_VERSION, type Manifest, manifestSchema } from './manifest.ts'
import { EXPORT_STATE, MANIFEST, parsePartName, REJECTS } from './name.ts'
import type { PutCondition, Store, StoredFile } from './store.ts'

const DATA = /\.(?:ndjson|jsonl|csv|tsv|parquet|avro)(?:\.\w{2,4})?$/
const STATE = /\.(?:rejects|own|pace|sent)\.ndjson$/

/**
 * The store's manifest, and the version that a replacement must name; undefined when it holds no finished dataset. Code `input`
 * for one that cannot be used.
 */
export async function findManifest(store: Store) {
  const loaded = await store.load(MANIFEST).catch((error: unknown) => refuseFile(store, error))
  if (!loaded) return undefined
  return { manifest: parse(loaded.bytes, store.address(MANIFEST)), version: loaded.version }
}

/** True where a dataset was finished. Code `input` for a file. */
export async function isFinished(store: Store): Promise<boolean> {
  return (await store.stamp(MANIFEST).catch((error: unknown) => refuseFile(store, error))) !== undefined
}

function refuseFile({ location }: Store, error: unknown): never {
  if (!(error instanceof PosthaulError) || errnoOf(error.cause) !== 'ENOTDIR') throw error
  throw new PosthaulError(`${location} is a file, and no dataset`, {
    code: 'input',
    hint: 'a dataset is a folder, made by export or transform; check, import and verify take a file of events with --file',
  })
}

/** The manifest of a finished dataset; code `input` when there is none. */
export async function readManifest(store: Store): Promise<Manifest> {
  const found = await findManifest(store)
  if (found) return found.manifest
  const isThere = (await store.list()).length > 0
  const what = isThere
    ? `is no finished dataset: it has no ${MANIFEST}`
    : 'is no dataset: it is empty, or not there'
  throw new PosthaulError(`${store.location} ${what}`, {
    code: 'input',
    hint: isThere
      ? 'if a run was cut short there, repeat its command; transform makes a dataset of records'
      : 'check the path for a typing error',
  })
}

export async function readEventsManifest(store: Store): Promise<EventsManifest> {
  const manifest = await readManifest(store)
  if (manifest.kind === 'events') return manifest
  const { preset } = manifest.source
  const argv = ['transform', ...(preset === undefined ? [] : ['--preset', preset])]
  const next = posthaulLine([...argv, '--in', pathWord(store.location), '--out', 'events/'])
  throw new PosthaulError(`${store.location} holds raw records, not events`, {
    code: 'input',
    hint: `turn them into events first: ${next}`,
  })
}

/** What a dataset holds. One kind never goes over another: what can't be made again would be lost. */
type DatasetKind = 'raw' | 'events' | 'groups'

/**
 * Refuses, with code `input`, a place that holds a dataset of another kind, finished or not. A command that writes a
 * dataset asks before its first write, and `writeManifest` asks again.
 */
export async function assertPlaceFor(store: Store, kind: DatasetKind): Promise<void> {
  const manifest = (await findManifest(store))?.manifest
  if (manifest && kindOf(manifest) !== kind) throw occupied(store.location, datasetWords(manifest))
  const exporting = (await store.stamp(EXPORT_STATE)) !== undefined
  if (kind !== 'raw' && exporting) throw occupied(store.location, 'the raw records of an export')
  if (!manifest && !exporting && DATA.test(store.location))
    throw new PosthaulError(`${store.location} looks like a file, and a dataset is a folder`, {
      code: 'input',
      hint: `name a folder: --out ${store.location.replace(DATA, '/')}`,
    })
  if (kind !== 'raw' || exporting || manifest) return
  // An export writes its state first, so these parts are not its own; it would take them for windows that it has.
  if ((await store.list()).some(({ name }) => parsePartName(name)))
    throw occupied(store.location, 'parts of a dataset that is not finished')
}

/** The error for a place that is taken. `what` it holds: `the dataset of groups`. */
export function occupied(location: string, what: string): PosthaulError {
  return new PosthaulError(`${location} holds ${what}: it would be replaced`, {
    code: 'input',
    hint: 'name another folder with --out, or delete this one if it is not needed any more',
  })
}

export function datasetWords(manifest: Manifest): string {
  const { preset = '?', inputs = '?' } = manifest.source
  const kind = kindOf(manifest)
  if (kind === 'raw') return `the raw records that were exported from ${preset}`
  return kind === 'groups' ? 'the dataset of groups' : `the dataset that ${preset} made of ${inputs}`
}

function kindOf({ kind, source }: Manifest): DatasetKind {
  return kind === 'events' && source.kind === 'groups' ? 'groups' : kind
}

/** Publishes the manifest: call it last, when every part is in place. One that contradicts itself is a bug. */
export async function writeManifest(
  store: Store,
  manifest: Manifest,
  condition?: PutCondition,
): Promise<void> {
  const checked = manifestSchema.safeParse(manifest)
  if (!checked.success) throw new Error(`a wrong manifest: ${explain(checked.error)}`)
  await assertPlaceFor(store, kindOf(manifest))
  await store.put(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), condition)
}

/** Refuses, with code `input`, a dataset with a file that is missing or has another size. Reads none of them. */
export async function assertParts(store: Store, manifest: Manifest): Promise<void> {
  const [fault] = (await lookAtParts(store, manifest)).faults
  if (fault === undefined) return
  throw new PosthaulError(fault, {
    code: 'input',
    hint: 'a dataset is never edited: make it anew with the command that made it',
  })
}

/**
 * How the files of a dataset differ from its manifest, by name and size, in sentences: what it names is missing or of another
 * size, and data of a dataset of events is not in it. Reads no file, so other bytes of the same size are not seen.
 */
export async function lookAtParts(store: Store, manifest: Manifest) {
  const files = await store.list()
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]))
  const faults = namedIn(manifest).flatMap(({ file, bytes }) => {
    const size = sizes.get(file)
    if (size === bytes) return []
    const found = size === undefined ? 'is missing' : `has ${size} bytes, and the manifest says ${bytes}`
    return `${store.address(file)} ${found}`
  })
  const others = manifest.kind === 'events' ? unnamedIn(manifest, files) : []
  const unnamed = others.map(
    ({ name }) => `${store.address(name)} is not in the manifest of the dataset: it will not be sent`,
  )
  return { faults, unnamed }
}

/** The files that look like data and that the manifest of their dataset doesn't name. */
export function unnamedIn(manifest: Manifest, files: readonly StoredFile[]): StoredFile[] {
  const own = new Set([REJECTS, ...namedIn(manifest).map(({ file }) => file)])
  return files.filter(({ name }) => !own.has(name) && isData(name))
}

function namedIn(manifest: Manifest) {
  const besides = manifest.kind === 'events' ? [manifest.arrival, manifest.links] : []
  return [...manifest.parts, ...besides.filter((one) => one != null)]
}

/** True for a file that could be meant to be sent: not the state that an import keeps in this place. */
function isData(name: string): boolean {
  return DATA.test(name) && !STATE.test(name)
}

function parse(bytes: Uint8Array, path: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw unusable(path, 'it is not JSON', cause)
  }
  const checked = manifestSchema.safeParse(value)
  if (checked.success) return checked.data
  if (isJsonObject(value) && 'version' in value && value.version !== MANIFEST_VERSION)
    throw ofOtherVersion(path, 'input', ', or make the dataset anew with the command that made it')
  throw unusable(path, explain(checked.error), checked.error)
}

function unusable(path: string, why: string, cause?: unknown): PosthaulError {
  return new PosthaulError(`${path} cannot be used: ${why}`, {
    code: 'input',
    hint: 'make the dataset anew with the command that made it',
    cause,
  })
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'it has another shape'
  const path = issue.path.map(String).join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}
