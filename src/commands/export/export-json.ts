import type { PosthaulError } from '../../errors.ts'
import { type Counts, zeroCounts } from '../../record/counts.ts'
import type { Reconciled } from '../../sources/counts/reconcile.ts'
import type { ExportPiece, PersonState } from '../../sources/source.ts'
import type { RawManifest } from '../../store/manifest.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import type { CountUnits, ReconciledVerdict } from './hold.ts'
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

/** What the text of an export says beside its result. */
export interface ExportSaid {
  /** The preset that reads the records; undefined where only the user knows it. */
  readonly preset: string | undefined
  /** Whether the same command looks again at windows that were fetched early. */
  readonly renews: boolean
  /** Stored bytes that this run fetched. */
  readonly bytes: number
  /** Who counts besides, and what to do about days that are short; undefined where nobody was asked. */
  readonly counted:
    | { readonly vendor: string; readonly remedy: string; readonly units: CountUnits }
    | undefined
}

export function exportSaid(
  known: Pick<ExportSaid, 'preset' | 'renews'>,
  { bytes, verdict }: ExportEnd,
): ExportSaid {
  if (!verdict || ('reason' in verdict && !verdict.asked)) return { ...known, bytes, counted: undefined }
  const { whenShort, units = ['day', 'event'] as const } = 'found' in verdict ? verdict : {}
  return { ...known, bytes, counted: { vendor: verdict.vendor, remedy: whenShort?.text ?? '', units } }
}

/** What is known before anything is fetched. */
function emptyResult({ vendor, out, windows }: ExportSubject): ExportResult {
  return {
    ...{ version: 1, command: 'export', vendor, dry_run: false, finished: false, out, seconds: null },
    counts: zeroCounts(),
    windows: { asked: windows, fetched: 0, missing: 0, refused: [] },
    ...{ dataset: null, late: null, skipped_members: null, reconciled: null, person_state: null },
    ...{ error: null, least_seconds: null, requests: null },
  }
}

/** The result of a run. */
export function exportJson(subject: ExportSubject, end: ExportEnd): ExportResult {
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
  }
}

/** The result of a dry run. */
export function exportPlanJson(
  subject: ExportSubject,
  wanted: readonly ExportPiece[],
  leastMs: number,
): ExportResult {
  const none = emptyResult(subject)
  return {
    ...none,
    dry_run: true,
    windows: { ...none.windows, missing: wanted.length },
    least_seconds: Math.ceil(leastMs / 1000),
    requests: wanted.map(({ name, asks }) => ({ window: name, asks })),
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

function reconciledJson(verdict: ReconciledVerdict): ExportResult['reconciled'] {
  const found = 'found' in verdict ? verdict.found : undefined
  return {
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
    reason: 'reason' in verdict ? verdict.reason : null,
  }
}

function rowsOf(rows: Reconciled['short']) {
  return rows.map(({ day, event, here, there }) => ({ day, event, here, vendor: there }))
}
