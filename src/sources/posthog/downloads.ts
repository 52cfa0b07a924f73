import pLimit from 'p-limit'
import { RateLimiter } from '../../http/rate-limiter.ts'
import { type RetryOptions, retrying } from '../../http/retry.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../text/units.ts'
import type { ExportOrder, ExportPiece, Memory, Source } from '../source.ts'
import { VendorClient } from '../vendor-client.ts'
import { formatUtc, type WindowSpan } from '../window.ts'
import { DownloadApi, NotOffered, spanText } from './download-api.ts'
import { fetchWeek } from './download-file.ts'
import { readyRun } from './download-run.ts'
import { LATE_MS, openQueries, type PostHogOptions, posthogIdentity } from './posthog.ts'
import { POSTHOG_COUNTED } from './report.ts'

const WEEK_MS = 7 * MS_PER_DAY
/** The service takes events that are up to 23 h in the future. */
const EARLY_MS = MS_PER_DAY
/**
 * A week of insertion that is older than 8 days gives only events at most 7 days older than its start. Servers can be set
 * otherwise, so weeks are asked for a while longer.
 */
const RECENT_MS = 9 * MS_PER_DAY
const LATEST_MS = 28 * MS_PER_DAY

/** A server that can't start a first download so many times makes none. */
const PROBES = 4

/** Requests of a personal key, of which the project's own people need some too. */
const LIMITS = [
  { requests: 240, perMs: MS_PER_MINUTE },
  { requests: 2400, perMs: MS_PER_HOUR },
]

export interface DownloadOptions extends PostHogOptions {
  /** The end of the range as the user gave it; undefined for the usual one, which moves on from day to day. */
  readonly to: number | undefined
  /** What `firstDownload` ordered: the id by piece. */
  readonly first?: ReadonlyMap<string, string>
}

/**
 * An export of a project by its file downloads. They go by the time at which the service stored an event, so the weeks of
 * insertion from the range's first day until now are walked, and the events of the range are taken out of them.
 */
export function downloadsOrder(options: DownloadOptions): ExportOrder {
  const { to } = options
  const range = rangeOf(options)
  return {
    preset: 'posthog',
    identity: {
      ...posthogIdentity(options),
      via: 'downloads',
      format: 'jsonl',
      // What a part holds depends on the range. The usual end is today: a run that goes on tomorrow is the same export.
      from: formatUtc(range.start),
      to: to === undefined ? 'today' : formatUtc(to),
    },
    open: (memory) => open(options, memory),
  }
}

/**
 * Orders the download of the first week, which shows whether the server makes any: a new one does not on an installation
 * of one's own that lacks the storage. Throws NotOffered if not.
 */
export async function firstDownload(
  options: DownloadOptions,
  retry: RetryOptions,
): Promise<ReadonlyMap<string, string>> {
  const api = openDownloads(options)
  const now = options.clock.wall()
  const week = insertionWeeks(rangeOf(options), now)[0]!
  const span = { start: week.start, end: Math.min(week.end, now) }
  let tries = 0
  try {
    await retrying(() => api.probe(retry.signal), retry)
    const id = await retrying(async () => {
      try {
        return await api.order(span, new AbortController().signal)
      } catch (error) {
        const isForGood = error instanceof NotOffered && ++tries >= PROBES
        throw isForGood ? new NotOffered(error.message, { code: 'unavailable', cause: error }) : error
      }
    }, retry)
    return new Map([[nameOf(week), id]])
  } finally {
    await api.client.close()
  }
}

/** A client of the project's downloads. */
function openDownloads({ host, projectId, credentials, clock, quietMs }: PostHogOptions): DownloadApi {
  const limiter = new RateLimiter({ limits: LIMITS, clock })
  const client = new VendorClient({ vendor: 'PostHog', origin: host, credentials, limiter, quietMs })
  return new DownloadApi(client, projectId)
}

/** The weeks of insertion that can hold events of a range, oldest first. They begin at the same instants in all exports. */
export function insertionWeeks({ start, end }: WindowSpan, now: number): WindowSpan[] {
  const first = start - EARLY_MS
  const weeks: WindowSpan[] = []
  for (let at = first - (((first % WEEK_MS) + WEEK_MS) % WEEK_MS); at < Math.max(now, end); at += WEEK_MS) {
    if (at < now) weeks.push({ start: at, end: at + WEEK_MS })
  }
  return weeks
}

function open(options: DownloadOptions, memory: Memory): Source {
  const { clock } = options
  const queries = openQueries(options, memory)
  const api = openDownloads(options)
  const range = rangeOf(options)
  // The service takes few runs at once. While a week is fetched, the next one is prepared.
  const oneRun = pLimit(1)
  const first = new Map(options.first)
  const opened = clock.wall()
  const weeks = insertionWeeks(range, opened).map((week): ExportPiece => {
    const name = nameOf(week)
    // Days before that are compared. Where an earlier run fetched the week too soon, they are short, and said to be.
    const unsettled = { start: Math.max(week.start, opened - LATE_MS), end: week.end }
    return {
      name,
      asks: `POST ${options.host}${api.base} events ${spanText(week)}`,
      finalAt: Math.min(week.end, range.end) + LATE_MS,
      events: { span: unsettled, by: POSTHOG_COUNTED },
      fetch: (call) => {
        const now = clock.wall()
        if (week.start >= range.end + LATEST_MS && week.end < now - RECENT_MS) return nothing()
        const span = { start: week.start, end: Math.min(week.end, now) }
        const ordering = { api, piece: name, span, memory, given: first.get(name) }
        first.delete(name)
        return fetchWeek(ordering, () => oneRun(() => readyRun(ordering, call)), range, call)
      },
    }
  })
  const close = async () => {
    await Promise.all([queries.close(), api.client.close()])
  }
  return {
    pieces: [...weeks, ...queries.snapshots],
    range,
    limiter: api.client.limiter,
    close,
    ...(queries.report && { report: queries.report }),
    personState: (call) => queries.personState(call, false),
    whenShort: { text: WHEN_SHORT, options: { '--via': 'query', '--out': 'raw-by-query/' } },
  }
}

function rangeOf({ windows }: DownloadOptions): WindowSpan {
  return { start: windows[0]!.start, end: windows.at(-1)!.end }
}

function nameOf(week: WindowSpan): string {
  return `inserted-${formatUtc(week.start)}`
}

const WHEN_SHORT =
  'downloads lack events that were stored over a week after they happened, as by a migration; ' +
  'the query endpoint has them: export by it, into another folder'

async function* nothing(): AsyncGenerator<Buffer> {}
