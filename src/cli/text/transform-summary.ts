import { type FileRemark, remarkWords } from '../../inputs/index.ts'
import type { TransformResult } from '../../jobs/results.ts'
import { allNames, countLines, noteLines, topNames } from '../../jobs/summary.ts'
import type { ForeignClock } from '../../mapping/index.ts'
import { inventoryJson, recordsAndEvents } from '../../record/index.ts'
import { besideLocation, isS3, parseS3, s3Address } from '../../store/index.ts'
import {
  continueCommand,
  endpointOf,
  errorJson,
  fold,
  mendedName,
  number,
  pathWord,
  plural,
  REMARK,
  secondsJson,
  visible,
  withOptions,
} from '../../text/index.ts'
import type { EarlierDataset, SpreadOver, Transformed } from '../../transform/index.ts'
import { leftOutLines } from './left-out.ts'
import {
  earlierJson,
  earlierLines,
  earlierRemark,
  explodedLines,
  sampleJson,
  sampleLines,
  sideTableLines,
  sideTablesJson,
  splitLines,
  withoutJoined,
} from './transform-parts.ts'

/** `--json` names no more of the files of one remark. */
const NAMED = 20

const [FILES, WARNING] = ['  files     ', '  warning   ']

/** What a vendor's manifests make of files, a remark a line or two. */
function inputFileLines(remarks: readonly FileRemark[]): string[] {
  return remarks.flatMap((one) => fold(visible(remarkWords(one)), REMARK, isLoss(one) ? WARNING : FILES))
}

/** The remarks as `--json` has them. */
function inputFilesJson(remarks: readonly FileRemark[]) {
  return remarks.map(({ what, vendor, names }) => {
    return { what, vendor, count: names.length, names: names.slice(0, NAMED) }
  })
}

/** True if history may be missing that the user expects. */
function isLoss({ what }: FileRemark): boolean {
  return what === 'never_whole' || what === 'unnamed' || what === 'not_a_manifest'
}

export interface TransformSummary {
  readonly result: Transformed
  readonly out: string
  /** The command line that was run. */
  readonly argv: readonly string[]
  readonly seconds: number
  readonly dryRun: boolean
  /** The sample that was tried alone; null when all records were. */
  readonly sample: SpreadOver | null
  readonly foreignClock: ForeignClock | undefined
  /** Rules of the mapping file that matched nothing in the first records. */
  readonly idleRules: readonly string[]
  /** What a vendor's manifests make of the files in the inputs' folders. */
  readonly inputFiles: readonly FileRemark[]
  /** Datasets of earlier windows. */
  readonly after: readonly EarlierDataset[]
  /** True if people are left out. */
  readonly forgets: boolean
  /** Members that the preset has never heard of, with the records that had them. */
  readonly unheard: Readonly<Record<string, number>>
}

/** The summary as JSON, as the result has it. */
export function transformJson({
  result,
  out,
  seconds,
  dryRun,
  sample,
  foreignClock,
  idleRules,
  inputFiles,
  after,
  unheard,
}: TransformSummary): TransformResult {
  const { counts, records, rejects, filtered, joined, notes, inventory, days, parts, split, error } = result
  return {
    version: 1,
    command: 'transform',
    dry_run: dryRun,
    sample: sampleJson(sample),
    finished: error === undefined && !dryRun,
    out: dryRun ? null : out,
    seconds: secondsJson(seconds),
    counts,
    ...recordsAndEvents(counts, records),
    days,
    parts,
    split: split?.map(({ out, ...rest }) => ({ dataset: out, ...rest })) ?? null,
    rejects,
    filtered,
    input_files: inputFilesJson(inputFiles),
    side_tables: sideTablesJson(joined),
    after: earlierJson(after),
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: notes.big_integers,
    ignored_members: notes.ignored_members,
    unusable: notes.unusable,
    ...inventoryJson(inventory),
    unheard,
    foreign_clock: foreignClock ?? null,
    idle_rules: idleRules,
    error: errorJson(error),
  }
}

/** The summary for a person: what became of every record, warnings, and the next command. */
export function transformSummary({
  result,
  out,
  argv,
  seconds,
  dryRun,
  sample,
  foreignClock,
  idleRules,
  inputFiles,
  after,
  forgets,
  unheard,
}: TransformSummary): string {
  const { counts, records, rejects, filtered, joined, notes, inventory, days, parts, split, error } = result
  const total = number(counts.written + counts.generated)
  const remarks = {
    written: counts.written > 0 ? `in ${plural(days, 'day')}, ${plural(parts, 'part')}` : '',
    rejected: allNames(rejects),
    filtered: allNames(filtered),
    pending: pendingRemark(dryRun && counts.pending > 0, after.length > 0),
    earlier: earlierRemark(after),
  }
  const { earlier, ...others } = counts
  const lines = [
    `transform: ${error ? 'stopped' : dryRun ? 'dry run' : 'done'} after ${seconds.toFixed(1)} s`,
    ...sampleLines(sample),
    ...(records
      ? explodedLines(counts, records, remarks)
      : countLines(after.length > 0 ? { ...others, earlier } : others, remarks)),
  ]
  if (counts.generated > 0) {
    lines.push(
      `  besides   ${plural(counts.generated, 'identity link or group change', 'identity links and group changes')}: ${total} events in total`,
    )
  }
  const all = dryRun || error ? '--json has all of them' : 'all of them are in manifest.json'
  lines.push(
    ...inputFileLines(inputFiles),
    ...sideTableLines(joined),
    ...earlierLines(after, forgets),
    ...leftOutLines(withoutJoined(inventory, joined), all),
    ...unheardLines(unheard),
    // The members that are ignored are among those left out.
    ...noteLines({ ...notes, ignored_members: {} }),
    ...clockOf(foreignClock),
    ...idleLines(idleRules, sample ? 'the sample' : 'the first records'),
  )
  if (dryRun && !error) lines.push(`  next: ${continueCommand(withoutDryRun(argv, out))}`)
  if (dryRun || error) return `${lines.join('\n')}\n`
  if (counts.rejected > 0) {
    const rejected = within(split?.[0]?.out ?? out, 'rejects.ndjson')
    const again = withOptions(argv, {
      '--in': mendedName(argv),
      '--out': besideLocation(out, '-mended'),
      // So few records would make tiny datasets, and each would have people in common with all the others.
      '--split-people': undefined,
    })
    lines.push(`  rejects are in ${visible(rejected)}`, `  mend a copy, then: ${continueCommand(again)}`)
    if (split) lines.push('  import that one after the others: it has people in common with them')
  }
  if (split) lines.push(...splitLines(split))
  else if (total !== '0')
    lines.push(`  next: ${continueCommand(['check', pathWord(out), ...endpointOf(argv)])}`)
  return `${lines.join('\n')}\n`
}

function pendingRemark(isDry: boolean, isAfter: boolean): string {
  if (!isDry) return ''
  return isAfter
    ? 'would be written, except duplicates and earlier ones'
    : 'would be written, except duplicates'
}

function unheardLines(unheard: TransformSummary['unheard']): string[] {
  if (Object.keys(unheard).length === 0) return []
  const text = `${topNames(unheard)}: this preset has no rule for these members, and keeps them; --json has all of them`
  return fold(text, REMARK, '  unheard   ')
}

function idleLines(rules: readonly string[], where: string): string[] {
  if (rules.length === 0) return []
  const text = `nothing in ${where} matches ${visible(rules.join(', '))}: check the mapping file for typing errors`
  return fold(text, REMARK, '  warning   ')
}

const TRIAL = ['--dry-run', '--json', '--sample']

/** The command line that writes what a dry run has shown; with an --out if it has none. */
function withoutDryRun(argv: readonly string[], out: string): string[] {
  const words = argv.filter((word, at) => {
    return !TRIAL.includes(word.split('=')[0]!) && argv[at - 1] !== '--sample'
  })
  return out === '' ? [...words, '--out', 'events/'] : words
}

function clockOf(clock: ForeignClock | undefined): string[] {
  if (!clock) return []
  const offsets = clock.offsets.map((offset) => `UTC${offset}`).join(' or ')
  return [
    `  warning   ${number(clock.records)} of ${number(clock.of)} times come from a clock at ${offsets}:`,
    "            --source-timezone with the project's zone converts them to UTC",
  ]
}

function within(store: string, name: string): string {
  if (isS3(store)) return s3Address(parseS3(store), name)
  return store.endsWith('/') ? `${store}${name}` : `${store}/${name}`
}
