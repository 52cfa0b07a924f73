import type { Finding, findingJson } from '../checks/finding.ts'
import { VIA_WORDS, type Via } from '../delivery/route.ts'
import { PERSONLESS } from '../delivery/verdict.ts'
import { type Counts, conserved, type MadeCounts } from '../record/counts.ts'
import { fold, REMARK } from '../text/fold.ts'
import { visible } from '../text/visible.ts'
import { firstFew, mostFirst, number, plural } from '../text/words.ts'
import type { ImportResult } from './import/result.ts'

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

/** A line with its label, folded below its own beginning: `  warning   the days are mixed`; nothing where there is nothing to say. */
export function labelled(label: string, text: string | number | false | null | undefined): string[] {
  return !text ? [] : fold(String(text), REMARK, `  ${label.padEnd(REMARK.length - 2)}`)
}

const LEVEL_WIDTH = 9
const CODE_WIDTH = 14
/** Under the text of a finding. */
const INDENT = ' '.repeat(2 + LEVEL_WIDTH + CODE_WIDTH)

/** Findings, each with its cause and its remedy under it. */
export function findingLines(
  findings: readonly Pick<ReturnType<typeof findingJson>, 'code' | 'level' | 'text' | 'cause' | 'remedy'>[],
): string[] {
  return findings.flatMap(({ code, level, text, cause, remedy }) => [
    ...fold(visible(text), INDENT, `  ${level.padEnd(LEVEL_WIDTH)}${code.padEnd(CODE_WIDTH - 1)} `),
    ...(cause ? fold(visible(cause), `${INDENT}  `) : []),
    ...(remedy ? fold(visible(remedy), `${INDENT}  `, `${INDENT}> `) : []),
  ])
}

/** How many findings there are of each level: `2 errors, 1 warning, 9 ok`. */
export function findingCounts(findings: readonly Pick<Finding, 'level'>[]): string {
  const words = (['error', 'warning', 'note', 'ok'] as const).flatMap((level) => {
    const found = findings.filter((one) => one.level === level).length
    if (found === 0) return []
    return [level === 'ok' ? `${found} ok` : plural(found, level)]
  })
  return words.join(', ')
}

/** What is said under a label: nothing where it is null, several sentences one below the other. */
type Said = string | readonly string[] | null | undefined

/** A head, and below it what there is to say under each label. Nothing of it can steer a terminal. */
export function block(head: string, rows: Readonly<Record<string, Said>>): string[] {
  const lines = Object.entries(rows).flatMap(([label, said]) =>
    [said ?? []].flat().flatMap((text) => labelled(label, visible(text))),
  )
  return [visible(head), ...lines]
}

/** What results say was noticed on the way. */
export interface NotesSaid {
  readonly mends: Readonly<Record<string, number>>
  readonly big_integers: Readonly<Record<string, number>>
  readonly ignored_members?: Readonly<Record<string, number>>
  readonly unusable?: Readonly<Record<string, number>>
  /** The zone of times without an offset. */
  readonly zone?: string | undefined
}

const MENDED: Readonly<Record<string, (count: number, zone: string) => string | readonly string[]>> = {
  lone_surrogate: (n) =>
    `  mended    ${plural(n, 'unpaired surrogate or NUL', 'unpaired surrogates or NULs')} (now U+FFFD)`,
  huge_number: (n) => `  mended    ${plural(n, 'number')} too large for a double (now strings)`,
  event_name_cut: (n) => `  mended    ${plural(n, 'event name')} over 200 bytes (cut there)`,
  id_trimmed: (n) => `  mended    ${plural(n, 'id')} with blanks around (trimmed)`,
  not_finite: (n) => `  mended    ${plural(n, 'NaN or Infinity', 'NaN or Infinity')} (now null)`,
  deep_array: (n) => `  mended    ${plural(n, 'array')} nested over 8 deep (now text)`,
  clock_twice: (n, zone) =>
    labelled(
      'noticed',
      `${plural(n, 'time falls', 'times fall')} into an hour that the clocks of ${zone} had twice: the first is taken`,
    ),
  clock_skipped: (n, zone) =>
    labelled(
      'mended',
      `${plural(n, 'time falls', 'times fall')} into an hour that the clocks of ${zone} skipped: read by the offset before the change`,
    ),
  big_integer: (n) => `  written   ${plural(n, 'number')} over 2^53 or 17 digits as strings`,
  duplicate_keys: (n) => `  noticed   ${plural(n, 'repeated key')} (the last value is kept)`,
}

/** Notes on a run: what was mended, and what a user should know before an import, which cannot be undone. */
export function noteLines({
  mends,
  big_integers,
  ignored_members = {},
  unusable = {},
  zone = "the source's zone",
}: NotesSaid): string[] {
  const lines = Object.entries(MENDED).flatMap(([kind, line]) =>
    mends[kind] ? line(mends[kind], visible(zone)) : [],
  )
  const ignored = topNames(ignored_members)
  lines.push(
    ...labelled('warning', ignored && `left out, since the service does not know or read them: ${ignored}`),
  )
  lines.push(...unusableLines(unusable))
  const big = mends.big_integer ? '' : topNames(big_integers)
  if (big) {
    lines.push(...labelled('warning', `numbers over 2^53 or 17 digits, by property: ${big};`))
    lines.push(`${REMARK}the service rounds them; --big-integers string keeps them whole`)
  }
  return lines
}

/** What rules found and could not use, the most frequent first. */
function unusableLines(unusable: NonNullable<NotesSaid['unusable']>): string[] {
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
  return firstFew(sorted(tally), MOST_NAMES)
}

/** All names of a tally with their counts. For tallies by reason: there are only a few reasons. */
export function allNames(tally: Readonly<Record<string, number>>): string {
  return sorted(tally).join(', ')
}

function sorted(tally: Readonly<Record<string, number>>): string[] {
  return mostFirst(Object.entries(tally)).map(([name, count]) => `${visible(name)} ${number(count)}`)
}

/** The route of an import, if it is not the usual one. */
export function viaLines(via: Via): string[] {
  return via === 'batch' ? [] : [`  by        ${VIA_WORDS[via]}`]
}

/** What Capture V1 said of events that it took, and of how many it said nothing known. `verify`: the command that verifies, if it is known. */
export function remarkLines(
  {
    warnings,
    unmerged,
    unknown_answers: unknown,
  }: Pick<ImportResult, 'warnings' | 'unmerged' | 'unknown_answers'>,
  verify?: string,
): string[] {
  const { [PERSONLESS]: personless = 0, ...others } = warnings
  const [lost, said] = [allNames(unmerged), allNames(others)]
  const look = verify === undefined ? 'compare the counts in the project' : `${verify} tells`
  const texts = [
    personless > 0 && `stored without person and groups: ${plural(personless, 'event')} (${PERSONLESS})`,
    lost && `these merged no people, and changed no person or group: ${lost}`,
    said && `stored, with a warning of the service: ${said}`,
    unknown > 0 && `unconfirmed: the service gave no known answer for ${plural(unknown, 'event')}; ${look}`,
  ]
  return texts.flatMap((text) => labelled('warning', text))
}

/** The ids by which `undo` finds what files brought, a line each. */
export function importIdLines(ids: readonly string[] | null): string[] {
  return (ids ?? []).map((id) => `  id        ${visible(id)}`)
}
