import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { openBytes } from '../inputs/open-bytes.ts'
import { isSplittable } from '../inputs/read.ts'
import { type ColumnMapping, NO_COLUMNS } from '../mapping/columns.ts'
import { type Mapping, NO_MAPPING } from '../mapping/mapping.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { assertKeysRead, groupTypeOf, importIdOf, type Preset, rulesOf } from '../mapping/preset.ts'
import { readsTable } from '../mapping/side-table.ts'
import { trialIdOf } from '../record/notes.ts'
import { sum } from '../text/lists.ts'
import { KIB, MIB, MICROS_PER_MS } from '../text/units.ts'
import type { HashKeySecret } from './hash-key.ts'
import type { Job, Unit } from './job.ts'
import type { LookAtRules } from './rules-made.ts'
import { trialOf } from './trial/trial-order.ts'

/** What the user asked for, as on the command line. */
export interface TransformRequest {
  readonly preset?: string | undefined
  readonly in: readonly string[]
  readonly out?: string | undefined
  readonly map?: string | undefined
  readonly gzip: boolean
  readonly dryRun: boolean
  readonly sourceTimezone?: string | undefined
  readonly groupType?: string | undefined
  readonly personProperties?: Mapping['personProperties'] | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
  readonly with: readonly string[]
  /** Side tables, each a `NAME=PATH`. */
  readonly join?: readonly string[]
  /** A trial of so many people, of the last days, or of about so many events. */
  readonly people?: number | undefined
  readonly days?: number | undefined
  readonly limit?: number | undefined
  /** Datasets of earlier windows: folders or buckets. */
  readonly after?: readonly string[]
  /** Throws where other rules made them, or what is at `out`, and that stands against the transform. */
  readonly guard?: LookAtRules
  /** The value of `$import_job_id`, false for none; the preset's own when it is undefined. */
  readonly importId?: string | false | undefined
  /** Reads the key of hashes; asked only when the mapping file has `properties.hash`. */
  readonly hashKey?: () => Promise<HashKeySecret | undefined>
}

export function makeJob(
  request: TransformRequest,
  file: MappingFile | undefined,
  { preset, loaded }: { readonly preset: string; readonly loaded: Preset },
  inputs: readonly InputFile[],
): Omit<Job, 'hashKey' | 'forget' | 'after'> {
  const base = file?.mapping ?? NO_MAPPING
  assertKeysRead(base, preset, loaded)
  const mapping: Mapping = {
    ...base,
    sourceTimezone: request.sourceTimezone ?? base.sourceTimezone,
    groupType: groupTypeOf(request.groupType ?? base.groupType, preset, loaded),
    personProperties: request.personProperties ?? base.personProperties,
    bigIntegersAsStrings: request.bigIntegers ? request.bigIntegers === 'string' : base.bigIntegersAsStrings,
  }
  const importId = request.importId === false ? null : (request.importId ?? importIdOf(loaded))
  const trial = trialOf(request, importId)
  return {
    preset,
    rules: rulesOf(loaded),
    importId: trial ? trialIdOf(trial.wholeId) : importId,
    mapping,
    columns: {
      ...columnsFor(file?.columns ?? NO_COLUMNS, preset, loaded, inputs),
      zone: mapping.sourceTimezone,
    },
    withTable: readsTable(loaded, mapping),
    switches: [...request.with].sort(),
    gzip: request.gzip,
    trial,
    out: request.out ?? '',
    work: undefined,
    now: Date.now() * MICROS_PER_MS,
    inputs,
    sideTables: [],
    units: cutUnits(inputs),
  }
}

/** The columns of a mapping file, for a preset. Code `config` when no input is a table whose columns they could be. */
export function columnsFor(
  columns: ColumnMapping,
  name: string,
  { fields, leavesEnvelopeOut }: Pick<Preset, 'fields' | 'leavesEnvelopeOut'>,
  inputs: readonly InputFile[],
): ColumnMapping {
  // Rejects may be rows of a table, which are run again.
  const isTable = inputs.some(({ format, rejects }) => format === 'csv' || format === 'tsv' || rejects)
  const key = columns.header ? 'columns_from:' : 'columns:'
  if (!isTable && (columns.header || Object.keys(columns.columns).length > 0)) {
    throw new PosthaulError(`the mapping file has ${key}, and no input is CSV or TSV`, {
      code: 'config',
      hint: `say where things are with fields: and groups:, and what text is with types:, which read the members of any record; take ${key} out`,
    })
  }
  const leavesRestOut = Array.isArray(fields['*']) && fields['*'].length === 0
  // What stands beside a list that the user has taken apart is counted as left out.
  if (!leavesRestOut || leavesEnvelopeOut) return columns
  const members = new Set(Object.keys(fields).map((path) => path.split('.')[0]!))
  members.delete('*')
  return { ...columns, only: { preset: name, members: [...members] } }
}

/**
 * The columns that a mapping file names and some table of the input has. Of several tables each may lack those of the
 * others, as `pageviews` lacks what `orders` has; a name that no table has is still a mistake. One file of each table is
 * looked at. Undefined where the inputs are one table, whose files must all have the columns.
 */
export async function columnsElsewhere(
  { columns, names }: ColumnMapping,
  inputs: readonly InputFile[],
): Promise<readonly string[] | undefined> {
  const named = Object.keys(columns).filter((label) => columns[label] !== null)
  const tables = new Map<string | undefined, InputFile>()
  for (const input of inputs) if (hasHeader(input) && !tables.has(input.table)) tables.set(input.table, input)
  if (names || named.length === 0 || tables.size < 2) return undefined
  const { readHeader } = await import('../inputs/csv-reader.ts')
  const found = new Set<string>()
  for (const input of tables.values()) {
    for (const label of await readHeader(input, openBytes(input))) found.add(label)
  }
  return named.filter((label) => found.has(label))
}

function hasHeader({ format, headerless }: InputFile): boolean {
  return (format === 'csv' || format === 'tsv') && headerless === undefined
}

/** See `ColumnMapping.first`; undefined where there is one table, or none needs a header. */
export async function firstHeader(
  { names }: ColumnMapping,
  inputs: readonly InputFile[],
): Promise<ColumnMapping['first']> {
  const [first, other] = inputs.filter((input) => hasHeader(input) && input.size > 0)
  if (names || !first || !other) return undefined
  const { readHeader } = await import('../inputs/csv-reader.ts')
  return { path: first.path, names: await readHeader(first, openBytes(first)) }
}

const MIN_UNIT_BYTES = 4 * MIB
const MAX_UNIT_BYTES = 64 * MIB
/** Inputs are cut into about this many units, so that every core has some and none waits long at the end. */
const WANTED_UNITS = 64
/** A worker loads and compiles for as long as it then takes for this many bytes of plain records. */
const WORKER_BYTES = 32 * MIB
/** A worker of its own takes as long to load as so many bytes to transform. */
const HERE_BYTES = 8 * MIB
/** A file that can't be cut is most often compressed, and then holds about this many times its size. */
const PACKED = 8

/** Beyond so many units small files share one: each has a result, and files of its own in the work folder. */
const MANY_UNITS = 1024
/** To open a file takes as long as to map about so many bytes. */
const FILE_BYTES = 64 * KIB

/** Cuts inputs into units. A function of the inputs alone, so that a resumed transform finds the same units. */
export function cutUnits(inputs: readonly InputFile[]): Unit[] {
  const units = unitsOf(inputs)
  return units.length <= MANY_UNITS ? units : together(units, inputs)
}

/** Puts small files that follow each other into one unit. */
function together(units: readonly Unit[], inputs: readonly InputFile[]): Unit[] {
  const weightOf = ({ range, bytes }: Unit) => FILE_BYTES + (range ? bytes : PACKED * bytes)
  const share = sum(units.map(weightOf)) / MANY_UNITS
  // Large files stay apart: a worker is never given more than it can have.
  const most = Math.min(MAX_UNIT_BYTES, Math.max(MIN_UNIT_BYTES, share))
  const made: Unit[] = []
  let room = 0
  for (const unit of units) {
    const before = made.at(-1)
    const isWhole = !unit.range || unit.bytes === inputs[unit.input]!.size
    const weight = weightOf(unit)
    if (before && isWhole && weight <= room) {
      const files = unit.input + 1 - before.input
      made[made.length - 1] = { ...before, files, range: undefined, bytes: before.bytes + unit.bytes }
    } else {
      made.push(unit)
      room = isWhole ? most : 0
    }
    room -= weight
  }
  return made
}

function unitsOf(inputs: readonly InputFile[]): Unit[] {
  const total = sum(inputs.map(({ size }) => size))
  const size = Math.min(MAX_UNIT_BYTES, Math.max(MIN_UNIT_BYTES, Math.ceil(total / WANTED_UNITS)))
  return inputs.flatMap((input, index) => {
    if (!isDivisible(input)) return [{ input: index, files: 1, range: undefined, bytes: input.size }]
    const units: Unit[] = []
    for (let start = 0; start < input.size; start += size) {
      const end = Math.min(start + size, input.size)
      units.push({ input: index, files: 1, range: { start, end }, bytes: end - start })
    }
    return units
  })
}

/** Worker threads that units are worth, at most one a core, or none: with more of them a small input takes longer. */
export function workersFor(units: readonly Unit[], cores: number): number {
  const bytes = sum(units.map(({ range, bytes }) => (range ? bytes : PACKED * bytes)))
  if (bytes <= HERE_BYTES) return 0
  return Math.min(cores, Math.max(1, Math.ceil(bytes / WORKER_BYTES)))
}

/** Only in a plain file can a reader find the start of a line from the middle. */
function isDivisible(input: InputFile): boolean {
  return isSplittable(input) && !input.rejects
}
