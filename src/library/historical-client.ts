import { PosthaulError } from '../errors.ts'
import type { ImportOrder } from '../imports/import-order.ts'
import { openSource } from '../imports/import-source.ts'
import { ingestSettings } from '../options/service-settings.ts'
import { zeroCounts } from '../record/counts.ts'
import { emptyNotes } from '../record/notes.ts'
import {
  eventLine,
  groupLine,
  type HistoricalEvent,
  type HistoricalGroup,
  type HistoricalPerson,
  personLine,
} from './client-events.ts'
import { type DeliveryOptions, deliver, type ImportOutcome, orderOf } from './import-events.ts'
import { Rejects } from './rejects.ts'
import { type Durability, Spool, spoolFile } from './spool.ts'

/** How a client is made. */
export interface HistoricalClientOptions extends Omit<DeliveryOptions, 'state' | 'signal'> {
  readonly projectKey: string
  /** Always true: the events are history, which the service takes apart from what happens now. */
  readonly historicalMigration: true
  /** A folder of this machine for the events until they are delivered, and for the state of their delivery. */
  readonly spool: string
  /** What a captured event survives. Default: `power-loss`; `kill` is faster where each call is awaited alone. */
  readonly durable?: Durability | undefined
}

/** What a single call takes. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends the events of the past. `capture` resolves when the event is on disk, in the spool; `flush` and `close` deliver the
 * spool as `posthaul import` delivers a file. A client that is made on the spool of a killed process goes on with what that one
 * captured. One client at a time has a spool.
 */
export class HistoricalClient {
  readonly #spoolFolder: string
  readonly #durable: Durability
  readonly #delivery: DeliveryOptions
  #spool: Promise<Spool> | undefined
  #isClosed = false
  #closing: Promise<ImportOutcome> | undefined
  /** Settles when the delivery under way ends. */
  #delivering: Promise<unknown> = Promise.resolve()

  /** Throws `usage` or `config` for options that can't hold. Opens no file. */
  constructor(options: HistoricalClientOptions) {
    const { historicalMigration, spool, durable = 'power-loss', ...delivery } = options
    if (historicalMigration !== true) {
      throw new PosthaulError('historicalMigration is not true: this client sends history only', {
        code: 'usage',
        hint: 'live events are for posthog-node; what is over 48 hours old goes here',
      })
    }
    if (typeof spool !== 'string' || spool === '' || spool.includes('://'))
      throw new PosthaulError('spool: name a folder on this machine', { code: 'usage' })
    if (durable !== 'power-loss' && durable !== 'kill')
      throw new PosthaulError("durable: expected 'power-loss' or 'kill'", { code: 'usage' })
    this.#spoolFolder = spool
    this.#durable = durable
    this.#delivery = delivery
    orderOf(this.#source, delivery)
  }

  /**
   * Keeps an event for delivery, and resolves when it is on disk. Code `input` for one that JSON can't hold exactly, whose
   * message names the member; code `unavailable` for a full disk. An event whose call rejected is not in the spool.
   */
  async capture(event: HistoricalEvent, { signal }: Abortable = {}): Promise<void> {
    await this.#keep(() => eventLine(event), signal)
  }

  /** Keeps the properties of a group, as a `$groupidentify`. */
  async groupIdentify(group: HistoricalGroup, { signal }: Abortable = {}): Promise<void> {
    await this.#keep(() => groupLine(group), signal)
  }

  /** Keeps the properties of a person; with an `anonymousId` as an `$identify` that links it, else as a `$set`. */
  async identify(person: HistoricalPerson, { signal }: Abortable = {}): Promise<void> {
    await this.#keep(() => personLine(person), signal)
  }

  /** Delivers what is in the spool by now. The client goes on. Rejects as `importEvents` does. */
  async flush({ signal }: Abortable = {}): Promise<ImportOutcome> {
    this.#assertOpen()
    return this.#deliver(signal)
  }

  /**
   * Delivers all of the spool, and gives it back. Rejects as `importEvents` does: what is not delivered stays in the spool, and
   * another `close`, or another client, goes on. Once it has resolved, it gives the same outcome again.
   */
  close({ signal }: Abortable = {}): Promise<ImportOutcome> {
    this.#isClosed = true
    this.#closing ??= this.#close(signal).catch((error: unknown) => {
      this.#closing = undefined
      throw error
    })
    return this.#closing
  }

  get #source() {
    return { files: [spoolFile(this.#spoolFolder)] }
  }

  async #keep(line: () => Buffer, signal: AbortSignal | undefined): Promise<void> {
    this.#assertOpen()
    const bytes = line()
    const spool = await this.#open(signal)
    await spool.append(bytes, signal)
  }

  #assertOpen(): void {
    if (!this.#isClosed) return
    throw new PosthaulError('the client is closed', {
      code: 'usage',
      hint: 'make a new one on the same spool',
    })
  }

  /** Opens the spool once. An address or a key that can't be is found before an event is taken for delivery. */
  async #open(signal?: AbortSignal): Promise<Spool> {
    for (;;) {
      this.#spool ??= this.#begin(signal)
      const opening = this.#spool
      try {
        return await opening
      } catch (error) {
        if (this.#spool === opening) this.#spool = undefined
        // The call that opened it was aborted. That one's signal is not this one's.
        const isOthers = error instanceof PosthaulError && error.code === 'interrupted' && !signal?.aborted
        if (!isOthers) throw error
      }
    }
  }

  async #begin(signal: AbortSignal | undefined): Promise<Spool> {
    const { parsed, host } = orderOf(this.#source, this.#delivery)
    await ingestSettings(parsed, host.stdin)
    return Spool.open(this.#spoolFolder, this.#durable, signal)
  }

  async #close(signal: AbortSignal | undefined): Promise<ImportOutcome> {
    try {
      return await this.#deliver(signal)
    } finally {
      const spool = await this.#spool?.catch(() => undefined)
      this.#spool = undefined
      await spool?.close()
    }
  }

  /** One delivery after another. */
  #deliver(signal: AbortSignal | undefined): Promise<ImportOutcome> {
    const delivery = this.#delivering.then(() => this.#deliverNow(signal))
    this.#delivering = delivery.catch(() => undefined)
    return delivery
  }

  async #deliverNow(signal: AbortSignal | undefined): Promise<ImportOutcome> {
    const spool = await this.#open(signal)
    const isEmpty = await spool.still(async () => spool.bytes === 0)
    if (isEmpty) return this.#nothing()
    const open = (order: ImportOrder) => spool.still(() => openSource(order))
    return deliver(this.#source, { ...this.#delivery, signal }, open)
  }

  #nothing(): ImportOutcome {
    const { at, rejectsPath } = orderOf(this.#source, this.#delivery).order.place
    return {
      counts: zeroCounts(),
      conserved: true,
      finished: true,
      deliveredNow: 0,
      rejectedNow: 0,
      ownEvents: 0,
      youngEvents: 0,
      reasons: {},
      filtered: {},
      notes: emptyNotes(),
      rejects: new Rejects(at, rejectsPath, 0),
    }
  }
}
