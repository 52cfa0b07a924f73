import type { FileRemark } from '../../inputs/manifests/remark.ts'
import type { ForeignClock } from '../../mapping/clock-gaps.ts'
import type { JoinedTable } from '../../pipeline/side/built.ts'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import { besideLocation } from '../../store/s3-location.ts'
import type { StudioRecord } from '../../studio/studio-data.ts'
import { mendedName, withOptions } from '../../text/command-line.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import type { EarlierDataset } from '../../transform/after/earlier.ts'
import type { Preview } from '../../transform/preview.ts'
import type { SpreadOver } from '../../transform/sample.ts'
import type { Transformed } from '../../transform/transform-tally.ts'
import { notesJson } from '../notes-json.ts'
import type { TransformResult } from './result.ts'

/** `--json` names no more of the files of one remark. */
const NAMED = 20

/** What is known of a transform that has ended. */
export interface TransformFacts {
  readonly result: Transformed
  readonly out: string
  readonly seconds: number
  readonly dryRun: boolean
  /** Records that a dry run shows. */
  readonly shown?: readonly StudioRecord[]
  /** The sample that was tried alone; null when all records were. */
  readonly sample: SpreadOver | null
  readonly foreignClock: ForeignClock | undefined
  /** Rules of the mapping file that matched nothing in the first records. */
  readonly idleRules: readonly string[]
  /** What a vendor's manifests make of the files in the inputs' folders. */
  readonly inputFiles: readonly FileRemark[]
  /** Datasets of earlier windows. */
  readonly after: readonly EarlierDataset[]
  /** Members that the preset has never heard of, with the records that had them. */
  readonly unheard: Readonly<Record<string, number>>
  /** The command line that was run. */
  readonly argv: readonly string[]
  /** True if people are left out. */
  readonly forgets: boolean
  /** The zone of times without an offset. */
  readonly zone: string | undefined
}

/** The result of a transform. */
export function transformOf(facts: TransformFacts): TransformResult {
  const { dryRun, sample, inputFiles, after, shown = [] } = facts
  const { counts, records, rejects, filtered, joined, notes, inventory, days, parts, trial, error } =
    facts.result
  const { duplicates } = facts.result
  return {
    version: 1,
    command: 'transform',
    dry_run: dryRun,
    sample: sample ? sampleJson(sample) : null,
    finished: error === undefined && !dryRun,
    out: dryRun ? null : facts.out,
    seconds: secondsJson(facts.seconds),
    counts,
    ...recordsAndEvents(counts, records),
    duplicates,
    twins: facts.result.twins,
    days,
    parts,
    trial: trial ?? null,
    rejects,
    filtered,
    input_files: inputFiles.map(({ what, vendor, names }) => {
      return { what, vendor, count: names.length, names: names.slice(0, NAMED) }
    }),
    side_tables: joined.map(tableJson),
    after: after.map(({ location }) => location),
    ...notesJson(notes),
    ...inventoryJson(inventory),
    unheard: facts.unheard,
    foreign_clock: facts.foreignClock ?? null,
    forgets: facts.forgets,
    zone: facts.zone ?? null,
    idle_rules: facts.idleRules,
    idle_in_all: facts.result.idle !== null,
    preview: dryRun ? previewJson(facts.result.preview, shown) : null,
    ...nextCommands(facts),
    error: errorJson(error),
  }
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
function nextCommands({ result: { counts, error }, dryRun, out, argv }: TransformFacts) {
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
