import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import { listInputs } from '../inputs/list.ts'
import { statOf } from '../inputs/locate.ts'
import { SPREAD_BYTES } from '../inputs/spread.ts'
import type { Io } from '../io.ts'
import type { Values } from '../options/row.ts'
import { ENDPOINT } from '../options/rows/dataset-rows.ts'
import { INIT_OUT } from '../options/rows/init-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { FILE_MODE } from '../store/file-mode.ts'
import { withEndpoint } from '../store/s3-location.ts'
import { scratchFolder } from '../store/scratch-folder.ts'
import { firstMapping } from '../studio/first-mapping.ts'
import { progressFor } from '../telemetry/progress.ts'
import { continueCommand } from '../text/command-line.ts'
import { jsonLine } from '../text/json.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { interruptedError } from '../transform/pool.ts'
import type { CommandModule } from './command.ts'
import { useReported } from './reported.ts'
import { initJson, initSummary } from './text/init.ts'

/** The word for standard input among paths. */
const STDIN = '-'

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

const INIT_ROWS = [INIT_OUT, JSON_SUMMARY, ENDPOINT] as const

type InitValues = Values<typeof INIT_ROWS>

const HELP = `
Looks at the first records and at others spread over all files, tells which
vendor's they are, or what each column holds, and writes a mapping file with
comments: posthaul transform --map mapping.yaml takes it as it is. What is
uncertain is written as the likeliest, with a question and the evidence.

  posthaul init shop.csv --out mapping.yaml
  posthaul init raw/ 's3://bucket/exports/' --out mapping.yaml
  zcat events.gz | posthaul init -

The exit code is 3 if no member could be the event's name, the person or the
time: the file says FILL_IN there.`

/** `init`: a first mapping file from the data. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command
    .argument('<files...>', 'files, folders, globs, s3://…; - is standard input')
    .addHelpText('after', HELP)
  useReported(command, INIT_ROWS, io, exit, ({ values }, files) => init(files, values, io))
}

async function init(files: readonly string[], values: InitValues, io: Io): Promise<ExitCode> {
  let spooled: Spooled | undefined
  try {
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

interface Named {
  /** As the user typed them. */
  readonly files: readonly string[]
  /** Where they are: standard input in its file. */
  readonly paths: readonly string[]
}

async function initFrom(
  { files, paths }: Named,
  { out, json, endpoint }: InitValues,
  io: Io,
): Promise<ExitCode> {
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
  const next = continueCommand([...words, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])])
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
  const end = { first, out, seconds: (Date.now() - started) / 1000, next }
  const object = initJson(end)
  if (json) io.stdout.write(jsonLine(object))
  else if (out === undefined) io.stdout.write(first.yaml)
  io.telemetry.summary('init', { json: object, text: initSummary(end) })
  return first.missing.length > 0 ? EXIT.rejects : EXIT.done
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
