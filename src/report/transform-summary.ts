import type { ForeignClock } from '../transform/clock-gaps.ts'
import type { TransformResult } from '../transform/result.ts'
import { continueCommand, withOptions } from './command-line.ts'

export interface TransformSummary {
  readonly result: TransformResult
  readonly out: string
  /** The command line that was run. */
  readonly argv: readonly string[]
  readonly seconds: number
  readonly dryRun: boolean
  readonly foreignClock: ForeignClock | undefined
}

/** The summary as JSON, `version` 1; the README documents its shape. */
export function transformJson({
  result,
  out,
  seconds,
  dryRun,
  foreignClock,
}: TransformSummary): Record<string, unknown> {
  const { counts, rejects, filtered, notes, days, parts, error } = result
  return {
    version: 1,
    command: 'transform',
    dry_run: dryRun,
    finished: error === undefined && !dryRun,
    out: dryRun ? null : out,
    seconds,
    counts,
    days,
    parts,
    rejects,
    filtered,
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: notes.big_integers,
    foreign_clock: foreignClock ?? null,
  }
}

/** The summary as a user reads it: where every record went, and what to know. */
export function transformSummary({
  result,
  out,
  argv,
  seconds,
  dryRun,
  foreignClock,
}: TransformSummary): string {
  const { counts, rejects, filtered, notes, days, parts, error } = result
  const lines = [
    `transform: ${error ? 'stopped' : dryRun ? 'dry run' : 'done'} after ${seconds.toFixed(1)} s`,
  ]
  const width = Math.max(...Object.values(counts).map((n) => group(n).length))
  const row = (name: string, count: number, about = '') =>
    lines.push(`  ${name.padEnd(9)} ${group(count).padStart(width)}${about === '' ? '' : `  ${about}`}`)
  row('read', counts.read)
  row(
    'written',
    counts.written,
    counts.written > 0 ? `in ${plural(days, 'day')}, ${plural(parts, 'part')}` : '',
  )
  row('rejected', counts.rejected, reasons(rejects))
  row('filtered', counts.filtered, reasons(filtered))
  row('duplicate', counts.duplicate)
  row('pending', counts.pending, dryRun && counts.pending > 0 ? 'would be written, less duplicates' : '')
  if (counts.generated > 0) row('generated', counts.generated, 'identity links and group changes, besides')
  lines.push(...notesOf(notes), ...clockOf(foreignClock))
  if (counts.rejected > 0 && !dryRun && !error) {
    const rejected = joined(out, 'rejects.ndjson')
    const again = withOptions(argv, { '--in': rejected, '--out': `${out.replace(/\/+$/, '')}-mended/` })
    lines.push(`  rejects are in ${rejected}`, `  mend them, then: ${continueCommand(again)}`)
  }
  return `${lines.join('\n')}\n`
}

function notesOf({ mends, duplicate_keys, big_integers }: TransformResult['notes']): string[] {
  const lines: string[] = []
  if (mends.lone_surrogate > 0)
    lines.push(`  mended    ${group(mends.lone_surrogate)} unpaired surrogates (now U+FFFD)`)
  if (mends.huge_number > 0)
    lines.push(`  mended    ${group(mends.huge_number)} numbers beyond a double (now strings)`)
  if (mends.big_integer > 0)
    lines.push(`  written   ${group(mends.big_integer)} integers over 2^53 as strings`)
  if (duplicate_keys > 0)
    lines.push(`  noticed   ${group(duplicate_keys)} keys that stood twice (the last one won)`)
  const big = Object.entries(big_integers).sort(([, a], [, b]) => b - a)
  if (big.length > 0 && mends.big_integer === 0) {
    const names = big.slice(0, 3).map(([name, count]) => `${name} (${group(count)})`)
    lines.push(`  beware    integers over 2^53 in ${names.join(', ')}${big.length > 3 ? ', …' : ''}:`)
    lines.push('            the service rounds them; --big-integers string keeps them whole')
  }
  return lines
}

function clockOf(clock: ForeignClock | undefined): string[] {
  if (!clock) return []
  const offsets = clock.offsets.map((offset) => `UTC${offset}`).join(' or ')
  return [
    `  beware    ${group(clock.records)} of ${group(clock.of)} times are of a clock at ${offsets}:`,
    "            --source-timezone with the project's zone makes them UTC",
  ]
}

function reasons(tally: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(tally).sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, 3).map(([reason, count]) => `${reason} ${group(count)}`)
  return `${shown.join(', ')}${sorted.length > 3 ? ', …' : ''}`
}

function joined(store: string, name: string): string {
  return store.endsWith('/') ? `${store}${name}` : `${store}/${name}`
}

function plural(count: number, word: string): string {
  return `${group(count)} ${word}${count === 1 ? '' : 's'}`
}

function group(count: number): string {
  return count.toLocaleString('en-US')
}
