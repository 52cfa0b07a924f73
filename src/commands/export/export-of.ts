import type { PosthaulError } from '../../errors.ts'
import { type Counts, zeroCounts } from '../../record/counts.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
import type { Reconciled } from '../../sources/counts/reconcile.ts'
import type { ExportPiece, PersonState } from '../../sources/source.ts'
import type { RawManifest } from '../../store/manifest.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import type { ReconciledVerdict } from './hold.ts'
import type { ExportResult } from './result.ts'

/** What is exported, and where to. */
export interface ExportSubject {
  readonly vendor: string
  readonly preset: string | undefined
  /** Whether the same command looks again at windows that were fetched early. */
  readonly renews: boolean
  readonly out: string
  /** How many windows were asked for. */
  readonly windows: number
  /** The first day that the project shows; undefined where it shows all that is asked for. */
  readonly shownFrom?: string | undefined
}

/** What a run has fetched so far. */
export interface Fetched {
  /** Records, windows and stored bytes that this run fetched. */
  records: number
  /** Records that the vendor gave, and that are not of the time asked for. */
  filtered: number
  fetched: number
  bytes: number
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
  /** The command that goes on, or fetches what is short. */
  readonly next: string | undefined
}

/** What is known before anything is fetched. */
function emptyResult({ vendor, preset, renews, out, windows }: ExportSubject): ExportResult {
  return {
    ...{ version: 1, command: 'export', vendor, dry_run: false, finished: false, out, seconds: null },
    preset: preset ?? null,
    counts: zeroCounts(),
    windows: { asked: windows, fetched: 0, missing: 0, bytes: 0, refused: [] },
    ...{ dataset: null, late: null, renews, reconciled: null, person_state: null },
    ...{ error: null, next_command: null, least_seconds: null, requests: null },
  }
}

/** The result of a run. */
export function exportOf(subject: ExportSubject, end: ExportEnd): ExportResult {
  const { error, refused, parts } = end
  const none = emptyResult(subject)
  return {
    ...none,
    finished: error === undefined && refused.length === 0,
    seconds: secondsJson(end.seconds),
    counts: countsOf(end),
    windows: {
      ...none.windows,
      fetched: end.fetched,
      bytes: end.bytes,
      missing: end.missing,
      refused: refused.map(({ window }) => window),
    },
    dataset: {
      parts: parts.length,
      records: total(parts),
      bytes: parts.reduce((sum, p) => sum + p.bytes, 0),
    },
    late: end.late.map((piece) => piece.name),
    reconciled: end.verdict ? reconciledJson(end.verdict, subject) : null,
    person_state: end.persons ? personsJson(end.persons) : null,
    error: errorJson(error ?? refused[0]?.error),
    next_command: end.next ?? null,
  }
}

/** What a run would fetch. */
interface ExportPlan {
  readonly wanted: readonly ExportPiece[]
  /** Those of them that take a request. */
  readonly asked: readonly ExportPiece[]
  readonly leastMs: number
}

/** The result of a dry run. */
export function exportPlanOf(subject: ExportSubject, { wanted, asked, leastMs }: ExportPlan): ExportResult {
  const none = emptyResult(subject)
  return {
    ...none,
    dry_run: true,
    windows: { ...none.windows, missing: wanted.length },
    least_seconds: Math.ceil(leastMs / 1000),
    requests: asked.map(({ name, asks }) => ({ window: name, asks })),
  }
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

function reconciledJson(
  verdict: ReconciledVerdict,
  { shownFrom }: ExportSubject,
): ExportResult['reconciled'] {
  const {
    found,
    whenShort,
    units = ['day', 'event'] as const,
  } = 'found' in verdict ? verdict : { found: undefined, whenShort: undefined }
  return {
    by: verdict.vendor,
    asked: 'found' in verdict || verdict.asked,
    counted: [...units],
    days: found?.days ?? null,
    other_days: found?.otherDays ?? null,
    last_days: found?.lastDays ?? null,
    zone: found?.zone ?? null,
    zone_known: found?.isZoneKnown ?? null,
    events: found ? { here: found.here, vendor: found.there } : null,
    short: found ? rowsOf(found.short) : null,
    arriving: found ? rowsOf(found.arriving) : null,
    untold: found?.untold ?? null,
    uncertain_parts: found?.uncertainParts ?? null,
    uncertain_days: found?.uncertainDays ?? null,
    shown_from: shownFrom ?? null,
    apart: verdict.vendor === 'PostHog' && found?.byName.has(APART_EVENT) === false ? APART_EVENT : null,
    remedy: whenShort?.text ?? null,
    reason: 'reason' in verdict ? verdict.reason : null,
  }
}

function rowsOf(rows: Reconciled['short']) {
  return rows.map(({ day, event, here, there }) => ({ day, event, here, vendor: there }))
}
