import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { PosthaulError } from '../errors.ts'
import { Backoff } from '../http/backoff.ts'
import type { Clock } from '../http/clock.ts'
import { formatReject } from '../record/reject.ts'
import { VERSION } from '../version.ts'
import type { Account } from './account.ts'
import type { ArrivalWatch } from './arrival-watch.ts'
import type { Envelope } from './batch.ts'
import { Batcher, type BatchLimits } from './batcher.ts'
import { volumeReached, youngSince } from './caps.ts'
import { type CheckpointState, idOf } from './checkpoint.ts'
import { CheckpointWriter, type Snapshot } from './checkpoint-writer.ts'
import { Intake, readInput } from './intake.ts'
import { Lanes } from './lanes.ts'
import type { LineReader } from './line-reader.ts'
import { Notices } from './notices.ts'
import type { Outcome, Progress } from './outcome.ts'
import { Pacer } from './pacer.ts'
import { earliest, latest, type Place } from './place.ts'
import { type Resumed, type ResumeOptions, resume } from './resume.ts'
import { type Post, Sender, timeUpInOutage } from './sender.ts'
import { Tally } from './tally.ts'
import { guarded, openAccount, type Turn } from './turn.ts'

export interface RunOptions extends ResumeOptions {
  readonly turn: Turn
  readonly reader: LineReader
  readonly envelope: Envelope
  readonly post: Post
  readonly limits: BatchLimits
  readonly caps: { readonly perMinute: number; readonly events: number; readonly approved: boolean }
  readonly retryForMs: number
  /** Ends the run after this many milliseconds. */
  readonly stopAfterMs: number | undefined
  readonly clock: Clock
  readonly random: () => number
  readonly interrupted: AbortSignal
  readonly retrying: (reason: string, waitMs: number) => void
  /** Asks whether what is sent arrives. Undefined if no one can be asked. */
  readonly watch?: ArrivalWatch | undefined
}

/** One run of an import. It begins where the last one stopped, and ends at the end, a cap, a failure or a signal. */
export class ImportRun {
  readonly #options: RunOptions
  readonly #resumed: Resumed
  readonly #tally: Tally
  readonly #lanes: Lanes
  readonly #batcher: Batcher
  readonly #intake: Intake
  readonly #sender: Sender
  readonly #pacer: Pacer
  readonly #writer: CheckpointWriter
  readonly #halt = new AbortController()
  readonly #id: string
  readonly #startedAt: string
  readonly #account: Account
  #error: unknown
  #timeIsUp = false
  #done = false
  readonly #notices: Notices
  #tail: CheckpointState['tail']

  private constructor(options: RunOptions, resumed: Resumed, account: Account, id: string) {
    const { lanes, caps, clock, random, retryForMs, limits, envelope, turn } = options
    const post = guarded(options.post, turn)
    this.#options = options
    // Each lane may listen to it. Node's warning about many listeners is meant for leaks.
    setMaxListeners(0, this.#halt.signal)
    this.#resumed = resumed
    this.#account = account
    this.#id = id
    this.#startedAt = resumed.state?.started_at ?? new Date(clock.wall()).toISOString()
    this.#tail = resumed.state?.tail
    this.#tally = new Tally(resumed.state)
    this.#notices = new Notices(options.note)
    this.#lanes = new Lanes(lanes, this.#halt.signal)
    this.#pacer = new Pacer({ perMinute: caps.perMinute, lanes, mostLanes: account.mostLanes }, clock.now)
    const pacer = this.#pacer
    const backoff = new Backoff({ retryForMs, clock, random })
    const hasDelivered = this.#tally.delivered > 0
    this.#sender = new Sender({ post, pacer, backoff, clock, hasDelivered, retrying: options.retrying })
    const most = { ...limits, events: Math.min(limits.events, pacer.burst) }
    const youngFrom = youngSince(clock.wall())
    this.#batcher = new Batcher({ lanes, limits: most, envelope, youngFrom }, (batch) => {
      // Packing begins now, on the thread pool, while earlier batches are sent.
      if (batch.events > 0) void batch.packed((body) => post.pack(body))
      this.#lanes.push(batch)
    })
    this.#intake = new Intake({
      reader: options.reader,
      batcher: this.#batcher,
      places: resumed.places,
      take: () => account.take(),
    })
    this.#writer = new CheckpointWriter({
      state: options.state,
      rejects: resumed.rejects,
      clock,
      look: turn.lookAtState,
      snapshot: () => this.#snapshot(),
      failed: (error) => this.#stop(error),
    })
  }

  /** Loads and checks the import's state. Throws `mismatch` if going on would lose, double or bend an event. */
  static async open(options: RunOptions): Promise<ImportRun> {
    const resumed = await resume(options)
    const id = resumed.state ? idOf(resumed.state) : randomUUID()
    return new ImportRun(options, resumed, await openAccount(options, resumed, id), id)
  }

  get progress(): Progress {
    const { source } = this.#options
    return {
      totalBytes: source.totalBytes,
      doneBytes: source.bytesBefore(earliest(this.#places())),
      delivered: this.#tally.delivered,
      rejected: this.#tally.rejected,
    }
  }

  /** Runs until the end, or until the first reason to stop, which the outcome then has. */
  async run(): Promise<Outcome> {
    const { interrupted, source, watch } = this.#options
    const ended = new AbortController()
    const onInterrupt = () => {
      this.#notices.draining()
      this.#stop(new PosthaulError('interrupted; the state is saved', { code: 'interrupted' }))
    }
    interrupted.addEventListener('abort', onInterrupt)
    if (interrupted.aborted) onInterrupt()
    this.#stopInTime(ended.signal)
    try {
      // Before the first event is sent, the checkpoint says where it goes and how long the rejects file is.
      await this.#writer.flush()
      await watch?.begin(this.#resumed.state?.arrival)
      void watch?.run(ended.signal).catch((error: unknown) => this.#stop(error))
      this.#notices.foresee(source.events, this.#account.room + this.#tally.delivered)
      await this.#deliver()
      const { outage } = this.#sender
      if (this.#timeIsUp && outage !== undefined) this.#stop(timeUpInOutage(outage))
      if (this.#timeIsUp && watch?.unsettled) this.#stop(watch.unsettled)
      if (this.#error === undefined) await watch?.look().catch((error: unknown) => this.#stop(error))
      if (this.#error === undefined && !this.#timeIsUp) await this.#finish()
      await this.#writer.flush()
    } catch (error) {
      this.#stop(error)
    } finally {
      ended.abort()
      interrupted.removeEventListener('abort', onInterrupt)
      await this.#resumed.rejects.close()
    }
    await this.#settle()
    return this.#outcome()
  }

  async #deliver(): Promise<void> {
    const { source, lanes: count } = this.#options
    const [intake, batcher, lanes, halt] = [this.#intake, this.#batcher, this.#lanes, this.#halt.signal]
    const sending = Array.from({ length: count }, (_, lane) =>
      this.#sendLane(lane).catch((error: unknown) => this.#stop(error)),
    )
    const look = () => this.#notices.look(intake, batcher)
    const ensure = (lines: number) => this.#account.ensure(lines, this.#tally.delivered)
    const fault = await readInput({ source, intake, batcher, lanes, halt, ensure, look }).then(
      () => (intake.capped ? volumeReached(this.#options.caps.events) : undefined),
      (error: unknown) => error,
    )
    await Promise.all(sending)
    this.#error ??= fault
  }

  async #sendLane(lane: number): Promise<void> {
    const halt = this.#halt.signal
    for (;;) {
      const batch = await this.#lanes.next(lane)
      await this.#options.watch?.cleared(halt)
      const refused = batch && (await this.#sender.send(batch, halt))
      if (!batch || !refused) return
      // No await between these four: a snapshot must see all of them or none.
      this.#tally.acknowledge(batch, refused)
      this.#options.watch?.delivered(batch, refused)
      this.#lanes.shift(lane)
      this.#batcher.recycle(batch)
      await this.#writer.record([...batch.rejects, ...refused.map(formatReject)])
    }
  }

  /** Called when all is acknowledged. Records the reject of a last line without its line end, if there is one. */
  async #finish(): Promise<void> {
    const { tail } = this.#intake
    if (tail) {
      await this.#writer.flush()
      const { reason } = tail.reject
      this.#tail = { place: tail.place, reason, rejects: this.#resumed.rejects.digest }
      this.#tally.reject(reason)
      this.#intake.passTail()
      await this.#writer.record([formatReject(tail.reject)])
    }
    this.#done = true
  }

  /** Gives back what was claimed of the volume cap. A run whose place is taken has nothing to say any more. */
  async #settle(): Promise<void> {
    if (this.#error instanceof PosthaulError && this.#error.code === 'locked') return
    // Events of requests without an answer may have arrived: each lane has one under way.
    const { burst } = this.#pacer
    const inDoubt = this.#done ? 0 : Math.min(this.#lanes.records, this.#options.lanes * burst)
    await this.#account
      .settle(this.#tally.delivered, inDoubt, this.#done)
      .catch((error: unknown) => this.#stop(error))
  }

  #stop(error: unknown): void {
    this.#error ??= error
    this.#halt.abort()
  }

  #stopInTime(ended: AbortSignal): void {
    const { stopAfterMs, clock } = this.#options
    if (stopAfterMs === undefined) return
    void clock.sleep(stopAfterMs, ended).then(() => {
      if (ended.aborted) return
      this.#timeIsUp = true
      this.#halt.abort()
    })
  }

  #places(): Place[] {
    const { frontier } = this.#intake
    const begun = this.#lanes.first(this.#batcher.open)
    // A lane that resumed ahead of the others keeps its place until reading reaches it, so nothing is counted twice.
    return this.#resumed.places.map((resumed, lane) => begun[lane]?.from ?? latest([resumed, frontier]))
  }

  #snapshot(): Snapshot {
    const { source, target, caps, groupEventName, watch } = this.#options
    const { delivered, rejected, filtered, young, reasons, filters, notes } = this.#tally
    return {
      version: 1,
      tool: `posthaul ${VERSION}`,
      id: this.#id,
      started_at: this.#startedAt,
      input: source.identity(),
      target,
      caps: { events_per_minute: caps.perMinute, events: caps.events, approved: caps.approved },
      group_event_name: groupEventName,
      rules: this.#resumed.rules,
      places: this.#places(),
      most_lanes: this.#resumed.mostLanes,
      counts: { delivered, rejected, filtered },
      delivered_before_restart: this.#resumed.deliveredBeforeRestart,
      // These are copies: the counts change while the snapshot is written.
      reasons: { ...reasons },
      filters: { ...filters },
      young,
      notes: structuredClone(notes),
      ...(this.#tail && { tail: this.#tail }),
      ...(watch && { arrival: watch.state }),
      done: this.#done,
    }
  }

  #outcome(): Outcome {
    const { delivered, rejected, filtered, before } = this.#tally
    const { events } = this.#options.source
    const { totalBytes, doneBytes } = this.progress
    const open = this.#batcher.open.reduce((sum, batch) => sum + (batch?.records ?? 0), 0)
    const tail = this.#intake.tail ? 1 : 0
    return {
      counts: {
        read: before.delivered + before.rejected + before.filtered + this.#intake.read,
        written: delivered,
        rejected,
        filtered,
        duplicate: 0,
        pending: this.#lanes.records + open + tail,
      },
      deliveredNow: delivered - before.delivered,
      rejectedNow: rejected - before.rejected,
      tally: this.#tally,
      rejectsLeft: this.#resumed.rejects.digest.bytes > 0,
      tornTail: this.#tail !== undefined,
      arrived: this.#options.watch?.seen,
      stoppedInTime: this.#timeIsUp && !this.#done && this.#error === undefined,
      left: {
        events: events && events - delivered - rejected - filtered,
        bytes: this.#done ? 0 : totalBytes - doneBytes,
      },
      migration: { events: this.#account.counted, since: this.#account.since },
      error: this.#error,
    }
  }
}
