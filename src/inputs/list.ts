import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, posix } from 'node:path'
import { loadDuckDB } from '../duckdb.ts'
import { PosthaulError } from '../errors.ts'
import { fileError } from '../store/file-error.ts'
import {
  ARRIVAL,
  COUNTS_SUFFIX,
  EXPORT_STATE,
  LINKS,
  MANIFEST,
  OUTCOMES,
  REJECTS,
  VENDOR_COUNTS,
} from '../store/name.ts'
import { openStore } from '../store/open.ts'
import { isS3 } from '../store/s3-location.ts'
import type { Store, StoredFile } from '../store/store.ts'
import { compareTexts } from '../text/words.ts'
import { partitionsOf } from './copies.ts'
import { atPlace, type InputFile, placeOfFiles } from './input-file.ts'
import { askEach, type FileStat, statOf, withoutLinks } from './locate.ts'
import type { ChooseOptions, DataFile } from './manifests/by-manifests.ts'
import type { OnRemark } from './manifests/remark.ts'
import { isStated, probeInput, tableOf } from './probe.ts'

interface Named {
  readonly path: string
  readonly name: string
  /** As a vendor's manifest calls it; else as the path does. */
  readonly table?: string | undefined
  /** Known from a bucket's listing: asking again would take a request for each file. */
  readonly stat?: FileStat
}

/**
 * Finds the inputs that files, folders, globs and buckets name, and tells what each one is by its content. Folders and
 * globs leave out what posthaul keeps beside data: hidden files, manifests, checkpoints, records, locks, rejects (a rejects file
 * is read when it is named itself). Ordered by name, whatever the order of `paths`; a file found twice is listed once.
 * Code `input` for what is missing, unreadable, or none of the formats. `options`: what to do with files that a vendor's
 * manifests speak of.
 */
export async function listInputs(
  paths: readonly string[],
  options: Partial<ChooseOptions> = {},
): Promise<InputFile[]> {
  const choose = { remark: () => {}, unsettledDays: false, ...options }
  const found = await findOnce(paths, choose)
  await refuseTableLogs(found)
  const partitioned = found.filter(({ path }) => partitionsOf(path).some((name) => !isStated(name)))
  if (partitioned.length > 0)
    choose.remark({ what: 'partitioned', vendor: 'the input', names: partitioned.map(({ name }) => name) })
  const inputs = (await askEach(found, (file) => look(file, choose.remark))).flat()
  // Before the first record is read: what can't be read to its end is not begun.
  const parquet = inputs.find(({ format }) => format === 'parquet')
  if (parquet) await loadDuckDB(`${parquet.path} is Parquet, which needs`)
  return inputs
}

/** The files that paths lead to, each once, by name. */
async function findOnce(paths: readonly string[], choose: ChooseOptions): Promise<Named[]> {
  refuseOwnAmong(paths)
  const found = (await Promise.all(paths.map((path) => find(path, choose)))).flat()
  // By hashes: of many files the paths would be as large as all the rest.
  const known = new Set<string>()
  const unique: Named[] = []
  for (const file of found) {
    const real = isS3(file.path)
      ? file.path
      : await withoutLinks(file.path).catch((error) => {
          throw fileError(error, 'read', file.path)
        })
    if (known.size < known.add(hash('sha1', real, 'base64')).size) unique.push(file)
  }
  return uniquelyNamed(withTables(unique)).sort((a, b) => naturalOrder(a.name, b.name))
}

/** A pattern that the shell resolves names what posthaul keeps beside its inputs, too: their records would be taken again. */
function refuseOwnAmong(paths: readonly string[]): void {
  const isOwn = (path: string) => isRejectsName(basename(path)) || isOwnEventsName(basename(path))
  const isBeside = (one: string, path: string) => dirname(one) === dirname(path) && /\.\w+$/.test(one)
  const own = paths.find((path) => isOwn(path) && paths.some((one) => !isOwn(one) && isBeside(one, path)))
  if (own === undefined) return
  throw new PosthaulError(`${own} is of an import, and is named among the inputs beside it`, {
    code: 'input',
    hint: "put a pattern in quotes, as '*.ndjson': it leaves such files out then; name a rejects file alone to run its rejects again",
  })
}

async function look(file: Named, remark: OnRemark): Promise<InputFile[]> {
  const { path, name, table, stat } = file
  const known = stat ?? (await statOf(path))
  if (known !== undefined && known !== 'folder')
    return probeInput(atPlace(file, { name, table, ...known }), remark)
  throw new PosthaulError(`${path} went away while it was listed`, { code: 'input' })
}

async function find(path: string, choose: ChooseOptions): Promise<Named[]> {
  const stat = await statOf(path)
  if (stat === 'folder') return findData(path, choose)
  if (stat) return [{ path, name: basename(isS3(path) ? path.replace(/\?.*$/, '') : path), stat }]
  const glob = isS3(path) ? undefined : parseGlob(path)
  if (glob) return findMatches(glob, path)
  throw new PosthaulError(`${path} is not there`, {
    code: 'input',
    hint: 'check the path for a typing error; a folder, a file or a pattern in quotes is expected',
  })
}

async function findData(folder: string, choose: ChooseOptions): Promise<Named[]> {
  const store = await openStore(folder)
  const listed = await store.list()
  // Only a folder has manifests, and only they need a schema.
  const { datasetFiles } = await import('./manifests/by-manifests.ts')
  return namedOf(store, listed, await datasetFiles(store, listed, choose), folder)
}

async function findMatches({ folder, matches }: Glob, asked: string): Promise<Named[]> {
  const store = await openStore(folder)
  const listed = await store.list()
  return namedOf(
    store,
    listed,
    listed.filter((file) => matches(file.name)),
    asked,
  )
}

function namedOf(
  store: Store,
  listed: readonly StoredFile[],
  all: readonly DataFile[],
  asked: string,
): Named[] {
  const names = new Set(listed.map(({ name }) => name))
  const files = all.filter(
    ({ name }) => !isOwnName(basename(name)) && !isOfDataset(name, names) && !isOfState(name, names),
  )
  if (files.length > 0) {
    const place = placeOfFiles(store)
    return files.map(({ name, bytes, etag, table }) => {
      const stat = { size: bytes, mtimeMs: 0, ...(etag && { etag }) }
      return atPlace(place, isS3(store.location) ? { name, table, stat } : { name, table })
    })
  }
  const rejects = all.find((file) => isRejectsName(basename(file.name)))
  throw new PosthaulError(`${asked} holds no input files`, {
    code: 'input',
    hint: rejects
      ? `to run its rejects again, name the file: ${store.address(rejects.name)}`
      : 'check the path; inputs are NDJSON, JSON arrays, CSV, TSV, Parquet and Avro, plain, .gz, .br or in a zip',
  })
}

/** True for a file of rejects, and for a mended copy under the name that posthaul suggests. */
export function isRejectsName(name: string): boolean {
  return withoutOld(name) === REJECTS || /\.rejects(\.\d{4,})?\.ndjson$/.test(withoutOld(name))
}

/** The events that an import made itself. */
function isOwnEventsName(name: string): boolean {
  return /\.own(\.\d{4,})?\.ndjson$/.test(withoutOld(name))
}

/** A restart moves files aside, to a name that ends in .old. In a bucket their pieces are numbered. */
function withoutOld(name: string): string {
  return name.replace(/\.old\d*$/, '')
}

/** True for what posthaul itself writes beside the data. */
function isOwnName(name: string): boolean {
  return (
    name === MANIFEST ||
    name === EXPORT_STATE ||
    name === VENDOR_COUNTS ||
    name === OUTCOMES ||
    name.endsWith(COUNTS_SUFFIX) ||
    isRejectsName(name) ||
    isOwnEventsName(name) ||
    /\.(checkpoint|undo|verified)\.json\b|\.lock(\.takeover)*$/.test(name)
  )
}

/** The persons that an import found in the project. */
const PERSONS = /\.persons\/(?:state\.json|\d+\.ndjson)$/

/** What an import sent and what verify missed, and the end of the name beside it; a user's file may have that name elsewhere. */
const OF_STATE = [
  [/\.sent\.ndjson$/, '.checkpoint.json'],
  [/\.missing(-\d+)?\.ndjson$/, '.verified.json'],
] as const

function isOfState(name: string, names: ReadonlySet<string>): boolean {
  if (PERSONS.test(name)) return true
  return OF_STATE.some(([end, beside]) => end.test(name) && names.has(name.replace(end, beside)))
}

/** True for a dataset's own arrival.ndjson and links.ndjson; a user's file may have that name elsewhere. */
function isOfDataset(name: string, names: ReadonlySet<string>): boolean {
  const own = basename(name)
  return (own === ARRIVAL || own === LINKS) && names.has(name.slice(0, -own.length) + MANIFEST)
}

/** The table is looked for in the folder that the user named, and below it. */
function withTables(files: readonly Named[]): Named[] {
  // One text for all files of a table.
  const tables = new Map<string | undefined, string | undefined>()
  return files.map((file) => {
    if (file.table !== undefined) return file
    const path = isS3(file.path) ? file.path.replace(/^s3:\/\/|\?.*$/g, '') : file.path
    const within = file.name.split('/').length + 1
    const table = tableOf(path.split('/').slice(-within).join('/'))
    if (!tables.has(table)) tables.set(table, table)
    const { name, stat } = file
    return atPlace(file, { name, table: tables.get(table), ...(stat && { stat }) })
  })
}

/** Inputs with the same name are called by their paths, so that a reject says from which file it came. */
function uniquelyNamed(files: readonly Named[]): Named[] {
  const uses = new Map<string, number>()
  for (const { name } of files) uses.set(name, (uses.get(name) ?? 0) + 1)
  return files.map((file) => (uses.get(file.name)! > 1 ? { ...file, name: file.path } : file))
}

/** A pattern cut where its first wildcard begins. */
interface Glob {
  /** The folder above every match: `raw` of `raw/2024-*.gz`, `.` when the pattern begins with a wildcard. */
  readonly folder: string
  /** Tests a name relative to that folder. */
  readonly matches: (name: string) => boolean
}

const WILD = /[*?[{]/
const SPECIAL = /[\\^$.|+()[\]{}*?]/g

/** Reads `*`, `**`, `?`, `[a-z]`, `[!a]` and `{a,b}`; undefined for a path without any of them. */
export function parseGlob(pattern: string): Glob | undefined {
  if (!WILD.test(pattern)) return undefined
  const segments = pattern.split('/')
  const wild = segments.findIndex((segment) => WILD.test(segment))
  const folder = segments.slice(0, wild).join('/')
  const expression = new RegExp(`^${translate(segments.slice(wild).join('/'))}$`, 's')
  return { folder: folder || (pattern.startsWith('/') ? '/' : '.'), matches: (name) => expression.test(name) }
}

function translate(pattern: string): string {
  let out = ''
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at)
    const [token, expression] = tokenAt(rest)
    out += expression
    at += token
  }
  return out
}

/** The length of the next token, and its regular expression. */
function tokenAt(rest: string): [number, string] {
  if (rest.startsWith('**/')) return [3, '(?:[^/]+/)*']
  if (rest.startsWith('**')) return [2, '.*']
  if (rest.startsWith('*')) return [1, '[^/]*']
  if (rest.startsWith('?')) return [1, '[^/]']
  const set = /^\[(!?)(\]?[^\]/]*)\]/.exec(rest)
  if (set) return [set[0].length, `[${set[1] && '^'}${set[2]!.replace(/[\\[\]^]/g, '\\$&')}]`]
  const either = /^\{([^{}]*)\}/.exec(rest)
  if (either) return [either[0].length, `(?:${either[1]!.split(',').map(translate).join('|')})`]
  return [1, rest[0]!.replace(SPECIAL, '\\$&')]
}

const RUNS = /\d+|\D+/g

/** Orders names as people do: `part-9` before `part-10`. The same on every machine; total, so sorts are stable. */
export function naturalOrder(a: string, b: string): number {
  const left = a.match(RUNS) ?? []
  const right = b.match(RUNS) ?? []
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareRuns(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length || compareTexts(a, b)
}

function compareRuns(a: string, b: string): number {
  if (!isDigits(a) || !isDigits(b)) return compareTexts(a, b)
  // By length without leading zeros, then by digits: they may be more than a JavaScript number holds.
  const [x, y] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')]
  return x.length - y.length || compareTexts(x, y)
}

function isDigits(run: string): boolean {
  return run >= '0' && run < ':'
}

/** How a table's log lies beside its files, and what it is called. */
const LOGS = [
  { kind: 'a Delta table', log: '_delta_log', isLog: () => true },
  { kind: 'a Hudi table', log: '.hoodie', isLog: () => true },
  { kind: 'an Iceberg table', log: 'metadata', isLog: (name: string) => name.endsWith('.metadata.json') },
]

/**
 * Refuses files of a table whose log says which of them still count: those that it removed lie beside the others until they are
 * vacuumed, and their rows would come back. Of a bucket only what was listed is known.
 */
async function refuseTableLogs(files: Iterable<{ readonly path: string }>): Promise<void> {
  const folders = new Set<string>()
  const listed = new Map<string, string[]>()
  for (const { path: address } of files) {
    const path = isS3(address) ? address.replace(/\?.*$/, '') : address
    const folder = posix.dirname(path)
    if (isS3(path) && LOGS.some(({ log }) => posix.basename(folder) === log))
      listed.set(folder, [...(listed.get(folder) ?? []), path])
    if (!path.endsWith('.parquet')) continue
    const table =
      path
        .split('/')
        .slice(0, -1 - partitionsOf(path).length)
        .join('/') || '.'
    folders.add(table)
    if (posix.basename(table) === 'data') folders.add(posix.dirname(table))
  }
  for (const folder of folders) {
    for (const { kind, log, isLog } of LOGS) {
      const place = `${folder}/${log}`
      const names = isS3(folder) ? (listed.get(place) ?? []) : await readdir(place).catch(() => [])
      if (!names.some(isLog)) continue
      throw new PosthaulError(
        `${folder} is ${kind}, and the files that still count are those that ${log} names`,
        {
          code: 'input',
          hint: `posthaul doesn't read ${log}: rows that were deleted or changed would come back. Write the rows that the table has into a folder of their own, as Parquet, and name that folder`,
        },
      )
    }
  }
}
