import type { ForeignClock } from '../mapping/clock-gaps.ts'
import { inventoryJson } from '../record/inventory.ts'
import type { TransformResult } from '../transform/result.ts'
import { continueCommand, endpointOf, mendedName, withOptions } from './command-line.ts'
import { fold } from './fold.ts'
import { errorJson, secondsJson } from './json.ts'
import { leftOutLines } from './left-out.ts'
import { allNames, countLines, noteLines } from './summary.ts'
import { visible } from './visible.ts'
import { number, plural } from './words.ts'

export interface TransformSummary {
  readonly result: TransformResult
  readonly out: string
  /** The command line that was run. */
  readonly argv: readonly string[]
  readonly seconds: number
  readonly dryRun: boolean
  readonly foreignClock: ForeignClock | undefined
  /** Rules of the mapping file that matched nothing in the first records. */
  readonly idleRules: readonly string[]
}

/** The summary as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function transformJson({
  result,
  out,
  seconds,
  dryRun,
  foreignClock,
  idleRules,
}: TransformSummary): Record<string, unknown> {
  const { counts, rejects, filtered, notes, inventory, days, parts, error } = result
  return {
    version: 1,
    command: 'transform',
    dry_run: dryRun,
    finished: error === undefined && !dryRun,
    out: dryRun ? null : out,
    seconds: secondsJson(seconds),
    counts,
    days,
    parts,
    rejects,
    filtered,
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: notes.big_integers,
    ignored_members: notes.ignored_members,
    unusable: notes.unusable,
    ...inventoryJson(inventory),
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
  foreignClock,
  idleRules,
}: TransformSummary): string {
  const { counts, rejects, filtered, notes, inventory, days, parts, error } = result
  const total = number(counts.written + counts.generated)
  const lines = [
    `transform: ${error ? 'stopped' : dryRun ? 'dry run' : 'done'} after ${seconds.toFixed(1)} s`,
    ...countLines(counts, {
      written: counts.written > 0 ? `in ${plural(days, 'day')}, ${plural(parts, 'part')}` : '',
      rejected: allNames(rejects),
      filtered: allNames(filtered),
      pending: dryRun && counts.pending > 0 ? 'would be written, except duplicates' : '',
    }),
  ]
  if (counts.generated > 0) {
    lines.push(
      `  besides   ${number(counts.generated)} identity links and group changes: ${total} events in total`,
    )
  }
  const all = dryRun || error ? '--json has all of them' : 'all of them are in manifest.json'
  lines.push(
    ...leftOutLines(inventory, all),
    // The members that are ignored are among those left out.
    ...noteLines({ ...notes, ignored_members: {} }),
    ...clockOf(foreignClock),
    ...idleLines(idleRules),
  )
  if (dryRun && !error) lines.push(`  next: ${continueCommand(withoutDryRun(argv, out))}`)
  if (dryRun || error) return `${lines.join('\n')}\n`
  if (counts.rejected > 0) {
    const rejected = joined(out, 'rejects.ndjson')
    const again = withOptions(argv, {
      '--in': mendedName(argv),
      '--out': `${out.replace(/\/+$/, '')}-mended/`,
    })
    lines.push(`  rejects are in ${visible(rejected)}`, `  mend a copy, then: ${continueCommand(again)}`)
  }
  if (total !== '0') lines.push(`  next: ${continueCommand(['check', out, ...endpointOf(argv)])}`)
  return `${lines.join('\n')}\n`
}

function idleLines(rules: readonly string[]): string[] {
  if (rules.length === 0) return []
  const text = `nothing in the first records matches ${visible(rules.join(', '))}: check the mapping file for typing errors`
  return fold(text, ' '.repeat(12), '  warning   ')
}

/** The command line that writes what a dry run has shown; with an --out if it has none. */
function withoutDryRun(argv: readonly string[], out: string): string[] {
  const words = argv.filter((word) => word !== '--dry-run' && word !== '--json')
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

function joined(store: string, name: string): string {
  return store.endsWith('/') ? `${store}${name}` : `${store}/${name}`
}
