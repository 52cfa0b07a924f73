import { basename, posix } from 'node:path'
import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import { assertParts, readManifest, unnamedIn } from '../../store/dataset.ts'
import { EXPORT_STATE, MANIFEST } from '../../store/name.ts'
import type { Store, StoredFile } from '../../store/store.ts'
import { parsedOrNone } from '../../text/json.ts'
import { MIB } from '../../text/units.ts'
import type { FileRemark, OnRemark } from './remark.ts'
import { type Delivery, heapManifests, type ManifestKind, pendoManifests } from './vendor-manifests.ts'

const KINDS: readonly ManifestKind[] = [heapManifests, pendoManifests]

/** A manifest has a line a file. What is larger and has its name is data. */
const LARGEST = 64 * MIB

/** A file of a folder, with the table that a manifest says it is of. */
export interface DataFile extends StoredFile {
  readonly table?: string | undefined
}

export interface ChooseOptions {
  readonly remark: OnRemark
  /** Reads days that the vendor may still change, too. */
  readonly unsettledDays: boolean
}

/**
 * The files that the manifests of Heap and Pendo in a folder mean, and those that are none of their business. Of a table
 * or a day: the newest delivery that was whole, and what was added to it since. Code `input` for such a file that is
 * missing.
 */
async function chosenByManifests(
  store: Store,
  files: readonly StoredFile[],
  options: ChooseOptions,
): Promise<readonly DataFile[]> {
  let left: readonly DataFile[] = files
  for (const kind of KINDS) {
    const named = files.filter(({ name }) => kind.isNamed(name))
    if (named.length > 0) left = await chosenBy(kind, store, { named, files: left }, options)
  }
  return left
}

async function chosenBy(
  kind: ManifestKind,
  store: Store,
  { named, files }: { readonly named: readonly StoredFile[]; readonly files: readonly DataFile[] },
  { remark, unsettledDays }: ChooseOptions,
): Promise<readonly DataFile[]> {
  const remarks = new Map<FileRemark['what'], string[]>()
  const say: Say = (what, name) => {
    const names = remarks.get(what)
    if (names) names.push(name)
    else remarks.set(what, [name])
  }
  const folders = new Map<string, Folder>()
  for (const { name, bytes } of named) {
    const deliveries = bytes > LARGEST ? undefined : kind.deliveries(await jsonOfFile(store, name))
    if (!deliveries) {
      say('not_a_manifest', name)
      continue
    }
    const base = kind.baseOf(name)
    const folder = folders.get(base) ?? new Folder(kind, base, files)
    folders.set(base, folder)
    folder.add(name, deliveries)
  }
  const fates = new Map<string, Fate>()
  for (const folder of folders.values()) {
    for (const [name, fate] of folder.judge(store, unsettledDays, say)) fates.set(name, fate)
  }
  const kept = files.flatMap((file) => {
    const fate = fates.get(file.name)
    if (fate === undefined) return [file]
    if (fate.what !== undefined) say(fate.what, file.name)
    return fate.read ? [{ ...file, ...(fate.table !== undefined && { table: fate.table }) }] : []
  })
  const unsettled = remarks.get('unsettled')?.length ?? 0
  if (kept.length === 0 && unsettled > 0) throw allUnsettled(store, unsettled)
  for (const [what, names] of remarks) remark({ what, vendor: kind.vendor, names })
  return kept
}

type Say = (what: FileRemark['what'], name: string) => void

/** What becomes of one file, and what there is to say of it. */
interface Fate {
  readonly read: boolean
  readonly what?: FileRemark['what']
  readonly table?: string | undefined
}

/** The files below one place, and the manifests that speak of them. */
class Folder {
  readonly #kind: ManifestKind
  readonly #base: string
  readonly #within: ReadonlySet<string>
  readonly #manifests = new Set<string>()
  readonly #tables = new Set<string | undefined>()
  readonly #deliveries: Array<Delivery & { readonly manifest: string }> = []

  constructor(kind: ManifestKind, base: string, files: readonly StoredFile[]) {
    this.#kind = kind
    this.#base = base
    const prefix = base === '.' ? '' : `${base}/`
    this.#within = new Set(files.flatMap(({ name }) => (name.startsWith(prefix) ? [name] : [])))
  }

  add(manifest: string, deliveries: readonly Delivery[]): void {
    this.#manifests.add(manifest)
    for (const one of deliveries) {
      this.#deliveries.push({ ...one, manifest })
      this.#tables.add(one.table)
    }
  }

  /** What becomes of each file here. A file that is read for one reason is read. */
  judge(store: Store, unsettledDays: boolean, say: Say): Map<string, Fate> {
    const newest = newestWhole(this.#deliveries)
    for (const of of new Set(this.#deliveries.map((one) => one.of))) {
      if (!newest.has(of)) say('never_whole', of)
    }
    const fates = new Map<string, Fate>()
    for (const one of this.#deliveries) {
      const stale = one.order < (newest.get(one.of) ?? 0)
      const unsettled = one.unsettled === true && !unsettledDays
      for (const address of one.files) {
        const name = this.#find(address)
        if (name === undefined) {
          if (stale || unsettled) continue
          throw missing(store, one.manifest, address)
        }
        fates.set(name, merged(fates.get(name), fateOf(one, stale, unsettled)))
      }
    }
    for (const name of this.#within) if (!fates.has(name)) fates.set(name, this.#unnamed(name))
    return fates
  }

  /** The file that an address of the vendor's bucket means: names above it may differ here, or be left out. */
  #find(address: string): string | undefined {
    const names = address
      .replace(/^[a-z\d]+:\/\//i, '')
      .split('/')
      .filter((name) => name !== '' && name !== '.')
    for (let from = 0; from + Math.min(this.#kind.tail, names.length) <= names.length; from++) {
      const name = posix.join(this.#base, ...names.slice(from))
      if (this.#within.has(name)) return name
    }
    return undefined
  }

  #unnamed(name: string): Fate {
    if (this.#manifests.has(name)) return { read: false }
    // It was read as a manifest, and is said to be none.
    if (this.#kind.isNamed(name)) return { read: true }
    const become = this.#kind.unnamed(posix.relative(this.#base, name), this.#tables)
    if (become === 'book') return { read: false }
    return become === 'read' ? { read: true, what: 'unnamed_read' } : { read: false, what: 'unnamed' }
  }
}

function newestWhole(deliveries: readonly Delivery[]): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { of, order, whole } of deliveries) {
    if (whole && order >= (newest.get(of) ?? 0)) newest.set(of, order)
  }
  return newest
}

function fateOf({ table }: Delivery, stale: boolean, unsettled: boolean): Fate {
  if (stale) return { read: false, what: 'stale' }
  return unsettled ? { read: false, what: 'unsettled' } : { read: true, table }
}

/** One file may hold several days: then it is read if one of them is. */
function merged(held: Fate | undefined, fate: Fate): Fate {
  if (held === undefined || held.what === 'stale') return fate
  if (fate.what === 'stale' || held.read === fate.read) return held
  const { table } = held.read ? held : fate
  return { read: true, what: 'unsettled_read', table }
}

function missing(store: Store, manifest: string, address: string): PosthaulError {
  return new PosthaulError(`${store.address(manifest)} names ${address}, which is not there`, {
    code: 'input',
    hint: 'copy all files that it names; to read without the manifests, name the files by a pattern in quotes',
  })
}

function allUnsettled(store: Store, files: number): PosthaulError {
  return new PosthaulError(
    `all ${files} files in ${store.location} are of the newest 10 days, which Pendo may still change`,
    { code: 'input', hint: 'wait until the days are settled, or add --with unsettled-days' },
  )
}

/** What a small file of JSON says; undefined when there is no such file, or it is none. */
async function jsonOfFile(store: Store, name: string): Promise<unknown> {
  const loaded = await store.load(name)
  return loaded && parsedOrNone(Buffer.from(loaded.bytes).toString('utf8'))
}

/** The manifest that the service's batch exports write beside files that belong together: their keys in the bucket. */
const batchExportManifest = z.object({ files: z.array(z.string()) })

/**
 * The files of a folder that count as data: the parts that a dataset's manifest names; else those that the manifests of a
 * vendor mean, and all that no manifest speaks of, but no manifests. Code `input` when a file that a manifest names is
 * missing, or an export has not finished.
 */
export async function datasetFiles(
  store: Store,
  files: readonly StoredFile[],
  options: ChooseOptions,
): Promise<readonly DataFile[]> {
  const names = new Set(files.map((file) => file.name))
  if (names.has(MANIFEST) && isOurs(await jsonOfFile(store, MANIFEST))) {
    const dataset = await readManifest(store)
    await assertParts(store, dataset)
    const unnamed = unnamedIn(dataset, files).map(({ name }) => name)
    if (unnamed.length > 0) options.remark({ what: 'unnamed', vendor: 'the dataset', names: unnamed })
    const parts = new Set(dataset.parts.map((part) => part.file))
    return files.filter(({ name }) => parts.has(name))
  }
  if (names.has(EXPORT_STATE)) throw unfinished(store)
  const manifests = new Set<string>()
  for (const name of names) {
    if (!/(?:^|\/|_)manifest\.json$/.test(name)) continue
    const found = batchExportManifest.safeParse(await jsonOfFile(store, name))
    if (!found.success) continue
    manifests.add(name)
    for (const key of found.data.files) assertThere(store, names, name, key)
  }
  const data = files.filter(({ name }) => !manifests.has(name))
  return chosenByManifests(store, data, options)
}

// Keys begin with a prefix in the bucket, which a copy may have dropped: the files are looked for beside the manifest.
function assertThere(store: Store, names: ReadonlySet<string>, manifest: string, key: string): void {
  if (names.has(posix.join(posix.dirname(manifest), basename(key)))) return
  throw new PosthaulError(`${store.address(manifest)} names ${basename(key)}, which is not beside it`, {
    code: 'input',
    hint: 'copy the whole batch export: all files that its manifest lists',
  })
}

function isOurs(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'tool' in value && 'parts' in value
}

function unfinished(store: Store): PosthaulError {
  return new PosthaulError(`the export in ${store.location} has not finished: it has no ${MANIFEST} yet`, {
    code: 'input',
    hint: 'run the same export command again: it goes on where it was',
  })
}
