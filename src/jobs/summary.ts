import { type Counts, conserved, type MadeCounts, type Notes } from '../record/index.ts'
import { fold, number, plural, REMARK, visible } from '../text/index.ts'

const ORDER = ['read', 'written', 'rejected', 'filtered', 'duplicate', 'earlier', 'pending'] as const
const MOST_NAMES = 3
const MOST_UNUSABLE = 10
export const MISCOUNT = '  these counts do not add up: this is a bug; please report it with these lines'

/** The counts of promise 1, one a line, some with a remark; of events that are in earlier datasets, if there can be any. */
export function countLines(
  counts: Counts & Partial<Pick<MadeCounts, 'earlier'>>,
  remarks: Partial<Record<keyof Counts | 'earlier', string | undefined>> = {},
): string[] {
  const rows = ORDER.flatMap((name) => {
    const count = counts[name]
    return count === undefined ? [] : [{ name, count, remark: remarks[name] ?? '' }]
  })
  const lines = rowLines(rows)
  if (!conserved(counts)) lines.push(MISCOUNT)
  return lines
}

/** Counts, one a line and aligned. A long remark continues below its own beginning. */
export function rowLines(
  rows: readonly { readonly name: string; readonly count: number; readonly remark: string }[],
): string[] {
  const width = Math.max(...rows.map(({ count }) => number(count).length))
  return rows.flatMap(({ name, count, remark }) => {
    const row = `  ${name.padEnd(9)} ${number(count).padStart(width)}`
    return remark === '' ? [row] : fold(remark, ' '.repeat(row.length + 2), `${row}  `)
  })
}

/** Notes on a run: what was mended, and what a user should know before an import, which cannot be undone. */
export function noteLines(notes: Notes): string[] {
  const { mends, duplicate_keys, big_integers, ignored_members, unusable } = notes
  const lines: string[] = []
  if (mends.lone_surrogate > 0)
    lines.push(`  mended    ${plural(mends.lone_surrogate, 'unpaired surrogate')} (now U+FFFD)`)
  if (mends.huge_number > 0)
    lines.push(`  mended    ${plural(mends.huge_number, 'number')} too large for a double (now strings)`)
  if (mends.event_name_cut > 0)
    lines.push(`  mended    ${plural(mends.event_name_cut, 'event name')} over 200 bytes (cut there)`)
  if (mends.id_trimmed > 0)
    lines.push(`  mended    ${plural(mends.id_trimmed, 'id')} with blanks around (trimmed)`)
  if (mends.not_finite > 0)
    lines.push(`  mended    ${plural(mends.not_finite, 'NaN or Infinity', 'NaN or Infinity')} (now null)`)
  if (mends.deep_array > 0)
    lines.push(`  mended    ${plural(mends.deep_array, 'array')} nested over 8 deep (now text)`)
  if (mends.big_integer > 0)
    lines.push(`  written   ${plural(mends.big_integer, 'number')} over 2^53 or 17 digits as strings`)
  if (duplicate_keys > 0)
    lines.push(`  noticed   ${plural(duplicate_keys, 'repeated key')} (the last value is kept)`)
  const ignored = topNames(ignored_members)
  if (ignored)
    lines.push(...fold(`members the service does not know or read: ${ignored}`, REMARK, '  left out  '))
  lines.push(...unusableLines(unusable))
  const big = mends.big_integer === 0 ? topNames(big_integers) : ''
  if (big) {
    lines.push(...fold(`numbers over 2^53 or 17 digits, by property: ${big};`, REMARK, '  warning   '))
    lines.push(`${REMARK}the service rounds them; --big-integers string keeps them whole`)
  }
  return lines
}

/** What rules found and could not use, the most frequent first. */
function unusableLines(unusable: Notes['unusable']): string[] {
  const all = Object.entries(unusable).sort(([, a], [, b]) => b - a)
  if (all.length === 0) return []
  const shown = all.slice(0, MOST_UNUSABLE)
  const more = all.length - shown.length
  return [
    '  warning   records with a value that a rule could not use:',
    ...shown.flatMap(([what, count]) => fold(`${number(count)} x ${visible(what)}`, `${REMARK}  `, REMARK)),
    ...(more > 0 ? [`${REMARK}and ${more} more; --json has them all`] : []),
  ]
}

/** The commonest names of a tally with their counts, on one line; '' when it is empty. */
export function topNames(tally: Readonly<Record<string, number>>): string {
  const names = sorted(tally)
  return `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`
}

/** All names of a tally with their counts. For tallies by reason: there are only a few reasons. */
export function allNames(tally: Readonly<Record<string, number>>): string {
  return sorted(tally).join(', ')
}

function sorted(tally: Readonly<Record<string, number>>): string[] {
  return Object.entries(tally)
    .filter(([, count]) => count > 0)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([name, count]) => `${visible(name)} ${number(count)}`)
}
