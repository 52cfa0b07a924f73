import { PosthaulError } from '../errors.ts'
import { readHead } from '../record/head.ts'
import { LineFramer } from '../record/lines.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import type { LineLog, OpenLog } from '../state/line-log.ts'
import type { Account } from './account.ts'
import type { Batch, Envelope } from './batch.ts'
import { Batcher, type BatchLimits } from './batcher.ts'
import type { CheckpointState } from './checkpoint.ts'
import { volumeReached } from './pacer.ts'
import { START } from './place.ts'
import type { Remarks } from './route.ts'
import type { Sender } from './sender.ts'

/*
 * The events that an import makes itself, beside those of its input: the `$groupidentify` that makes a group type, the
 * `$set` that puts a person right. They are event lines of the usual form, whose uuids are functions of what they say.
 *
 * WHAT IT PROVES. `<name>.own.ndjson`, beside the checkpoint, holds every own event that may have been sent, in the
 * order of sending; in a bucket it is an object. The checkpoint holds the length and hash of these lines (`own.file`),
 * and up to which byte the service has taken them (`own.sent`). `verify` expects the lines that the checkpoint counts.
 *
 * HOW IT IS WRITTEN. Lines are appended and fsynced. Then the checkpoint that counts them is saved. Only then are they
 * sent: by the sender of the run, so by its pace, its retries and its route, and counted in the ledger as all events are.
 * What the service has taken is in the next checkpoint.
 *
 * IF THE PROCESS OR THE MACHINE DIES …
 *   while lines are appended            no checkpoint counts them, and none was sent: the next run cuts them off
 *   before the checkpoint is saved      the same
 *   after that, before they are sent    the next run sends them, before anything else
 *   after they are sent, before a save  the same: they go out again as the same events, and merge
 *   and the user moves the file away    what it held is not sent again, and `verify` does not know it
 * The code that makes own events may be killed between two of them too. It makes the same ones again: `sendOnce` finds a
 * line in the file; where it is there twice all the same it is one event, and `verify` takes it for one.
 *
 * AFTER --restart INTO THE SAME PROJECT the file stays, since its events are in the project; what was not known to be
 * taken is sent again. Into another project it is moved aside, as the rejects are.
 *
 * WHAT IT REFUSES. A file that is there before the import has begun, and one that has changed: exit 6. An own event that
 * the service refuses stops the run (exit 5): it is no record of the user's, so it can't be a reject. A `$groupidentify`
 * that it stores without its group stops the run too: the group type is not made, so no event after it would show a group.
 * A `$set` that changed no person is counted among the remarks, as those of the input are.
 */

/** What a checkpoint says of the own events. */
export type OwnSaved = CheckpointState['own']

interface OwnEventsOptions {
  readonly kept: LineLog
  readonly lines: OpenLog
  readonly saved: OwnSaved
  readonly sender: Sender
  readonly envelope: Envelope
  readonly limits: BatchLimits
  readonly account: Pick<Account, 'ensure' | 'take'>
  readonly maxEvents: number
  /** How many events of the input the service has taken. */
  readonly delivered: () => number
  /** Saves the checkpoint, with what `saved` says now. */
  readonly save: () => Promise<void>
  /** Counts what the service said of events that it took. */
  readonly remark: (remarks: Remarks) => void
}

/** Something that an import does by events of its own. It ends early, without an error, when `halt` aborts. */
export type OwnWork = (own: OwnEvents, halt: AbortSignal) => Promise<void>

/** The most lines that are read back and sent again at once. */
const AT_ONCE = 1000

/** Sends the import's own events, each after it is safe in the state. */
export class OwnEvents {
  readonly #options: OwnEventsOptions
  /** Of the file: the bytes of lines that the service has taken. */
  #sent: number
  /** Own events that the service has taken from this import; those before a restart are another's. */
  events: number
  /** Lines that may have been sent, and are not known to be taken. */
  inDoubt = 0
  /** The size of the input that `once` has prepared. */
  #prepared: number | undefined

  constructor(options: OwnEventsOptions) {
    const { saved, lines } = options
    this.#options = options
    this.#sent = Math.min(saved.sent, lines.digest.bytes)
    this.events = saved.events
    this.#prepared = saved.prepared
  }

  /** For the checkpoint. */
  get saved(): OwnSaved {
    const prepared = this.#prepared
    return {
      file: this.#options.lines.digest,
      sent: this.#sent,
      events: this.events,
      ...(prepared !== undefined && { prepared }),
    }
  }

  /**
   * Sends event lines, without line ends, in requests of one UTC day; those of one call may share a request. Resolves to
   * false if `halt` aborts first: the next run sends the rest. Throws if the run has to stop.
   */
  async send(lines: readonly Buffer[], halt: AbortSignal): Promise<boolean> {
    await this.#options.lines.append(lines.map((line) => `${line.toString('utf8')}\n`))
    await this.#options.save()
    return this.#deliver(lines, halt)
  }

  /** As `send`, of one line. What an earlier run sent goes out again, but is in the file, and in the count, once. */
  async sendOnce(line: Buffer, halt: AbortSignal): Promise<boolean> {
    return (await this.#holds(line)) ? this.#deliver([line], halt, true) : this.send([line], halt)
  }

  /**
   * Does what is to be done once, before the first event, and again when the input has grown beyond `size` bytes. Not in
   * the midst of an import that was begun without it: what it prepares may have begun already.
   */
  async once(work: OwnWork, size: number, halt: AbortSignal): Promise<void> {
    const { delivered, save } = this.#options
    const isDue = this.#prepared === undefined ? delivered() === 0 : this.#prepared < size
    if (!isDue || halt.aborted) return
    await work(this, halt)
    if (halt.aborted) return
    this.#prepared = size
    await save()
  }

  /** Sends what an earlier run was about to send, or sent without knowing what became of it. As `send`. */
  async resend(halt: AbortSignal): Promise<boolean> {
    const { digest } = this.#options.lines
    const held: Buffer[] = []
    const known = this.#sent
    const hold = (line: Buffer, offset: number) => {
      if (offset >= known) held.push(Buffer.from(line))
    }
    for await (const _ of known < digest.bytes ? this.#read(hold) : []) {
      while (held.length >= AT_ONCE) {
        if (!(await this.#deliver(held.splice(0, AT_ONCE), halt))) return false
      }
    }
    return this.#deliver(held, halt)
  }

  async #holds(wanted: Buffer): Promise<boolean> {
    let found = false
    const compare = (line: Buffer) => {
      found ||= line.equals(wanted)
    }
    for await (const _ of this.#read(compare)) if (found) break
    return found
  }

  /** Reads the lines of the file, a chunk a step. */
  async *#read(line: (line: Buffer, offset: number) => void): AsyncGenerator<void> {
    const { kept, lines } = this.#options
    if (lines.digest.bytes === 0) return
    const framer = new LineFramer({
      line: (bytes, start, end, offset) => line(bytes.subarray(start, end), offset),
      tooLong: () => undefined,
    })
    for await (const chunk of kept.read(lines.digest)) {
      framer.push(chunk)
      yield
    }
  }

  /** `isAgain`: they are in the file, as sent and counted. */
  async #deliver(lines: readonly Buffer[], halt: AbortSignal, isAgain = false): Promise<boolean> {
    const { sender, account, delivered, maxEvents, remark } = this.#options
    for (const batch of this.#batchesOf(lines)) {
      await account.ensure(batch.events, delivered() + this.events)
      for (let n = 0; n < batch.events; n++) if (!account.take()) throw volumeReached(maxEvents)
      const sent = await sender.send(batch, halt)
      if (!sent) return false
      const [refused] = sent.refused
      if (refused) {
        this.inDoubt = batch.events - sent.refused.length
        throw this.#refused(refused.message)
      }
      if (sent.remarks && sent.remarks.unknown > 0) {
        throw this.#refused('its answer does not say whether it is stored')
      }
      if (!isAgain) {
        for (let n = 0; n < batch.events; n++) this.#sent += Buffer.byteLength(batch.textOf(n)) + 1
        this.events += batch.events
      }
      const [word] = Object.keys(sent.remarks?.warnings ?? {})
      if (word !== undefined && sent.remarks?.unmerged[GROUP_EVENT]) {
        await this.#options.save()
        throw noGroupMade(word)
      }
      if (sent.remarks) remark(sent.remarks)
    }
    if (lines.length > 0) await this.#options.save()
    return true
  }

  #batchesOf(lines: readonly Buffer[]): readonly Batch[] {
    const { envelope, limits, kept } = this.#options
    const batches: Batch[] = []
    const batcher = new Batcher(
      { lanes: 1, limits, envelope, youngFrom: Number.POSITIVE_INFINITY },
      (batch) => batches.push(batch),
    )
    for (const [n, line] of lines.entries()) {
      const head = readHead(line, 0, line.length)
      if (!head) throw new Error('an own event is not an event line')
      const source = { offset: 0, line: n + 1, file: kept.path, record: undefined }
      batcher.event(0, START, { head, bytes: line, start: 0, end: line.length, source })
    }
    batcher.flush()
    return batches
  }

  #refused(reason: string): PosthaulError {
    return new PosthaulError(`the service refused an event that this import made itself: ${reason}`, {
      code: 'paused',
      hint: `it is in ${this.#options.kept.path}, and the next run sends it again; what was taken is saved`,
    })
  }
}

/** Whoever needs the group sends the event again in the next run. */
function noGroupMade(word: string): PosthaulError {
  return new PosthaulError(
    `the service stored the event that makes a group type, but made no group of it: ${word}`,
    {
      code: 'paused',
      hint:
        'none of the input was sent after it, since its events would not show their groups. Run the same command again ' +
        "later; if that says the same, ask the service's support why the project's groups are not processed",
    },
  )
}
