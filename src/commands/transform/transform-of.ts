import type { Io } from '../../io.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { JoinedTable } from '../../pipeline/side/built.ts'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import { formatInstant } from '../../record/time.ts'
import { besideLocation } from '../../store/s3-location.ts'
import type { StudioRecord } from '../../studio/studio-data.ts'
import { mendedName, withOptions } from '../../text/command-line.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import type { Job } from '../../transform/job.ts'
import type { Prepared } from '../../transform/prepare.ts'
import type { Preview } from '../../transform/preview.ts'
import type { Sample, SpreadOver } from '../../transform/sample.ts'
import type { Transformed } from '../../transform/transform-tally.ts'
import { notesJson } from '../notes-json.ts'
import type { TransformValues } from '../transform-options.ts'
import type { TransformResult } from './result.ts'

/** `--json` names no more of the files of one remark. */
const NAMED = 20

/** How a transform ended, and what the records showed that were tried first. */
export interface TransformEnd {
  readonly result: Transformed
  readonly tried: Sample
  /** Of a dry run: records beside their events. */
  readonly shown: readonly StudioRecord[]
  readonly prepared: Prepared
}

/** The result of a transform. */
export function transformOf(
  { result, tried, shown, prepared }: TransformEnd,
  values: TransformValues,
  { argv, seconds }: Pick<Io, 'argv'> & { readonly seconds: number },
): TransformResult {
  const { out = '', dryRun } = values
  const { job, remarks } = prepared
  const { after, forget, mapping } = job
  const { counts, records, rejects, filtered, joined, notes, inventory, days, parts, trial, error } = result
  return {
    version: 1,
    command: 'transform',
    dry_run: dryRun,
    sample: tried.spread ? sampleJson(tried.spread) : null,
    finished: error === undefined && !dryRun,
    out: dryRun ? null : out,
    seconds: secondsJson(seconds),
    counts,
    ...recordsAndEvents(counts, records),
    duplicates: result.duplicates,
    twins: result.twins,
    late: result.late,
    days,
    parts,
    trial: trial ?? null,
    rejects,
    filtered,
    input_files: remarks.map(({ what, vendor, names }) => {
      return { what, vendor, count: names.length, names: names.slice(0, NAMED) }
    }),
    side_tables: joined.map(tableJson),
    after: after.map(({ location }) => location),
    ...notesJson(notes),
    ...inventoryJson(inventory),
    foreign_clock: tried.foreignClock ?? null,
    forgets: forget !== undefined,
    zone: mapping.sourceTimezone ?? null,
    idle_rules: idleRules(tried, result, isWindow(job, values) ? undefined : mapping.filter),
    idle_in_all: result.idle !== null,
    preview: dryRun ? previewJson(result.preview, shown) : null,
    ...nextCommands(result, { out, dryRun, argv }),
    error: errorJson(error),
  }
}

const HASH_RULE = 'properties.hash '

/** The rules that matched nothing: of those that are idle in the first records, which no other record matched either. */
function idleRules(
  { idleRules: first }: Sample,
  { idle, unhashed, counts, filtered }: Transformed,
  filter: Mapping['filter'] | undefined,
): readonly string[] {
  const isHash = (rule: string) => rule.startsWith(HASH_RULE)
  const hashes = unhashed?.map((name) => `${HASH_RULE}"${name}"`) ?? first.filter(isHash)
  if (idle === null) return [...first.filter((rule) => !isHash(rule)), ...hashes]
  const ends = [
    ['filter.from', filter?.from, filtered.before_from],
    ['filter.to', filter?.to, filtered.after_to],
  ] as const
  return [
    // What may be wrong is said behind the rule.
    ...first.filter(
      (told) => !isHash(told) && idle.some((rule) => told === rule || told.startsWith(`${rule} (`)),
    ),
    ...hashes,
    ...ends.flatMap(([rule, instant, count]) =>
      instant !== undefined && counts.read > 0 && !count ? [`${rule} "${formatInstant(instant)}"`] : [],
    ),
  ]
}

/** An import of its own, as each window of a migration is. The first one of `run` is all that there is. */
export function isWindow(
  { after }: Pick<Job, 'after'>,
  { importId }: Pick<TransformValues, 'importId'>,
  { isStage }: Pick<Io, 'isStage'> = {},
): boolean {
  return after.length > 0 || (importId !== undefined && !isStage)
}

function sampleJson({ records, whole, files, filesRead, bytes, bytesRead }: SpreadOver) {
  return { records, whole, files, files_read: filesRead, bytes, bytes_read: bytesRead }
}

function previewJson(
  { names, otherNames, rejects }: Preview = { names: [], otherNames: 0, rejects: [] },
  shown: readonly StudioRecord[],
): TransformResult['preview'] {
  return {
    names,
    other_names: otherNames,
    rejects: rejects.map(([reason, { message, record }]) => ({ reason, message, record })),
    records: shown.map(({ file, line, trace, refused }) => ({
      file,
      line,
      record: trace?.record ?? refused?.record ?? null,
      events: trace?.parts.flatMap(({ event }) => event?.line ?? []) ?? [],
    })),
  }
}

function tableJson({ name, files, rows, keys, repeated, without_key, unreadable, ...found }: JoinedTable) {
  const { found: records, missing, sha256 } = found
  const { as, help, expected, of_records } = found
  return {
    ...{ name, files, rows, keys, repeated, without_key, unreadable, found: records, missing, sha256 },
    ...{ as, help, expected, of_records },
  }
}

/** What comes next, and what a person does about rejects. */
function nextCommands(
  { counts, error }: Transformed,
  { out, dryRun, argv }: { readonly out: string; readonly dryRun: boolean; readonly argv: readonly string[] },
) {
  if (error !== undefined) return { next_command: null, mend_command: null }
  if (dryRun) {
    const tried = ['--dry-run', '--json', '--sample'].map((flag) => [flag, undefined])
    const own = { ...Object.fromEntries(tried), ...(out === '' && { '--out': 'events/' }) }
    return { next_command: posthaulLine(withOptions(argv, own)), mend_command: null }
  }
  const mended = { '--in': mendedName(argv), '--out': besideLocation(out, '-mended') }
  const hasEvents = counts.written + counts.generated > 0
  return {
    next_command: hasEvents ? posthaulLine(['check', pathWord(out)]) : null,
    mend_command: counts.rejected > 0 ? posthaulLine(withOptions(argv, mended)) : null,
  }
}
