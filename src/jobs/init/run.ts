import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PosthaulError } from '../../errors.ts'
import { listInputs, SPREAD_BYTES, statOf } from '../../inputs/index.ts'
import type { Io } from '../../io.ts'
import { ENDPOINT, INIT_OUT, JSON_SUMMARY, type Values } from '../../options/index.ts'
<<<<<<< HEAD
import { GROUP_EVENT } from '../../record/index.ts'
=======
import { SQL_SAMPLE_ROWS, VENDORS, type VendorSource, vendorNamed } from '../../sources/index.ts'
>>>>>>> 22b21cf1 (Write a first mapping file of tables, too)
import { errnoOf, FILE_MODE, fileError, scratchFolder, withEndpoint } from '../../store/index.ts'
import { type FirstMapping, firstMapping, type TestExample } from '../../studio/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { MICROS_PER_MS, posthaulLine, secondsJson } from '../../text/index.ts'
import { interruptedError, loadMapping } from '../../transform/index.ts'
import { testFileOf } from '../test/order.ts'
import type { InitResult } from './result.ts'

/** The word for standard input among paths. */
const STDIN = '-'

export const INIT_ROWS = [INIT_OUT, JSON_SUMMARY, ENDPOINT, ...SQL_SAMPLE_ROWS] as const

export type InitValues = Values<typeof INIT_ROWS>

/** What the text of `init` says beside its result. */
export interface InitSaid {
  /** Of the vendor's preset that knows the records. */
  readonly title: string | undefined
  /** The member whose elements become events; undefined where records do. */
  readonly list: string | undefined
  /** The command that tries the file. */
  readonly next: string
}

/** What `init` found. */
export interface InitEnd {
  readonly result: InitResult
  readonly said: InitSaid
}

/** Looks at records, and writes a first mapping file of them. */
export async function initMapping(files: readonly string[], values: InitValues, io: Io): Promise<InitEnd> {
  let spooled: Spooled | undefined
  try {
    const vendor = tablesOf(files, values)
    if (vendor) {
      spooled = await spoolTables(vendor, values, io)
      return await initFrom({ files: ['raw/'], paths: [spooled.path] }, values, io)
    }
    if (files.includes(STDIN)) spooled = await spoolStdin(io)
    const paths = files.map((file) => (file === STDIN ? spooled!.path : file))
    return await initFrom({ files, paths }, values, io)
  } catch (error) {
    if (io.interrupted.aborted) throw interruptedError()
    throw error
  } finally {
    await spooled?.remove()
  }
}

/** The database that is looked at in place of files; undefined for files. */
function tablesOf(files: readonly string[], { table, query, like }: InitValues): VendorSource | undefined {
  if (table.length === 0 && query === undefined && like === undefined) return undefined
  const [name = '', ...others] = files
  if (VENDORS.some((one) => one.name === name) && others.length === 0) return vendorNamed(name)
  throw new PosthaulError('--table, --query and --like are of a database, and files were named', {
    code: 'usage',
    hint: 'name the database in place of files: posthaul init postgres --table app.events',
  })
}

/** Keeps the first rows of tables in private files, called as the tables are. */
async function spoolTables(vendor: VendorSource, values: InitValues, io: Io): Promise<Spooled> {
  const { sample } = await vendor.load()
  if (!sample) throw new PosthaulError(`${vendor.name} has no tables`, { code: 'usage' })
  const { table, query, like, only, schema } = values
  const place = vendor.rows.some(({ flag }) => flag?.startsWith('--dataset '))
    ? { dataset: schema }
    : { schema }
  const folder = await scratchFolder('posthaul-tables-')
  const given = { table, query, like, ...place, only: only.map(({ column, value }) => `${column}=${value}`) }
  for await (const { table: name, lines } of sample(given, io)) {
    await writeFile(join(folder, `${name}.ndjson`), lines, { flag: 'wx', mode: 0o600 })
  }
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

interface Named {
  /** As the user typed them. */
  readonly files: readonly string[]
  /** Where they are: standard input in its file. */
  readonly paths: readonly string[]
}

async function initFrom({ files, paths }: Named, { out, endpoint }: InitValues, io: Io): Promise<InitEnd> {
  const started = Date.now()
  // Before minutes of reading; writing holds against a file that comes meanwhile.
  if (out !== undefined && (await statOf(out)) !== undefined) throw isThere(out)
  const inputs = await listInputs(paths.map((path) => withEndpoint(path, endpoint)))
  const words = [
    'transform',
    '--map',
    out ?? 'mapping.yaml',
    '--in',
    ...files,
    '--out',
    'events/',
    '--dry-run',
  ]
  const next = posthaulLine([...words, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])])
  const progress = progressFor(io.telemetry)
  const all = inputs.reduce((sum, { size }) => sum + size, 0)
  progress.start('init', Math.min(all, SPREAD_BYTES))
  const first = await firstMapping(inputs, {
    asked: files,
    next,
    now: Date.now() * MICROS_PER_MS,
    progress: progress.add,
    stop: io.interrupted,
  }).finally(progress.stop)
  if (out !== undefined) await writeNew(out, first.yaml)
  const tests = out === undefined || !first.trial ? null : await firstTests(out, first.trial.examples, io)
  return {
    result: resultOf(first, { out, tests }, (Date.now() - started) / 1000),
    said: { title: first.recognised?.title, list: first.list, next },
  }
}

interface WrittenFiles {
  readonly out: string | undefined
  /** The file of tests. */
  readonly tests: string | null
}

function resultOf(first: FirstMapping, { out, tests }: WrittenFiles, seconds: number): InitResult {
  const { recognised, spread, trial } = first
  return {
    version: 1,
    command: 'init',
    finished: true,
    out: out ?? null,
    tests,
    seconds: secondsJson(seconds),
    preset: first.preset,
    recognised: recognised ? { members: recognised.members, records: recognised.records } : null,
    encoding: first.encoding ?? null,
    sample: {
      records: spread.records.length,
      read: spread.read,
      whole: spread.whole,
      files: spread.files,
      files_read: spread.filesRead,
      bytes: spread.bytes,
      bytes_read: spread.bytesRead,
    },
    columns: first.findings,
    questions: first.questions,
    missing: first.missing,
    trial: trial ? trialJson(trial) : null,
    mapping: first.yaml,
  }
}

function trialJson({ read, events, rejected, filtered, reasons }: NonNullable<FirstMapping['trial']>) {
  return { read, events, rejected, filtered, reasons }
}

/** Writes tests of some records beside a mapping file. Null where a file of tests is there, or none can be written. */
async function firstTests(map: string, examples: readonly TestExample[], io: Io): Promise<string | null> {
  if (examples.length === 0 || (await statOf(testFileOf(map))) !== undefined) return null
  const { addTests, testableRecord, testsFrom } = await import('../test/write-tests.ts')
  const file = await loadMapping(map)
  const rules = { map, file, options: { with: [], groupEventName: GROUP_EVENT } }
  try {
    const records = []
    for (const { about, record } of examples) {
      const { input, number, bytes } = record
      const read = { input, number, record: bytes.toString('utf8'), about }
      const testable = await testableRecord(read, { columns: file.columns, withTable: true }, io)
      records.push({ ...testable, name: about, brief: true as const })
    }
    return await addTests(await testsFrom(records, rules, io), rules)
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    io.telemetry.note('init', `no tests were written: ${error.message}`, 'warn')
    return null
  }
}

/** Never over a file: it may hold a day's work. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: FILE_MODE })
  } catch (cause) {
    throw errnoOf(cause) === 'EEXIST' ? isThere(path) : fileError(cause, 'write', path)
  }
}

function isThere(path: string): PosthaulError {
  return new PosthaulError(`${path} is there already, and was left as it is`, {
    code: 'usage',
    hint: 'name another file, or delete this one',
  })
}

/** What standard input held, in a private file. */
interface Spooled {
  readonly path: string
  remove(): Promise<void>
}

/** Copies standard input to a private file, since inputs are read more than once. A killed run's file goes with the next run. */
async function spoolStdin({ stdin, interrupted }: Pick<Io, 'stdin' | 'interrupted'>): Promise<Spooled> {
  if (stdin.isTTY) {
    throw new PosthaulError('- is standard input, and nothing is piped into it', {
      code: 'usage',
      hint: 'pipe the records in, for example: zcat events.gz | posthaul init -',
    })
  }
  const folder = await scratchFolder('posthaul-stdin-')
  const path = join(folder, 'stdin')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: interrupted })
  } catch (error) {
    await remove()
    interrupted.throwIfAborted()
    throw fileError(error, 'write', path)
  }
  return { path, remove }
}
