import type { FileRemark } from '../../inputs/manifests/remark.ts'
import type { ForeignClock } from '../../mapping/clock-gaps.ts'
import type { JoinedTable } from '../../pipeline/side/built.ts'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import type { StudioRecord } from '../../studio/studio-data.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
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
}

/** What the text of a transform says beside its result. */
export interface TransformSaid {
  readonly out: string
  /** The command line that was run. */
  readonly argv: readonly string[]
  readonly joined: readonly JoinedTable[]
  /** True if people are left out. */
  readonly forgets: boolean
  /** The zone of times without an offset. */
  readonly zone: string | undefined
  /** True where rules were looked for in all records, not in the first ones alone. */
  readonly knowsIdle: boolean
}

export function transformJson(facts: TransformFacts): TransformResult {
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
    idle_rules: facts.idleRules,
    preview: dryRun ? previewJson(facts.result.preview, shown) : null,
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
  return { name, files, rows, keys, repeated, without_key, unreadable, found: records, missing, sha256 }
}
