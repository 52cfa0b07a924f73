import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import pLimit from 'p-limit'
import { PosthaulError } from '../errors.ts'
import { ARRIVAL } from '../store/arrival.ts'
import { MANIFEST, REJECTS } from '../store/dataset.ts'
import { fileError } from '../store/file-error.ts'
import { COUNTS_SUFFIX, EXPORT_STATE } from '../store/name.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import { datasetFiles } from './dataset-files.ts'
import { parseGlob } from './glob.ts'
import type { InputFile } from './input-file.ts'
import { type FileStat, statOf } from './locate.ts'
import { naturalOrder } from './natural-order.ts'
import { inspect } from './probe.ts'

const OPEN_FILES = 16

/** A file that a path led to. */
interface Named {
  readonly path: string
  readonly name: string
  /** Known from a bucket's listing: asking again would take a request for each file. */
  readonly stat?: FileStat
}

/**
 * Finds the inputs that files, folders, globs and buckets name, and tells what each one is by its content. Folders and
 * globs leave out what posthaul keeps beside data: hidden files, manifests, checkpoints, locks, rejects (a rejects file
 * is read when it is named itself). Ordered by name, whatever the order of `paths`; a file found twice is listed once.
 * Code `input` for what is missing, unreadable, or none of the formats.
 */
export async function listInputs(paths: readonly string[]): Promise<InputFile[]> {
  const found = (await Promise.all(paths.map(find))).flat()
  const unique = new Map<string, Named>()
  for (const file of found) {
    const real = isS3(file.path)
      ? file.path
      : await realpath(file.path).catch((error) => {
          throw fileError(error, 'read', file.path)
        })
    if (!unique.has(real)) unique.set(real, file)
  }
  const files = uniquelyNamed([...unique.values()])
  files.sort((a, b) => naturalOrder(a.name, b.name))
  const limit = pLimit(OPEN_FILES)
  return (await Promise.all(files.map((file) => limit(look, file)))).flat()
}

async function look({ path, name, stat }: Named): Promise<InputFile[]> {
  const known = stat ?? (await statOf(path))
  if (known !== undefined && known !== 'folder') return inspect({ path, name, ...known })
  throw new PosthaulError(`${path} went away while it was listed`, { code: 'input' })
}

async function find(path: string): Promise<Named[]> {
  const stat = await statOf(path)
  if (stat === 'folder') return findIn(path, () => true, path)
  if (stat) return [{ path, name: basename(isS3(path) ? path.replace(/\?.*$/, '') : path), stat }]
  const glob = isS3(path) ? undefined : parseGlob(path)
  if (glob) return findIn(glob.folder, glob.matches, path)
  throw new PosthaulError(`${path} is not there`, {
    code: 'input',
    hint: 'check the path for a typing error; a folder, a file or a pattern in quotes is expected',
  })
}

async function findIn(folder: string, matches: (name: string) => boolean, asked: string): Promise<Named[]> {
  const store = await openStore(folder)
  const listed = await store.list()
  // A pattern names its files; a folder means the data in it.
  const meant = folder === asked ? await datasetFiles(store, listed) : listed
  const all = meant.filter((file) => matches(file.name))
  const names = new Set(listed.map(({ name }) => name))
  const files = all.filter(({ name }) => !isOwnName(basename(name)) && !isArrival(name, names))
  if (files.length > 0) {
    return files.map(({ name, bytes }) => {
      const path = store.address(name)
      return isS3(path) ? { name, path, stat: { size: bytes, mtimeMs: 0 } } : { name, path }
    })
  }
  const rejects = all.find((file) => isRejectsName(basename(file.name)))
  throw new PosthaulError(`${asked} holds no input files`, {
    code: 'input',
    hint: rejects
      ? `to run its rejects again, name the file: ${store.address(rejects.name)}`
      : 'check the path; inputs are NDJSON, JSON arrays, CSV, TSV and Parquet, plain, .gz, .br or in a zip',
  })
}

function isRejectsName(name: string): boolean {
  // A restart moves rejects aside, to a name that ends in .old.
  const base = name.replace(/\.old\d*$/, '')
  // In a bucket the rejects of an import are numbered pieces.
  return base === REJECTS || /\.rejects(\.\d{4,})?\.ndjson$/.test(base)
}

/** True for what posthaul itself writes beside the data. */
function isOwnName(name: string): boolean {
  return (
    name === MANIFEST ||
    name === EXPORT_STATE ||
    name.endsWith(COUNTS_SUFFIX) ||
    isRejectsName(name) ||
    /\.checkpoint\.json\b|\.pace\.ndjson$|\.lock(\.takeover)*$/.test(name)
  )
}

/** True for a dataset's own arrival.ndjson; a user's file may have that name elsewhere. */
function isArrival(name: string, names: ReadonlySet<string>): boolean {
  return basename(name) === ARRIVAL && names.has(name.slice(0, -ARRIVAL.length) + MANIFEST)
}

/** Inputs with the same name are called by their paths, so that a reject says from which file it came. */
function uniquelyNamed(files: readonly Named[]): Named[] {
  const uses = new Map<string, number>()
  for (const { name } of files) uses.set(name, (uses.get(name) ?? 0) + 1)
  return files.map((file) => (uses.get(file.name)! > 1 ? { ...file, name: file.path } : file))
}
