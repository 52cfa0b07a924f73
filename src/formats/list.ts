import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pLimit from 'p-limit'
import { PosthaulError } from '../errors.ts'
import { MANIFEST, REJECTS } from '../store/dataset.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { LocalStore } from '../store/local.ts'
import { EXPORT_LEDGER } from '../store/name.ts'
import { datasetFiles } from './dataset-files.ts'
import { parseGlob } from './glob.ts'
import { gunzipHead, isGzip } from './gunzip.ts'
import type { InputFile } from './input.ts'
import { naturalOrder } from './natural-order.ts'
import { readHead } from './open-bytes.ts'
import { recognise } from './recognise.ts'

const HEAD_BYTES = 64 * 1024
/** A packed head is shorter: it may unpack to a thousand times its size. */
const PACKED_HEAD_BYTES = 16 * 1024
const OPEN_FILES = 16

/** A file found, before anybody has looked into it. */
interface Found {
  readonly path: string
  readonly name: string
}

/**
 * Finds the inputs that files, folders and globs name, and tells what each one is by its content. In folders and
 * globs, what posthaul keeps beside data is passed over: hidden files, manifests, checkpoints, locks, rejects (a
 * rejects file is read when it is named itself). Ordered by name, whatever the order of `paths`; a file found
 * twice is listed once. Code `input` for what is missing, unreadable, or none of the formats.
 */
export async function listInputs(paths: readonly string[]): Promise<InputFile[]> {
  const found = (await Promise.all(paths.map(find))).flat()
  const unique = new Map<string, Found>()
  for (const file of found) {
    const real = await realpath(file.path).catch((error) => {
      throw fileError(error, 'read', file.path)
    })
    if (!unique.has(real)) unique.set(real, file)
  }
  const files = uniquelyNamed([...unique.values()])
  files.sort((a, b) => naturalOrder(a.name, b.name))
  const limit = pLimit(OPEN_FILES)
  return Promise.all(files.map((file) => limit(inspect, file)))
}

async function find(path: string): Promise<Found[]> {
  const stats = await statOf(path)
  if (stats?.isDirectory()) return findIn(path, () => true, path)
  if (stats) return [{ path, name: basename(path) }]
  const glob = parseGlob(path)
  if (glob) return findIn(glob.folder, glob.matches, path)
  throw new PosthaulError(`${path} is not there`, {
    code: 'input',
    hint: 'check the path for a typing error; a folder, a file or a pattern in quotes is expected',
  })
}

async function findIn(folder: string, matches: (name: string) => boolean, asked: string): Promise<Found[]> {
  const store = new LocalStore(folder)
  const listed = await store.list()
  // A pattern picks its files itself; a folder means the data in it.
  const meant = folder === asked ? await datasetFiles(store, listed) : listed
  const all = meant.filter((file) => matches(file.name))
  const files = all.filter((file) => !isOwnName(basename(file.name)))
  if (files.length > 0) return files.map(({ name }) => ({ name, path: join(folder, name) }))
  const rejects = all.find((file) => isRejectsName(basename(file.name)))
  throw new PosthaulError(`${asked} holds no input files`, {
    code: 'input',
    hint: rejects
      ? `to run its rejects again, name the file: ${join(folder, rejects.name)}`
      : 'check the path; inputs are NDJSON, JSON arrays, CSV and TSV, plain or .gz',
  })
}

function isRejectsName(name: string): boolean {
  return name === REJECTS || name.endsWith(`.${REJECTS}`)
}

/** True for what posthaul itself writes beside the data. */
function isOwnName(name: string): boolean {
  return (
    name === MANIFEST ||
    name === EXPORT_LEDGER ||
    isRejectsName(name) ||
    /\.checkpoint\.json\b|\.lock(\.takeover)*$/.test(name)
  )
}

/** Names that two inputs share give way to their paths: a reject says from which file it came. */
function uniquelyNamed(files: readonly Found[]): Found[] {
  const uses = new Map<string, number>()
  for (const { name } of files) uses.set(name, (uses.get(name) ?? 0) + 1)
  return files.map(({ path, name }) => ({ path, name: uses.get(name)! > 1 ? path : name }))
}

async function inspect({ path, name }: Found): Promise<InputFile> {
  const stats = await statOf(path)
  if (!stats?.isFile()) {
    throw new PosthaulError(`${path} is no ordinary file`, {
      code: 'input',
      hint: 'write the data to a file first: it is read more than once',
    })
  }
  const start = await readHead(path, HEAD_BYTES)
  const packed = isGzip(start) || (start.length === 0 && path.endsWith('.gz'))
  const head = packed ? gunzipHead(start.subarray(0, PACKED_HEAD_BYTES), path) : start
  const content = recognise(head, path)
  if ('what' in content) {
    throw new PosthaulError(`${path} ${content.what}`, { code: 'input', hint: content.hint })
  }
  return {
    path,
    name,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    compression: packed ? 'gzip' : 'none',
    ...content,
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
}
