import { PosthaulError } from '../errors.ts'
import type { Clock } from '../http/clock.ts'
import type { Reject } from '../record/reject.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../text/units.ts'
import type { Batch } from './batch.ts'

/*
 * The watch over arrival: whether what the service acknowledged can be found in the project.
 *
 * WHY. The batch endpoint answers a plain Ok while it drops what is over a quota, and under a key of no project. Only a
 * question to the project shows it.
 *
 * HOW. Of the acknowledged batches, a few events are kept as samples, for each meter apart, since each has its own
 * quota. Each minute one query asks which of them the project holds. A sample that has arrived settles all that were
 * acknowledged before it. If the oldest of those left was acknowledged longer than `waitMs` ago, nothing that was sent
 * in that time has arrived: the run pauses. History takes a slow lane in the service, so the time is long.
 *
 * WHAT IT PROVES. That the service still takes this import's events, not that it has them all: `verify` does that.
 *
 * OVER SEVERAL RUNS. The samples that are left go into the checkpoint, so that a chain of runs that are each shorter
 * than `waitMs` is watched like one run. The run that pauses leaves a doubt instead: the next run sends a first batch,
 * and no more until it has arrived. So a job that is run again each hour while a quota is over loses a batch an hour.
 */

/** An acknowledged event that is looked for in the project. */
export interface ArrivalSample {
  readonly meter: Meter
  /** When the service acknowledged it, in ms since the epoch. */
  readonly at: number
  readonly day: string
  readonly event: string
  readonly uuid: string
}

/** What a watch hands on to that of the next run. */
interface WatchState {
  readonly unseen: ArrivalSample[]
  /** The run paused because nothing arrived. */
  readonly doubt: boolean
  /** When a run of the import last ended over the project's quota (ISO time): events of it may be lost. */
  readonly over_quota_at?: string | undefined
}

interface ArrivalWatchOptions {
  /** Asks the project which of these events it holds. Throws a PosthaulError. */
  readonly ask: (samples: readonly ArrivalSample[]) => Promise<ReadonlySet<string>>
  readonly waitMs: number
  /** The first UTC day that the project shows; undefined: it shows all. */
  readonly shownFrom?: string | undefined
  /** Tells the user, and whoever asks, whether the project is over its quota of events. */
  readonly isOver?: (() => Promise<boolean>) | undefined
  readonly clock: Clock
  readonly note: (text: string) => void
}

/** No event has this uuid: a question about it shows whether the project can be asked at all. */
const NOBODY: ArrivalSample = {
  meter: 'events',
  at: 0,
  day: '2000-01-01',
  event: '-',
  uuid: '00000000-0000-0000-0000-000000000000',
}
/** The service allows 2,400 questions an hour. */
const LEAST_PAUSE_MS = 2 * MS_PER_SECOND
/** Samples of each meter in the time of the wait. */
const SAMPLES = 30
/** Events of a batch that are looked at for samples. */
const LOOKS = 8

/** Watches that what is sent arrives. */
export class ArrivalWatch {
  readonly #options: ArrivalWatchOptions
  #samples: ArrivalSample[] = []
  #sampled = false
  #seen = false
  #doubt = false
  /** True once the run is to pause: what is acknowledged after that leaves no samples, else the next run would pause at once. */
  #paused = false
  /** Why the project could not be asked, and since when, by the clock that never goes back. */
  #silence: { readonly since: number; readonly why: string } | undefined
  #told = false
  #overAt: string | undefined

  constructor(options: ArrivalWatchOptions) {
    this.#options = options
  }

  /** The samples that have not arrived so far, oldest first, and whether that is a reason to wait. */
  get state(): WatchState {
    const over = this.#overAt === undefined ? {} : { over_quota_at: this.#overAt }
    return { unseen: [...this.#samples], doubt: this.#doubt, ...over }
  }

  /** Whether any sample has arrived. Undefined if there was none. */
  get seen(): boolean | undefined {
    return this.#sampled ? this.#seen : undefined
  }

  /** Goes on from the state of the run before, and makes sure that the project can be asked. Throws as `look` does. */
  async begin(
    { unseen, doubt, over_quota_at: over }: WatchState = { unseen: [], doubt: false },
  ): Promise<void> {
    this.#overAt = over
    // The project shows less each day.
    this.#samples = unseen.filter((sample) => this.#isShown(sample))
    this.#sampled = this.#samples.length > 0
    this.#doubt = doubt
    if (doubt)
      this.#options.note(
        'nothing arrived in the run before: one batch goes first, the rest when it has arrived',
      )
    if (!this.#sampled) await this.#ask([NOBODY])
    else await this.look()
  }

  /** Takes samples of a batch that the service acknowledged, without the events that it refused. */
  delivered(batch: Batch, refused: readonly Reject[]): void {
    if (this.#paused) return
    const at = this.#options.clock.wall()
    const spacing = this.#options.waitMs / SAMPLES
    const step = Math.max(1, Math.floor(batch.events / LOOKS))
    for (let index = 0; index < batch.events; index += step) {
      const { offset, file } = batch.sourceOf(index)
      if (refused.some((reject) => reject.offset === offset && reject.file === file)) continue
      const { uuid, timestamp, event, properties } = JSON.parse(batch.textOf(index)) as EventLine
      const day = timestamp.slice(0, 10)
      if (!this.#isShown({ day })) continue
      const meter = meterOf(event, properties)
      const last = this.#samples.findLast((sample) => sample.meter === meter)
      if (meter === undefined || (last && Math.abs(at - last.at) < spacing)) continue
      this.#sampled = true
      this.#samples.push({ meter, at, day, event, uuid: uuid.toLowerCase() })
    }
  }

  /** Resolves when the next batch may be sent, or `halt` aborts: after a doubt, once the first batch has arrived. */
  async cleared(halt: AbortSignal): Promise<void> {
    while (this.#doubt && this.#samples.length > 0 && !halt.aborted) {
      await this.#options.clock.sleep(LEAST_PAUSE_MS, halt)
    }
  }

  /** The error of a run whose time was up while it waited for the first batch; undefined if there is no doubt. */
  get unsettled(): PosthaulError | undefined {
    if (!this.#doubt) return undefined
    return new PosthaulError(
      'the time given by --stop-after has passed, and what was sent has not arrived yet',
      { code: 'paused', hint: HELP },
    )
  }

  /** Asks each minute until `signal` aborts. Throws as `look` does. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, waitMs } = this.#options
    const pause = Math.max(LEAST_PAUSE_MS, Math.min(MS_PER_MINUTE, waitMs / 2))
    for (;;) {
      await clock.sleep(pause, signal)
      if (signal.aborted) return
      await this.look()
    }
  }

  /**
   * Asks once. Throws `paused` if nothing that was sent in the last `waitMs` has arrived, and `auth` if the project
   * refuses the question.
   */
  async look(): Promise<void> {
    const asked = this.#samples
    if (asked.length === 0) return
    const found = await this.#ask(asked)
    if (found) this.#settle(asked.filter(({ uuid }) => found.has(uuid)))
    this.#judge()
  }

  /** Asks at the end of a run whether the project is over its quota: until it has caught up no sample would tell. */
  async end(): Promise<void> {
    const { isOver, clock } = this.#options
    if (await isOver?.()) this.#overAt = new Date(clock.wall()).toISOString()
  }

  /** Forgets all samples that were acknowledged before one that has arrived. */
  #settle(arrived: readonly ArrivalSample[]): void {
    if (arrived.length === 0) return
    this.#seen = true
    this.#doubt = false
    const latest = new Map<Meter, ArrivalSample>()
    for (const sample of arrived) latest.set(sample.meter, sample)
    this.#samples = this.#samples.filter((sample) => {
      const settled = latest.get(sample.meter)
      return !settled || this.#samples.indexOf(sample) > this.#samples.indexOf(settled)
    })
  }

  #isShown({ day }: Pick<ArrivalSample, 'day'>): boolean {
    return day >= (this.#options.shownFrom ?? '')
  }

  #judge(): void {
    const { clock, waitMs } = this.#options
    const now = clock.wall()
    const late = this.#samples.find(({ at }) => now - at >= waitMs)
    if (!late) return
    // One failed question proves nothing: a laptop that wakes up has no network yet.
    if (this.#silence && clock.now() - this.#silence.since < waitMs) return
    this.#samples = []
    this.#doubt = true
    this.#paused = true
    throw this.#silence ? unheard(this.#silence.why) : missing(late)
  }

  async #ask(samples: readonly ArrivalSample[]): Promise<ReadonlySet<string> | undefined> {
    try {
      const found = await this.#options.ask(samples)
      this.#silence = undefined
      return found
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
      if (error.code !== 'unavailable') throw refusal(error)
      this.#silence ??= { since: this.#options.clock.now(), why: error.message }
      if (!this.#told)
        this.#options.note(`could not ask whether events arrive: ${error.message}; asking again`)
      this.#told = true
      return undefined
    }
  }
}

interface EventLine {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>>
}

const HELP =
  'over quota, the service says Ok and drops events: look at the billing page, then run the same command again'
const OFF = 'to send on all the same set POSTHAUL_ARRIVAL_WAIT=0'

function missing({ meter, at }: ArrivalSample): PosthaulError {
  const since = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return new PosthaulError(
    `nothing ${METER_WORDS[meter]} sent since ${since} UTC has arrived in the project, though the service acknowledged it`,
    {
      code: 'paused',
      hint: `over quota, the service says Ok and drops events: look at the billing page. What was sent since then may be lost: posthaul verify says which, once ingestion has caught up. A service that lags more needs a longer POSTHAUL_ARRIVAL_WAIT; ${OFF}`,
    },
  )
}

function unheard(why: string): PosthaulError {
  return new PosthaulError(`could not ask whether events arrive, for as long as an import waits: ${why}`, {
    code: 'paused',
    hint: `run the same command again when the service answers; ${OFF}`,
  })
}

function refusal(error: PosthaulError): PosthaulError {
  const hint = [error.hint, OFF].filter(Boolean).join('; ')
  return new PosthaulError(`could not ask whether events arrive: ${error.message}`, {
    code: 'auth',
    hint,
    cause: error,
  })
}

/** The quotas of the service: each of these kinds of event has its own. */
export const METERS = ['events', 'exceptions', 'surveys', 'ai'] as const
export type Meter = (typeof METERS)[number]

/** The meters in the user's words. */
const METER_WORDS: Readonly<Record<Meter, string>> = {
  events: 'of the events',
  exceptions: 'of the $exception events',
  surveys: 'of the survey events',
  ai: 'of the $ai_ events',
}

const SURVEYS = /^survey (?:sent|shown|dismissed)$/

/** The meter that an event counts on. Undefined for events that a query of `events` may not find, though they arrived. */
export function meterOf(event: string, properties: Readonly<Record<string, unknown>>): Meter | undefined {
  if (event === '$exception') return 'exceptions'
  if (event.startsWith('$ai_')) return 'ai'
  if (SURVEYS.test(event)) return properties.$product_tour_id === undefined ? 'surveys' : 'events'
  return event === APART_EVENT || event.startsWith('$$') || event.startsWith('$snapshot')
    ? undefined
    : 'events'
}
