import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import type { Io } from '../io.ts'
import { NO_COLUMNS } from '../mapping/columns.ts'
import { type Constant, constantsOf } from '../mapping/constant-properties.ts'
import { LEFT_OUT } from '../mapping/fates.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import type { MappingTest } from '../mapping/mapping-tests.ts'
import { makeEngine } from '../pipeline/engine.ts'
import { members, objectJson } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import { SideTables } from '../records/side-tables.ts'
import { fileError } from '../store/file-error.ts'
import { scratchFolder } from '../store/ownership.ts'
import { explain } from '../studio/explanation.ts'
import { findByNumber } from '../studio/find-record.ts'
import type { PartTrace, Trace } from '../studio/trace.ts'
import type { TransformRequest } from '../transform/make-job.ts'
import { prepare } from '../transform/prepare.ts'
import { VERSION } from '../version.ts'
import type { STATED } from './test-sets.ts'

/** What transform is told besides the mapping file, as far as it changes what becomes of a record. */
export type TestedOptions = Pick<TransformRequest, (typeof STATED)[number][1] | 'with' | 'join'>

/** What a record became, as tests of a mapping file speak of it. */
export interface TestOutcome {
  /**
   * JSON of its events, without what posthaul puts on every event, which its next version may change, and without the
   * distinct_id that properties repeat.
   */
  readonly events: readonly string[]
  /** Why it, or children of it, were rejected. */
  readonly rejected: readonly string[]
  /** The same in sentences. */
  readonly messages: readonly string[]
  readonly filtered: readonly string[]
  /** Paths of its members that are in no event, each once. */
  readonly leftOut: readonly string[]
  readonly link: PartTrace['link']
}

/** The record of a test. */
type TestedRecord = Pick<MappingTest, 'source' | 'table'>

/** By which rules tests are run. */
export interface TestedRules {
  readonly map: string
  readonly file: MappingFile
  readonly options: TestedOptions
}

/**
 * What becomes of the record of one test the way of a transform: read, joined, mapped.
 * People to forget are not looked for, and values are hashed with a key of the tests.
 */
export async function runTest(test: TestedRecord, rules: TestedRules, io: Io): Promise<TestOutcome> {
  const folder = await scratchFolder('posthaul-test-')
  try {
    return await mapTest(test, await inputsOf(test, folder), rules, io)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function mapTest(
  test: TestedRecord,
  inputs: readonly InputFile[],
  { map, file, options }: TestedRules,
  io: Io,
): Promise<TestOutcome> {
  const { preset, sourceTimezone, groupType, personProperties, bigIntegers } = options
  const request = {
    // No more than these: whoever runs tests has options of another kind, too.
    ...{ preset, sourceTimezone, groupType, personProperties, bigIntegers },
    with: options.with,
    join: options.join ?? [],
    map,
    in: inputs.map((input) => input.path),
    gzip: false,
    dryRun: true,
    hashKey: async () => TEST_KEY,
  }
  const mapping = { ...file, forget: undefined, columns: columnsOf(test, file) }
  const prepared = await prepare(request, { mapping, inputs })
  const sides = new SideTables(prepared, io)
  try {
    const { job } = await sides.join('here')
    const reading = { job, progress: () => undefined, stop: io.interrupted }
    const { found } = await findByNumber(0, { ...reading, inputs: job.inputs })
    if (found === undefined) throw new PosthaulError('it is empty', { code: 'input' })
    const engine = await makeEngine(job)
    try {
      const { trace } = await explain(job, engine, found, reading)
      const { vendor } = prepared.preset
      return testOutcome(trace, constantsOf({ vendor, version: VERSION, importId: job.importId }))
    } finally {
      engine.close()
    }
  } finally {
    await sides.remove()
  }
}

/** No secret: what tests expect of hashed values is the same wherever they run. */
const TEST_KEY = {
  from: 'the tests',
  reveal: () => 'the key of posthaul test',
  fingerprint: () => 'posthaul test',
}

/** A row has a header of its own, and may be without some of the columns; a line of JSON has no columns. */
function columnsOf({ source }: TestedRecord, { columns }: MappingFile): MappingFile['columns'] {
  if (source.kind === 'record') return NO_COLUMNS
  const { header: _h, names: _n, escapes: _e, ...own } = columns
  return { ...own, elsewhere: Object.keys(own.columns) }
}

/** Writes the record of a test into a file of the folder. */
async function inputsOf({ source, table }: TestedRecord, folder: string): Promise<InputFile[]> {
  const isRow = source.kind === 'row'
  const file = join(folder, isRow ? 'row.csv' : 'record.ndjson')
  await writeFile(file, isRow ? csvOf(source.cells) : `${source.json}\n`).catch((error: unknown) => {
    throw fileError(error, 'write', file)
  })
  const { size, mtimeMs } = await stat(file)
  return [
    {
      path: file,
      name: 'the record',
      size,
      mtimeMs,
      // Whatever the mapping file says of its inputs' encoding.
      isMarked: true,
      compression: 'none',
      format: isRow ? 'csv' : 'ndjson',
      delimiter: isRow ? ',' : undefined,
      rejects: false,
      ...(table !== undefined && { table }),
    },
  ]
}

function csvOf(cells: Readonly<Record<string, string>>): string {
  const row = (texts: readonly string[]) =>
    `${texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`
  return row(Object.keys(cells)) + row(Object.values(cells))
}

/** `constants`: what posthaul puts on every event. */
function testOutcome({ parts, whole }: Trace, constants: readonly Constant[]): TestOutcome {
  const ends = [...(whole ? [whole] : []), ...parts]
  const of = (outcome: 'rejected' | 'filtered') => ends.filter((one) => one.outcome === outcome)
  const reasons = (outcome: 'rejected' | 'filtered') => of(outcome).map(({ reason }) => reason ?? outcome)
  // An empty value has nothing that could be lost.
  const isLost = (fate: string) => fate.startsWith('left out') && fate !== LEFT_OUT.empty
  const lost = parts.flatMap(({ members }) => members.filter(({ fates }) => fates.some(isLost)))
  const links = parts.flatMap(({ link }) => link ?? [])
  return {
    events: parts.flatMap(({ event }) => (event ? [testedEvent(event.line, constants)] : [])),
    rejected: reasons('rejected'),
    messages: of('rejected').flatMap(({ message }) => message ?? []),
    filtered: reasons('filtered'),
    leftOut: [...new Set(lost.map(({ path }) => path))],
    link: links[0] ?? null,
  }
}

function testedEvent(line: string, constants: readonly Constant[]): string {
  const added = new Map(constants.map(({ key, json }) => [keys.text(key), json.toString()]))
  const top = members(line)
  const id = top.find(([name]) => name === 'distinct_id')?.[1]
  const own = ([name, json]: readonly [string, string]) =>
    added.get(name) !== json && !(name === 'distinct_id' && json === id)
  return objectJson(
    top.map(([name, json]) => [name, name === 'properties' ? objectJson(members(json).filter(own)) : json]),
  )
}
