import { EXIT, PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/input-file.ts'
import { listInputs } from '../../inputs/list.ts'
import { statOf } from '../../inputs/locate.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/read-secret.ts'
import { type Engine, makeEngine } from '../../pipeline/engine.ts'
import { SideTables } from '../../records/side-tables.ts'
import { findManifest } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { type Explanation, explain } from '../../studio/explanation.ts'
import {
  findByName,
  findByNumber,
  findByUuid,
  type Search,
  type SearchOptions,
} from '../../studio/find-record.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { folded } from '../../text/fold.ts'
import { nearest } from '../../text/nearest.ts'
import { MIB } from '../../text/units.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { HASH_KEY } from '../../transform/hash-key.ts'
import type { Job } from '../../transform/job.ts'
import { interruptedError } from '../../transform/pool.ts'
import { prepare } from '../../transform/prepare.ts'
import { firstLook, presetMissing } from '../../transform/wrong-input.ts'
import type { ExplainCall, ExplainValues } from './index.ts'
import type { ExplainResult } from './result.ts'

export { explainResult as schema } from './result.ts'
export { explainLines as lines, nextLines as next } from './text.ts'

export const exit = ({ found }: ExplainResult) => (found ? EXIT.done : EXIT.rejects)

/** Names that are shown when one has to be chosen. */
const MOST_NAMES = 8

/** The one input that a line is of: the only one, or the one with this name or path. Code `usage` for any other. */
function inputNamed(inputs: readonly InputFile[], named: string | undefined): InputFile {
  const fitting =
    named === undefined ? inputs : inputs.filter(({ name, path }) => name === named || path === named)
  const [first] = fitting
  if (first !== undefined && fitting.length === 1) return first
  const names = inputs.slice(0, MOST_NAMES).map(({ name }) => name)
  const more = inputs.length - names.length
  throw new PosthaulError(
    named === undefined
      ? `there are ${inputs.length} files, each with lines of its own`
      : `no file is named ${named}`,
    {
      code: 'usage',
      lines: [...names, ...(more > 0 ? [`and ${more} more`] : [])],
      hint: `name the file before the number, as rejects do: --line ${names[0] ?? 'a.ndjson'}:12`,
    },
  )
}

/** Inputs up to this size are read without a bar: it would be gone at once. */
const SMALL_BYTES = 8 * MIB

/** Finds the record that is asked for and traces it. Reads no more than it must; writes nothing but side tables. */
export async function* run({ args: [file], values }: ExplainCall, io: Io): AsyncGenerator<ExplainResult> {
  const result = await look(fileOf(file, values), values, io)
  // The test of a record that is printed is data.
  if (!values.json && result.test?.yaml) io.stdout.write(result.test.yaml)
  yield result
}

/** What is looked at, named by the argument or by --in. */
function fileOf(file: string | undefined, { in: inputs }: ExplainValues): readonly string[] {
  if (file === undefined && inputs.length > 0) return inputs
  if (file !== undefined && inputs.length === 0) return [file]
  throw new PosthaulError(
    file === undefined ? 'no records were named' : 'an argument and --in each say what to read',
    { code: 'usage', hint: 'name files or a folder, for example: posthaul explain raw/ --line 12' },
  )
}

async function look(paths: readonly string[], values: ExplainValues, io: Io): Promise<ExplainResult> {
  const remark = (text: string) => io.stderr.write(folded(visible(text), '  ', 'posthaul: '))
  if (paths.length === 1 && values.preset === undefined) await assertRecords(paths[0]!)
  const inputs = await listInputs(paths)
  const { map } = values
  const preset = values.preset ?? (map === undefined ? await recognised(inputs, paths, remark) : undefined)
  const hashKey = () => readSecret({ variable: HASH_KEY }, io.env, io.stdin)
  const request = { ...values, preset, in: paths, gzip: false, dryRun: true, hashKey }
  const prepared = await prepare(request, { inputs })
  if (prepared.job.forget)
    remark(
      'the mapping file names people to forget; transform would leave their records out, which is not looked at here',
    )
  const sides = new SideTables(prepared, io)
  try {
    const { job } = await sides.join('here')
    const engine = await makeEngine(job)
    const { search, names } = await searchIn(engine, job, values, io)
    const { found, read } = search
    const reading = { job, progress: () => undefined, stop: io.interrupted }
    const record =
      found &&
      (await explain(job, engine, found, reading).catch((error) => {
        throw stopped(error, io)
      }))
    engine.close()
    if (!record) return notFound(values, search, names)
    // Loaded here: tests are seldom asked for.
    const asTest = values.asTest ? (await import('./as-test.ts')).recordTest : undefined
    const traced = { found: found!, trace: record.trace }
    const test = asTest ? await asTest(traced, { ...prepared, map }, values, io) : null
    return {
      ...{ version: 1, command: 'explain', found: true, read, ...explained(record), test },
      not_found: null,
    }
  } finally {
    await sides.remove()
  }
}

/** Code `usage` for a dataset that transform wrote: its lines are events. Those who ask for the preset posthog get them explained. */
async function assertRecords(path: string): Promise<void> {
  if ((await statOf(path)) !== 'folder') return
  if ((await findManifest(await openStore(path)))?.manifest.kind !== 'events') return
  throw new PosthaulError(`${path} holds events, not records`, {
    code: 'usage',
    hint: 'name the raw input instead; with --uuid it is searched for the record of an event',
  })
}

function notFound(values: ExplainValues, search: Search, names: Iterable<string>): ExplainResult {
  const none = { preset: null, file: null, unit: null, number: null, record: null, child: null }
  const [why, hint] = whyNotFound(values, search, names)
  return {
    ...{ version: 1, command: 'explain', found: false, read: search.read, ...none },
    ...{ generated: null, twin: 0, whole: null, parts: [], test: null, not_found: { why, hint } },
  }
}

/** The preset that the records fit, where nobody names one. */
async function recognised(
  inputs: readonly InputFile[],
  paths: readonly string[],
  remark: (text: string) => void,
): Promise<string> {
  const { recognised, records } = await firstLook(inputs)
  if (recognised === undefined) {
    // As transform says it; the command that follows is another.
    const { message, code, lines, hint } = await presetMissing(inputs, paths)
    throw new PosthaulError(message, {
      code,
      lines,
      ...(hint && { hint }),
      options: { '--map': 'mapping.yaml' },
    })
  }
  const { preset, members } = recognised
  remark(
    `no preset was named; ${recognised.records} of the first ${records} records have ${members.join(', ')}, as ${preset} has them`,
  )
  return preset
}

async function searchIn(
  engine: Engine,
  job: Job,
  values: ExplainValues,
  io: Io,
): Promise<{ readonly search: Search; readonly names: Iterable<string> }> {
  const { line, uuid, event } = values
  const inputs = line === undefined ? job.inputs : [inputNamed(job.inputs, line.file)]
  const progress = progressFor(io.telemetry)
  const bytes = inputs.reduce((sum, { size }) => sum + size, 0)
  const options: SearchOptions = {
    job,
    inputs,
    progress: (read) => progress.add(read),
    stop: io.interrupted,
  }
  const start = () => {
    if (bytes > SMALL_BYTES) progress.start('reading', bytes)
  }
  try {
    start()
    if (uuid !== undefined) return { search: await findByUuid(uuid, engine, options, start), names: [] }
    if (event !== undefined) return await findByName(event, engine, options)
    return { search: exactly(await findByNumber(line?.line ?? 0, options), line?.line), names: [] }
  } catch (error) {
    throw stopped(error, io)
  } finally {
    progress.stop()
  }
}

/** What to throw for an error of a reading that a signal may have ended. */
function stopped(error: unknown, { interrupted }: Io): unknown {
  return interrupted.aborted ? interruptedError() : error
}

/** A record with a higher number is not the one that was asked for. */
function exactly(search: Search, line: number | undefined): Search {
  return line === undefined || search.found?.number === line ? search : { ...search, found: undefined }
}

/** Why no record was found, and what to do. */
function whyNotFound(
  { line, uuid, event }: ExplainValues,
  { read, last }: Search,
  names: Iterable<string>,
): readonly [why: string, hint: string] {
  const records = plural(read, 'record')
  if (uuid !== undefined) {
    return [
      `none of the ${records} becomes the event ${uuid}`,
      'give the options that transform was given (--map, --with, --join, --source-timezone): they decide the uuids. A record whose input was changed since has another one',
    ]
  }
  if (event !== undefined) {
    const meant = nearest(event, names)
    const hint =
      meant === undefined
        ? 'names are compared letter by letter; the summary of transform lists them'
        : `did you mean ${meant}?`
    return [`none of the ${records} is of the event ${event}`, hint]
  }
  if (line === undefined || read === 0) return ['the input holds no record', 'check the path']
  if (last > line.line)
    return [
      `number ${number(line.line)} is no record`,
      `the next one is number ${number(last)}: blank lines and headers are counted, but are no records`,
    ]
  return [`number ${number(line.line)} is beyond the end`, `the last record is number ${number(last)}`]
}

/** What is known of a record that was found. */
function explained({ trace, match, preset, file, unit, number, child }: Explanation) {
  return {
    ...{ preset, file, unit, number, record: trace.record, child },
    generated: match === null || match === 'itself' ? null : match,
    twin: trace.parts.find((part) => part.child === child)?.event?.twin ?? 0,
    whole: trace.whole,
    parts: trace.parts,
  }
}
