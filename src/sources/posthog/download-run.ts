import { PosthaulError } from '../../errors.ts'
import { retrying } from '../../http/retry.ts'
import { MS_PER_HOUR, MS_PER_SECOND } from '../../text/units.ts'
import type { Memory, VendorCall } from '../source.ts'
import { cutShort, VendorError, type VendorErrorDetails } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type DownloadApi, type DownloadRunState, Gone, spanText } from './download-api.ts'

const FIRST_POLL_MS = MS_PER_SECOND / 2
const LAST_POLL_MS = 10 * MS_PER_SECOND
// After so long the user is told what is waited for.
const QUIET_MS = 20 * MS_PER_SECOND
// The service ends runs that take too long by itself. This ends the wait for a status that means nothing to us.
const DEADLINE_MS = 6 * MS_PER_HOUR

/** A span of events that is ordered as one piece, and what is remembered of the order. */
export interface Ordering {
  readonly api: DownloadApi
  readonly piece: string
  readonly span: WindowSpan
  readonly memory: Pick<Memory, 'ordered' | 'keepOrdered'>
  /** A run that was ordered for it just now and is not remembered yet. */
  readonly given: string | undefined
}

/** A run that is Completed. */
export interface ReadyRun {
  readonly id: string
  readonly files: readonly string[]
  /** Rows that the files should have; undefined if the server doesn't say. */
  readonly rows: number | undefined
}

/** Waits for the run that was ordered for a piece, by an earlier run of this program too, or orders one. */
export async function readyRun(ordering: Ordering, call: VendorCall): Promise<ReadyRun> {
  const { piece, memory } = ordering
  try {
    const id = memory.ordered(piece) ?? (await order(ordering))
    return await completed(ordering, id, call)
  } catch (error) {
    // While it goes on, or can't be asked about, the same command takes it up.
    const isOver = error instanceof Ended || error instanceof Gone
    if (isOver) await memory.keepOrdered(piece, undefined)
    throw error instanceof Gone ? cutShort(`${error.message}: it is ordered again`, error) : error
  }
}

async function order({ api, piece, span, memory, given }: Ordering): Promise<string> {
  // An interrupt waits for the answer: without its id nobody could take the run up.
  const { signal } = new AbortController()
  const id = given ?? (await api.order(span, signal))
  try {
    await memory.keepOrdered(piece, id)
  } catch (error) {
    await api.cancel(id, signal).catch(() => undefined)
    throw error
  }
  return id
}

async function completed({ api, span }: Ordering, id: string, call: VendorCall): Promise<ReadyRun> {
  const { clock } = call.retry
  const began = clock.now()
  let told = false
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, LAST_POLL_MS)) {
    const run = await retrying(() => api.run(id, call.signal), call.retry)
    if (run.status === 'Completed')
      return { id, files: run.files ?? [], rows: run.records_completed ?? undefined }
    const end = Object.hasOwn(ENDS, run.status) ? ENDS[run.status] : undefined
    if (end) throw new Ended(run, end)
    if (!told && clock.now() - began >= QUIET_MS) {
      told = true
      call.note(`PostHog prepares the events ${spanText(span)}: ${run.status}`)
    }
    if (clock.now() - began >= DEADLINE_MS) {
      const said = `the download is still ${run.status} at PostHog after ${DEADLINE_MS / MS_PER_HOUR} h`
      const hint = 'run the same command later: it goes on with the same download'
      throw new VendorError(said, { code: 'unavailable', fate: 'stop', hint })
    }
    await clock.sleep(waitMs, call.signal)
    if (call.signal.aborted) {
      throw new PosthaulError('interrupted while PostHog prepares a download', { code: 'interrupted' })
    }
  }
}

/** A run ended without files. */
class Ended extends VendorError {
  constructor({ status, error }: DownloadRunState, { what, ...details }: End) {
    const words = error ? `: ${error.replaceAll(/\s+/g, ' ').slice(0, 300)}` : ''
    super(`the download ended as ${status} at PostHog, ${what}${words}`, details)
  }
}

type End = VendorErrorDetails & { readonly what: string }

const ANEW = 'the same command orders it again; --via query needs no downloads'
const cancelled: End = {
  code: 'paused',
  what: 'so somebody there stopped it',
  hint: 'the same command orders it again',
}

/** Each status by which a run ends without files. Any other word means that it goes on. */
const ENDS: Readonly<Record<string, End>> = {
  Failed: { code: 'unavailable', fate: 'reject', what: 'so this week is not there', hint: ANEW },
  FailedRetryable: { code: 'unavailable', fate: 'retry', what: 'and may work when ordered again' },
  FailedBilling: {
    code: 'paused',
    what: 'so the project has reached its limit of exported rows',
    hint: 'raise its limit of exported rows, or export to another folder with --via query, which has no such limit',
  },
  Cancelled: cancelled,
  Terminated: cancelled,
  TimedOut: {
    code: 'unavailable',
    fate: 'reject',
    what: 'so this week is too much for a download',
    hint: ANEW,
  },
}
