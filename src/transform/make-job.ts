import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/index.ts'
import {
  assertBaseUrlRead,
  canonicalPath,
  groupTypeOf,
  importIdOf,
  type Mapping,
  type MappingFile,
  NO_COLUMNS,
  NO_MAPPING,
  type Preset,
  readsTable,
  rulesOf,
} from '../mapping/index.ts'
import { MICROS_PER_MS } from '../text/index.ts'
import { columnsFor } from './columns-for.ts'
import type { HashKeySecret } from './hash-key.ts'
import type { Job } from './job.ts'
import { cutUnits } from './plan.ts'

/** What the user asked for, as on the command line. */
export interface TransformRequest {
  readonly preset?: string | undefined
  readonly in: readonly string[]
  readonly out?: string | undefined
  readonly map?: string | undefined
  readonly gzip: boolean
  /** Into how many datasets the events are divided by people. */
  readonly splitPeople?: number | undefined
  readonly dryRun: boolean
  readonly sourceTimezone?: string | undefined
  readonly groupType?: string | undefined
  readonly personProperties?: Mapping['personProperties'] | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
  readonly groupEventName: string
  readonly with: readonly string[]
  /** Adds to `filter.where` of the mapping file; for a path that is in both, this one holds. */
  readonly where?: ReadonlyArray<{ readonly path: string; readonly value: string }>
  /** Side tables, each a `NAME=PATH`. */
  readonly join?: readonly string[]
  /** Datasets of earlier windows: folders or buckets. */
  readonly after?: readonly string[]
  /** Other rules may have made them. */
  readonly rulesChanged?: boolean
  /** The value of `$import_job_id`, false for none; the preset's own when it is undefined. */
  readonly importId?: string | false | undefined
  /** Reads the key of hashes; asked only when the mapping file has `properties.hash`. */
  readonly hashKey?: () => Promise<HashKeySecret | undefined>
}

/** The division that is asked for. Who a person was in an earlier window is not known here, so it is refused with --after. */
function splitOf({ splitPeople: datasets, gzip, out = '', after = [] }: TransformRequest): Job['split'] {
  if (datasets === undefined) return undefined
  if (after.length === 0) return { datasets, out, gzip }
  throw new PosthaulError('--split-people and --after are given together', {
    code: 'usage',
    hint: 'transform the whole history at once to divide it, or import the windows one after the other',
  })
}

/** Path -> the values that were asked for. */
function asked(where: NonNullable<TransformRequest['where']>): Mapping['filter']['where'] {
  const paths = [...new Set(where.map(({ path }) => canonicalPath(path)))]
  return Object.fromEntries(
    paths.map((path) => [
      path,
      where.filter((one) => canonicalPath(one.path) === path).map(({ value }) => value),
    ]),
  )
}

/** Makes the job of a request, all but what files on this machine say. */
export function makeJob(
  request: TransformRequest,
  file: MappingFile | undefined,
  loaded: Preset,
  preset: string,
  inputs: readonly InputFile[],
): Omit<Job, 'hashKey' | 'forget' | 'after'> {
  const base = file?.mapping ?? NO_MAPPING
  assertBaseUrlRead(base, preset, loaded)
  const mapping: Mapping = {
    ...base,
    filter: { ...base.filter, where: { ...base.filter.where, ...asked(request.where ?? []) } },
    sourceTimezone: request.sourceTimezone ?? base.sourceTimezone,
    groupType: groupTypeOf(request.groupType ?? base.groupType, preset, loaded),
    personProperties: request.personProperties ?? base.personProperties,
    bigIntegersAsStrings: request.bigIntegers ? request.bigIntegers === 'string' : base.bigIntegersAsStrings,
  }
  return {
    preset,
    rules: rulesOf(loaded),
    importId: request.importId === false ? null : (request.importId ?? importIdOf(loaded)),
    mapping,
    columns: {
      ...columnsFor(file?.columns ?? NO_COLUMNS, preset, loaded, inputs),
      zone: mapping.sourceTimezone,
    },
    withTable: readsTable(loaded, mapping),
    switches: [...request.with].sort(),
    groupEventName: request.groupEventName,
    gzip: request.gzip,
    split: splitOf(request),
    out: request.out ?? '',
    work: undefined,
    now: Date.now() * MICROS_PER_MS,
    inputs,
    sideTables: [],
    units: cutUnits(inputs),
  }
}
