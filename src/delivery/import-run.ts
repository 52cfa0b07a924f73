import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { PosthaulError } from '../errors.ts'
import { untilAborted } from '../http/clock.ts'
import { formatReject } from '../record/reject.ts'
import { sum } from '../text/lists.ts'
import { VERSION } from '../version.ts'
import type { Account } from './account.ts'
import type { Batcher } from './batcher.ts'
import type { CheckpointState } from './checkpoint.ts'
import { type CheckpointSnapshot, CheckpointWriter } from './import-state.ts'
import { type Intake, readInput } from './intake.ts'
import { dispatch, type Lanes } from './lanes.ts'
import { Notices } from './notices.ts'
import { type DeliveryOutcome, DeliveryTally, type ImportProgress } from './outcome.ts'
import { OwnEvents } from './own-events.ts'
import { volumeReached } from './pacer.ts'
import { earliest, latest, type Place } from './place.ts'
import { type Resumed, resume } from './resume.ts'
import type { Sent } from './route.ts'
import { openAccount, type RunOptions, runParts } from './run-parts.ts'
import type { Sender } from './sender.ts'

/** One run of an import. It begins where the last one stopped, and ends at the end, a cap, a failure or a signal. */
export class ImportRun {
  readonly #options: RunOptions
  readonly #resumed: Resumed
  readonly #tally: DeliveryTally
  readonly #lanes: Lanes
  readonly #batcher: Batcher
  readonly #intake: Intake
  readonly #sender: Sender
  readonly #writer: CheckpointWriter
  readonly #halt = new AbortController()
  readonly #id: string
  readonly #startedAt: string
  readonly #account: Account
  readonly #own: OwnEvents
  #error: unknown
  #timeIsUp = false
  #unsent = false
  #done = false
  readonly #notices: Notices
  #tail: CheckpointState['tail']

  private constructor(options: RunOptions, resumed: Resumed, account: Account, id: string) {
    const { caps, clock, envelope, turn } = options
    this.#options = options
    // Each lane may listen to it. Node's warning about many listeners is meant for leaks.
    setMaxListeners(0, this.#halt.signal, options.drain.over)
    this.#halt.signal.addEventListener('abort', () => options.drain.begin())
    this.#resumed = resumed
    this.#account = account
    this.#id = id
    this.#startedAt = resumed.state?.started_at ?? new Date(clock.wall()).toISOString()
    this.#tail = resumed.state?.tail
    this.#tally = new DeliveryTally(resumed.state)
    this.#notices = new Notices(options.note)
    const parts = runParts(options, resumed, account, this.#halt.signal)
    this.#lanes = parts.lanes
    this.#sender = parts.sender
    this.#batcher = parts.batcher
    this.#intake = parts.intake
    this.#writer = new CheckpointWriter({
      state: options.state,
      rejects: resumed.rejects,
      clock,
      look: turn.lookAtState,
      snapshot: () => this.#snapshot(),
      failed: (error) => this.#stop(error),
    })
    this.#own = new OwnEvents({
      ...resumed.own,
      kept: options.state.own,
      sender: this.#sender,
      envelope,
      limits: parts.limits,
      account,
      maxEvents: caps.events,
      delivered: () => this.#tally.delivered,
      save: () => this.#writer.flush(),
      remark: (remarks) => this.#tally.remark(remarks),
    })
  }

  /** Loads and checks the import's state. Throws `mismatch` if going on would lose, double or bend an event. */
  static async open(options: RunOptions): Promise<ImportRun> {
    const resumed = await resume(options)
    const id = resumed.state?.id ?? randomUUID()
    return new ImportRun(options, resumed, await openAccount(options, resumed, id), id)
  }

  get progress(): ImportProgress {
    const { source } = this.#options
    const { events } = source
    return {
      totalBytes: source.totalBytes,
      doneBytes: source.bytesBefore(earliest(this.#places())),
      delivered: this.#tally.delivered,
      rejected: this.#tally.rejected,
      ...this.#unconfirmed,
      pending: events === undefined ? undefined : events - this.#tally.settled,
    }
  }

  /** Runs until the end, or until the first reason to stop, which the outcome then has. */
  async run(): Promise<DeliveryOutcome> {
    const { interrupted, source, watch, once, before } = this.#options
    const halt = this.#halt.signal
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
      await this.#own.resend(halt)
      if (once) await this.#own.once(once, source.totalBytes, halt)
      if (!halt.aborted) await before?.(this.#own, halt)
      if (!halt.aborted) await this.#deliver()
      const unsettled = this.#sender.unsettled ?? watch?.unsettled
      if (this.#timeIsUp && unsettled) this.#stop(unsettled)
      if (this.#error === undefined) await watch?.look().catch((error: unknown) => this.#stop(error))
      if (this.#error === undefined && !this.#timeIsUp) await this.#finish()
      // Capture V1 says itself what it drops.
      const isNews = this.#tally.delivered > this.#tally.before.delivered && this.#sender.via !== 'v1'
      if (isNews && !interrupted.aborted) await watch?.end()
      await this.#writer.flush()
    } catch (error) {
      this.#stop(error)
    } finally {
      await this.#sayIfUnsent()
      ended.abort()
      interrupted.removeEventListener('abort', onInterrupt)
      await this.#resumed.rejects.close()
      await this.#resumed.own.lines.close()
    }
    await this.#settle()
    return this.#outcome()
  }

  async #deliver(): Promise<void> {
    const { source, watch, drain } = this.#options
    const [intake, batcher, lanes, halt] = [this.#intake, this.#batcher, this.#lanes, this.#halt.signal]
    const sending = dispatch({
      lanes,
      sender: this.#sender,
      watch,
      halt,
      acknowledge: (sent) => this.#acknowledge(sent),
      stop: (error) => this.#stop(error),
    })
    const look = () => this.#notices.look(intake, batcher)
    const ensure = (lines: number) => this.#account.ensure(lines, this.#taken)
    const reading = readInput({ source, intake, batcher, lanes, halt, ensure, look }).then(
      () => undefined,
      (error: unknown) => error,
    )
    // An input in a bucket can hang. Lines that come after the end are not sent.
    const fault = await untilAborted(reading, drain.over)
    await sending
    // Reading is ahead: a run whose time is up before all of it is sent has not come to the cap.
    const isCapped = intake.capped && !(this.#timeIsUp && lanes.records > 0)
    this.#error ??= fault ?? (isCapped ? volumeReached(this.#options.caps.events) : undefined)
  }

  #acknowledge({ batch, refused, remarks }: Sent): Promise<void> {
    // No await between these: a snapshot must see all of them or none.
    this.#tally.acknowledge(batch, refused, remarks)
    this.#options.watch?.delivered(batch, refused)
    this.#options.settled?.({ batch, refused })
    this.#batcher.recycle(batch)
    return this.#writer.record([...batch.rejects, ...refused.map(formatReject)])
  }

  /** All events that the service has taken from this import. */
  get #taken(): number {
    return this.#tally.delivered + this.#own.events
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
    this.#tally.assertSettled(this.#options.source)
    await this.#options.after?.(this.#own, this.#halt.signal)
    this.#done = !this.#halt.signal.aborted
  }

  /** Saves that nothing was sent, if so. Before the end of a run, every checkpoint says that something may have been. */
  async #sayIfUnsent(): Promise<void> {
    const settled = this.#taken + this.#tally.rejected + this.#inDoubt
    this.#unsent = settled === 0 && this.#resumed.state === undefined && !this.#done
    if (this.#unsent) await this.#writer.flush().catch((error: unknown) => this.#stop(error))
  }

  /** Events of requests without an answer may have arrived. Of those held, some have. */
  get #inDoubt(): number {
    return this.#done ? 0 : this.#sender.inDoubt + this.#lanes.takenAndHeld + this.#own.inDoubt
  }

  /** Gives back what was claimed of the volume cap. A run whose place is taken has nothing to say any more. */
  async #settle(): Promise<void> {
    if (this.#error instanceof PosthaulError && this.#error.code === 'locked') return
    await this.#account
      .settle(this.#taken, this.#inDoubt, this.#done)
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

  #snapshot(): CheckpointSnapshot {
    const { source, target, caps, watch, command } = this.#options
    return {
      tool: `posthaul ${VERSION}`,
      id: this.#id,
      started_at: this.#startedAt,
      input: source.identity(),
      target: { host: target.host, key: target.key },
      caps: { events_per_minute: caps.perMinute, events: caps.events, approved: caps.approved },
      via: this.#sender.via,
      rules: this.#resumed.rules,
      command: [...command],
      places: this.#places(),
      most_lanes: this.#resumed.mostLanes,
      ...this.#tally.saved,
      own: this.#own.saved,
      ...(this.#tail && { tail: this.#tail }),
      ...(watch && { arrival: watch.state }),
      done: this.#done,
      ...(this.#unsent && { unsent: true as const }),
    }
  }

  /** Only Capture V1 leaves any. */
  get #unconfirmed(): Pick<DeliveryOutcome['counts'], 'unconfirmed'> {
    const { unconfirmed } = this.#tally
    return this.#sender.via === 'batch' && unconfirmed === 0 ? {} : { unconfirmed }
  }

  #outcome(): DeliveryOutcome {
    const { delivered, rejected, filtered, before } = this.#tally
    const { events } = this.#options.source
    const { totalBytes, doneBytes } = this.progress
    const open = sum(this.#batcher.open, (batch) => batch?.records ?? 0)
    // How many events a dataset has is known before they are read; how many lines a file has is not.
    const [read, pending] =
      events === undefined
        ? [
            before.delivered + before.rejected + before.filtered + this.#intake.read,
            this.#lanes.records + open + (this.#intake.tail ? 1 : 0),
          ]
        : [events, events - this.#tally.settled]
    return {
      counts: { read, written: delivered, rejected, filtered, duplicate: 0, pending, ...this.#unconfirmed },
      deliveredNow: delivered - before.delivered,
      ownEvents: this.#own.events,
      rejectedNow: rejected - before.rejected,
      tally: this.#tally,
      rejectsLeft: this.#resumed.rejects.digest.bytes > 0,
      tornTail: this.#tail !== undefined,
      arrived: this.#options.watch?.seen,
      via: this.#sender.via,
      stoppedInTime: this.#timeIsUp && !this.#done && this.#error === undefined,
      left: {
        events: events === undefined ? undefined : pending,
        bytes: this.#done ? 0 : totalBytes - doneBytes,
      },
      migration: { events: this.#account.counted, since: this.#account.since },
      error: this.#error,
    }
  }
}
