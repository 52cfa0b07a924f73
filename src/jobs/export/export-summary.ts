import type { PosthaulError } from '../../errors.ts'
import { type Counts, TEMPORARY_DAYS, zeroCounts } from '../../record/index.ts'
import type { ExportPiece, PersonState } from '../../sources/index.ts'
import type { RawManifest } from '../../store/index.ts'
import {
  bytes,
  COLUMNS,
  errorJson,
  fold,
  number,
  pathWord,
  plural,
  posthaulLine,
  REMARK,
  secondsJson,
  span,
  visible,
  width,
} from '../../text/index.ts'
import { countLines } from '../summary.ts'
import { isShort, type ReconciledVerdict, reconciledJson, reconciledLines } from './reconciled.ts'
import type { ExportResult } from './result.ts'

/** What is exported, and where to. */
export interface ExportSubject {
  readonly vendor: string
  readonly out: string
  /** How many windows were asked for. */
  readonly windows: number
}

/** What a run has fetched so far. */
export interface Fetched {
  /** Records, windows and stored bytes that this run fetched. */
  records: number
  /** Records that the vendor gave, and that are not of the time asked for. */
  filtered: number
  /** Members of the vendor's archives that hold no records. */
  skipped: number
  fetched: number
  bytes: number
  /** Windows that a killed run had fetched whole, and this run took over. */
  adopted: number
  readonly refused: { readonly window: string; readonly error: PosthaulError }[]
}

/** How a run ended. */
export interface ExportEnd extends Readonly<Fetched> {
  /** How many windows are not fetched yet. */
  readonly missing: number
  /** All parts of the dataset, those of earlier runs included. */
  readonly parts: RawManifest['parts']
  /** Windows that were fetched before their data was final. */
  readonly late: readonly ExportPiece[]
  /** How it compares with the vendor's own counts; undefined if the export has not finished. */
  readonly verdict: ReconciledVerdict | undefined
  /** Where persons' state comes from; undefined if the export has not finished, or the vendor has one way only. */
  readonly persons: PersonState | undefined
  readonly seconds: number
  readonly error: unknown
}

/** The summary of a run as JSON, as result.ts has it. */
export function exportJson(subject: ExportSubject, end: ExportEnd): ExportResult {
  const { error, refused, parts } = end
  return {
    version: 1,
    command: 'export',
    vendor: subject.vendor,
    dry_run: false,
    finished: error === undefined && refused.length === 0,
    out: subject.out,
    seconds: secondsJson(end.seconds),
    counts: countsOf(end),
    windows: {
      asked: subject.windows,
      fetched: end.fetched,
      missing: end.missing,
      refused: refused.map(({ window }) => window),
    },
    dataset: {
      parts: parts.length,
      records: total(parts),
      bytes: parts.reduce((sum, p) => sum + p.bytes, 0),
    },
    late: end.late.map((piece) => piece.name),
    skipped_members: end.skipped,
    reconciled: end.verdict ? reconciledJson(end.verdict) : null,
    person_state: end.persons ? personsJson(end.persons) : null,
    error: errorJson(error ?? refused[0]?.error),
    least_seconds: null,
    requests: null,
  }
}

/** The summary of a run for a person. */
export function exportSummary(subject: ExportSubject, end: ExportEnd): string {
  const { fetched, missing, refused, parts, late, verdict, error } = end
  const there = subject.windows - fetched - missing
  const whole = error === undefined && refused.length === 0
  const lines = [
    ...fold(
      `${whole ? 'done' : 'stopped'} after ${span(end.seconds * 1000)}: ${subject.vendor} to ${visible(subject.out)}`,
      '  ',
      'export: ',
    ),
    ...countLines(countsOf(end), {
      written: fetched > 0 ? `in ${plural(fetched, 'window')}, ${bytes(end.bytes)}` : 'nothing new',
    }),
  ]
  if (end.skipped > 0)
    lines.push(
      `  skipped   ${plural(end.skipped, 'member')} of the vendor's archives: no records in ${end.skipped === 1 ? 'it' : 'them'}`,
    )
  if (whole && there > 0) lines.push(`  kept      ${plural(there, 'window')} from earlier runs`)
  if (missing > 0) lines.push(`  missing   ${number(missing)} of ${plural(subject.windows, 'window')}`)
  lines.push(`  dataset   ${plural(total(parts), 'record')} in ${plural(parts.length, 'part')}`)
  lines.push(...lateLines(late))
  if (verdict) lines.push(...reconciledLines(verdict))
  if (end.persons) lines.push(...personLines(end.persons))
  if (whole && !isShort(verdict)) {
    const read = end.persons?.from === 'person_properties' ? ['--with', 'person-properties'] : []
    lines.push(
      `  next: ${posthaulLine(['transform', '--preset', subject.vendor, ...read, '--in', pathWord(subject.out), '--out', 'events/'])}`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** The requests of a dry run, one a line: the window, a tab, the request. For a person, the request is below its window. */
export function exportPlanLines(wanted: readonly ExportPiece[], forPerson: boolean): string {
  const request = forPerson ? (asks: string) => foldRequest(asks).join('\n') : (asks: string) => `\t${asks}`
  return wanted.map(({ name, asks }) => `${name}${request(visible(asks))}\n`).join('')
}

/** Lines that fit a terminal: an address has no blanks, so that it breaks before its parameters too. */
function foldRequest(asks: string): string[] {
  const lines = ['']
  for (const piece of asks.split(/(?=[ ?&])/)) {
    const last = lines.at(-1)!
    if (last !== '' && width(last) + width(piece) <= COLUMNS) lines[lines.length - 1] = last + piece
    else lines.push(`  ${piece.trimStart()}`)
  }
  return lines
}

/** The plan of a dry run for a person. */
export function exportPlanSummary(
  subject: ExportSubject,
  wanted: readonly ExportPiece[],
  leastMs: number,
): string {
  const there = subject.windows - wanted.length
  const lines = [
    ...fold(`dry run of ${subject.vendor} to ${visible(subject.out)}; no request was sent`, '  ', 'export: '),
    `  to fetch  ${plural(wanted.length, 'window')}${there > 0 ? `; ${number(there)} more already fetched` : ''}`,
  ]
  if (leastMs > 0) lines.push(`  it takes  at least ${span(leastMs)}, under the vendor's quota`)
  return `${lines.join('\n')}\n`
}

/** The plan of a dry run as JSON. */
export function exportPlanJson(
  subject: ExportSubject,
  wanted: readonly ExportPiece[],
  leastMs: number,
): ExportResult {
  return {
    version: 1,
    command: 'export',
    vendor: subject.vendor,
    dry_run: true,
    finished: false,
    out: subject.out,
    seconds: null,
    counts: zeroCounts(),
    windows: { asked: subject.windows, fetched: 0, missing: wanted.length, refused: [] },
    dataset: null,
    late: null,
    skipped_members: null,
    reconciled: null,
    person_state: null,
    error: null,
    least_seconds: Math.ceil(leastMs / 1000),
    requests: wanted.map(({ name, asks }) => ({ window: name, asks })),
  }
}

function lateLines(late: readonly ExportPiece[]): string[] {
  const [first, last] = [late[0], late.at(-1)]
  if (!first || !last) return []
  const [names, them] = late.length === 1 ? [first.name, 'it'] : [`${first.name} to ${last.name}`, 'them']
  const text = `${plural(late.length, 'window')}, ${names}: fetched while events still came in; fetch ${them} again later with --refetch`
  return fold(text, REMARK, '  warning   ')
}

function countsOf({ records, filtered }: Readonly<Fetched>): Counts {
  return { ...zeroCounts(), read: records + filtered, written: records, filtered }
}

function total(parts: RawManifest['parts']): number {
  return parts.reduce((sum, part) => sum + part.events, 0)
}

function personsJson({ from, withoutSet, reason }: PersonState): ExportResult['person_state'] {
  return { from, events_without_set: withoutSet, reason: reason ?? null }
}

function personLines({ from, withoutSet, reason }: PersonState): string[] {
  const gone = `none of ${plural(withoutSet ?? 0, 'event')} stored over ${TEMPORARY_DAYS} days ago has $set, which PostHog keeps no longer`
  const said: Record<PersonState['from'], readonly [label: string, text: string]> = {
    events: ['persons', `$set of the events${reason === undefined ? '' : `; ${reason}`}`],
    persons: ['persons', 'as they are now, from the persons model (--persons)'],
    person_properties: ['persons', `person_properties of the rows: ${gone}`],
    none: [
      'warning',
      `nothing tells the state of persons: ${gone}; ${reason}; --persons brings it as it is now`,
    ],
    unknown: [
      'warning',
      `can't tell whether events still have $set: ${reason}; --persons brings persons' state`,
    ],
  }
  const [label, text] = said[from]
  return fold(text, REMARK, `  ${label.padEnd(10)}`)
}
