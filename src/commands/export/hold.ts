import { PosthaulError } from '../../errors.ts'
import { causeOf } from '../../http/network-error.ts'
import { GaveUp } from '../../http/retry.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
import { type Pair, type Reconciled, reconcile } from '../../sources/counts/reconcile.ts'
import { MOST_TOLD, partsPrint, saveVendorCounts } from '../../sources/counts/vendor-counts.ts'
import type { ExportState } from '../../sources/export-state.ts'
import type { Source, VendorCall, WhenShort } from '../../sources/source.ts'
import { VendorError } from '../../sources/vendor-client.ts'
import type { Store } from '../../store/store.ts'
import type { Progress } from '../../telemetry/progress.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { plural } from '../../text/words.ts'
import type { ExportResult } from './result.ts'

/** How an export compares with the vendor's own counts, and what kept them from being asked for. */
export interface Held {
  /** Undefined for an unfinished export, and where nobody counts. */
  readonly verdict?: NonNullable<ExportResult['reconciled']>
  readonly found?: Reconciled
  /** The interrupt or the bug that ends the run. */
  readonly failure?: unknown
}

interface Verdict {
  readonly found?: Reconciled
  readonly remedy?: string
  /** Why nobody knows. */
  readonly reason?: string
  readonly asked?: boolean
  /** The words for a span that is counted, and for what is counted in it. */
  readonly counted?: readonly [span: string, record: string]
}

/** The verdict on an export by who counts. */
export function verdictBy(by: string, verdict: Verdict): Held {
  const { found, remedy, reason, asked = true, counted = ['day', 'event'] } = verdict
  const isApart = by === 'PostHog' && found?.byName.has(APART_EVENT) === false
  return {
    verdict: {
      ...{ by, asked, counted: [...counted] },
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
      shown_from: null,
      apart: isApart ? APART_EVENT : null,
      remedy: remedy ?? null,
      reason: reason ?? null,
    },
    ...(found && { found }),
  }
}

function rowsOf(rows: Reconciled['short']) {
  return rows.map(({ day, event, here, there }) => ({ day, event, here, vendor: there }))
}

/** True if the vendor counts more than it gave. An unfinished export has no verdict. */
export function isShort(verdict: ExportResult['reconciled'] | undefined): boolean {
  return (verdict?.short?.length ?? 0) > 0
}

/** What to do about days that are short, where the source knows nothing better. */
export const FETCH_AGAIN: WhenShort = {
  text: 'fetch the days again with --refetch; what stays short, only the vendor can explain',
  options: { '--refetch': '' },
}

/** A finished export, and what its report is asked with. */
export interface FinishedExport {
  readonly source: Source
  readonly store: Store
  readonly state: ExportState
  /** Without the calls that tell the user of a wait. */
  readonly call: Omit<VendorCall, 'retry'> & { readonly retry: Omit<VendorCall['retry'], 'onRetry'> }
  readonly progress: Progress
}

/** The events are here: for a report that answers nonsense, or not at all, nobody is kept waiting any longer. */
const MOST_TRIES = 5
const MOST_MS = 5 * MS_PER_MINUTE

/** A vendor that says "later" is waited for as long as the user allows; others are asked a few times. */
function givesUp(error: PosthaulError, tries: number, lastedMs: number): boolean {
  const isLater = error instanceof VendorError && error.status === 429
  return !isLater && (tries >= MOST_TRIES || lastedMs >= MOST_MS)
}

/**
 * Holds a finished export against the vendor's own counts. The export is finished whatever they say, so what keeps them
 * from being asked for is no failure.
 */
export async function holdAgainstReport({
  source,
  store,
  state,
  call,
  progress,
}: FinishedExport): Promise<Held> {
  const { report, unchecked } = source
  if (!report && unchecked) return verdictBy(unchecked.vendor, { reason: unchecked.reason, asked: false })
  if (!report) return {}
  const { vendor } = report
  progress.note(`asking how many events ${vendor} counts`)
  const retry = {
    ...call.retry,
    givesUp,
    onRetry: (error: Error, waitMs: number) => progress.retrying(error.message, waitMs, causeOf(error)),
  }
  try {
    const found = await reconcile({ source, report, store, state, call: { ...call, retry } })
    // So that the next run knows how much of the report's quota is used.
    await state.flush()
    return verdictBy(vendor, { found, remedy: (source.whenShort ?? FETCH_AGAIN).text })
  } catch (failure) {
    return whyUnknown(vendor, failure)
  }
}

/** The verdict where the counts could not be asked for; an interrupt and a bug besides, which end the run. */
function whyUnknown(vendor: string, failure: unknown): Held {
  const said = failure instanceof Error ? failure.message : String(failure)
  const reason =
    failure instanceof GaveUp ? `${said} (given up after ${plural(failure.tries, 'try', 'tries')})` : said
  const isReason = failure instanceof PosthaulError && failure.code !== 'interrupted'
  return { ...verdictBy(vendor, { reason }), ...(!isReason && { failure }) }
}

/** Of a window's name: its day. */
const DAY_CHARS = 10

/** After so many readings a window that still changes is left to a later run. */
const MOST_READINGS = 3

/**
 * Counts windows again where their rows are, and reads those again, whole, whose rows have become others. Each was held
 * against its count when it was read, so what keeps the counts from being asked for is no failure.
 */
export async function recounted(
  finished: FinishedExport,
  readAgain: (windows: readonly string[]) => Promise<void>,
): Promise<Held> {
  for (let readings = 1; ; readings++) {
    const { held, changed } = await countAgain(finished)
    if (changed.length === 0 || readings === MOST_READINGS) return held
    const words = plural(changed.length, 'window')
    finished.progress.note(`${words} got or lost rows since: they are read again`)
    await readAgain(changed)
  }
}

/** What the source's own counts say of the parts, and the windows in which rows came or went since they were read. */
async function countAgain({ source, state, call, progress }: FinishedExport) {
  const { by, count } = source.recount!
  progress.note(`asking how many rows ${by} counts now`)
  const short: Reconciled['short'][number][] = []
  const sums = { here: 0, there: 0 }
  const byDay = new Map<string, Pair>()
  try {
    for (const { name: day } of source.pieces) {
      const { lines: here = 0, asked_at: askedAt = 0 } = state.frozen(day) ?? {}
      const { records: there, isSame } = (await count(day, call, askedAt)) ?? { records: here, isSame: true }
      const name = day.slice(0, DAY_CHARS)
      const ofDay = byDay.get(name) ?? { here: 0, there: 0 }
      byDay.set(name, ofDay)
      for (const sum of [sums, ofDay]) {
        sum.here += here
        sum.there += there
      }
      if (here !== there || !isSame) short.push({ day, event: 'rows', here, there })
    }
  } catch (failure) {
    return { held: whyUnknown(by, failure), changed: [] }
  }
  const found = {
    ...{ zone: 'UTC', isZoneKnown: true, days: source.pieces.length, otherDays: 0, lastDays: 0 },
    ...{ ...sums, short, byDay, byName: new Map() },
    ...{ arriving: [], untold: [], uncertainParts: 0, uncertainDays: 0 },
  }
  const remedy = (source.whenShort ?? FETCH_AGAIN).text
  const held = verdictBy(by, { found, remedy, counted: ['window', 'row'] })
  return { held, changed: short.map(({ day }) => day) }
}

/** Keeps what the vendor counts beside the finished export, or why nobody knows. */
export async function keepCounts(
  { store, state }: Pick<FinishedExport, 'store' | 'state'>,
  { verdict, found }: Held,
): Promise<void> {
  if (!verdict) return
  const names = [...(found?.byName ?? [])].sort(([, a], [, b]) => b.there - a.there)
  await saveVendorCounts(store, {
    parts: partsPrint(state.parts()),
    vendor: verdict.by,
    reason: verdict.reason,
    zone: found?.zone ?? 'UTC',
    days: [...(found?.byDay ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, of]) => ({ day, ...of })),
    names: names.slice(0, MOST_TOLD).map(([event, of]) => ({ event, ...of })),
    other_names: Math.max(0, names.length - MOST_TOLD),
  })
}
