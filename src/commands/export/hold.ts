import { PosthaulError } from '../../errors.ts'
import { causeOf } from '../../http/network-error.ts'
import { GaveUp } from '../../http/retry.ts'
import { type Pair, type Reconciled, reconcile } from '../../sources/counts/reconcile.ts'
import { MOST_TOLD, partsPrint, saveVendorCounts } from '../../sources/counts/vendor-counts.ts'
import type { ExportState } from '../../sources/export-state.ts'
import type { Source, VendorCall, WhenShort } from '../../sources/source.ts'
import { VendorError } from '../../sources/vendor-client.ts'
import type { Store } from '../../store/store.ts'
import type { Progress } from '../../telemetry/progress.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { plural } from '../../text/words.ts'

/** The words for a span that is counted, and for what is counted in it. */
type CountUnits = readonly [span: string, record: string]

/** How an export compares with the vendor's own counts, or why that is not known. */
export type ReconciledVerdict =
  | {
      readonly vendor: string
      readonly found: Reconciled
      readonly whenShort: WhenShort
      /** What is counted, by what: events by days, if left out. */
      readonly units?: CountUnits
    }
  | { readonly vendor: string; readonly reason: string; readonly asked: boolean }

/** An unfinished export has no verdict. */
export function fellShort(verdict: ReconciledVerdict | undefined): boolean {
  return verdict !== undefined && 'found' in verdict && verdict.found.short.length > 0
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

/** The verdict on an export, and the interrupt or the bug that kept it from being found. */
export interface Held {
  readonly verdict: ReconciledVerdict | undefined
  readonly failure?: unknown
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
  if (!report && unchecked) return { verdict: { ...unchecked, asked: false } }
  if (!report) return { verdict: undefined }
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
    return { verdict: { vendor, found, whenShort: source.whenShort ?? FETCH_AGAIN } }
  } catch (failure) {
    return whyUnknown(vendor, failure)
  }
}

/** The verdict where the counts could not be asked for; an interrupt and a bug besides, which end the run. */
function whyUnknown(vendor: string, failure: unknown): Held {
  const said = failure instanceof Error ? failure.message : String(failure)
  const reason =
    failure instanceof GaveUp ? `${said} (given up after ${plural(failure.tries, 'try', 'tries')})` : said
  const verdict = { vendor, asked: true, reason }
  const isReason = failure instanceof PosthaulError && failure.code !== 'interrupted'
  return isReason ? { verdict } : { verdict, failure }
}

/** What the source's own counts say of the parts, and the windows in which rows came or went since they were read. */
interface Recounted {
  readonly held: Held
  readonly changed: readonly string[]
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

async function countAgain({ source, state, call, progress }: FinishedExport): Promise<Recounted> {
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
  const found = foundOf(source, { ...sums, short, byDay })
  return {
    held: {
      verdict: { vendor: by, found, whenShort: source.whenShort ?? FETCH_AGAIN, units: ['window', 'row'] },
    },
    changed: short.map(({ day }) => day),
  }
}

function foundOf(
  { pieces }: Source,
  sums: Pick<Reconciled, 'here' | 'there' | 'short' | 'byDay'>,
): Reconciled {
  return {
    ...{ zone: 'UTC', isZoneKnown: true, days: pieces.length, otherDays: 0, lastDays: 0 },
    ...sums,
    ...{ byName: new Map(), arriving: [], untold: [], uncertainParts: 0, uncertainDays: 0 },
  }
}

/** Keeps what the vendor counts beside the finished export, or why nobody knows. */
export async function keepCounts(
  { store, state }: Pick<FinishedExport, 'store' | 'state'>,
  verdict: ReconciledVerdict | undefined,
): Promise<void> {
  if (!verdict) return
  const found = 'found' in verdict ? verdict.found : undefined
  const names = [...(found?.byName ?? [])].sort(([, a], [, b]) => b.there - a.there)
  await saveVendorCounts(store, {
    parts: partsPrint(state.parts()),
    vendor: verdict.vendor,
    reason: 'reason' in verdict ? verdict.reason : null,
    zone: found?.zone ?? 'UTC',
    days: [...(found?.byDay ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, of]) => ({ day, ...of })),
    names: names.slice(0, MOST_TOLD).map(([event, of]) => ({ event, ...of })),
    other_names: Math.max(0, names.length - MOST_TOLD),
  })
}
