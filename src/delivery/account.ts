import {
  isSameImport,
  type Ledger,
  type LedgerEntry,
  type LedgerState,
  ledgerSum,
  newMigration,
  withEntry,
} from './ledger.ts'

/** An import, as the ledger knows it. */
export interface AccountOptions {
  /** The address of its checkpoint, the same from whatever folder it is run. */
  readonly checkpoint: string
  /** The id of the import, which its checkpoint holds. */
  readonly importId: string
  /** What it had delivered before this run. */
  readonly delivered: number
  /** The import that this one replaces by --restart, if the ledger may not know it. */
  readonly replaces?: { readonly importId: string; readonly delivered: number } | undefined
  readonly maxEvents: number
  /** Events that are claimed at once, at least. */
  readonly step: number
  /** Lanes of this run. */
  readonly lanes: number
  readonly newMigration: boolean
  readonly rules: readonly string[]
  /** The address of what it sends. */
  readonly input?: string
  /** What its dataset holds, if it has one. */
  readonly content?: string | undefined
  /** Now, as an ISO text. */
  readonly now: () => string
  readonly note: (text: string) => void
}

/** What one run may still read and send under the volume cap. It claims in the ledger before it grants. */
export class Account {
  readonly #ledger: Ledger
  readonly #options: AccountOptions
  #state: LedgerState
  /** The most events of this import that earlier runs may have sent, including those that were delivered. */
  readonly #perhapsSent: number
  /** How many events this run may read in all, and how many of them it has read. */
  #claimed = 0
  #granted = 0

  private constructor(ledger: Ledger, options: AccountOptions, state: LedgerState) {
    this.#ledger = ledger
    this.#options = options
    this.#state = state
    const { delivered, claimed } = this.#entry
    this.#perhapsSent = delivered + claimed
  }

  /** Enters the import in the ledger, or finds it there. */
  static async open(ledger: Ledger, options: AccountOptions): Promise<Account> {
    let before: LedgerState | undefined
    const at = options.now()
    const state = await ledger.change(at, (found) => {
      before ??= found
      return entered(found, options, at)
    })
    if (options.newMigration && before) {
      const events = `${ledgerSum(before).toLocaleString('en')} events since ${before.started_at}`
      options.note(`a new migration begins; the one before it counted ${events}`)
    }
    return new Account(ledger, options, state)
  }

  /** All events that count for the project, as far as this run has seen: delivered or claimed by any import. */
  get counted(): number {
    return ledgerSum(this.#state)
  }

  /** The start of the migration. */
  get since(): string {
    return this.#state.started_at
  }

  /** The lanes that the pacer has to reserve for: see pacer.ts. */
  get mostLanes(): number {
    return this.#state.most_lanes
  }

  /** Events that this run can send under the cap, as far as it has seen. Before the first is read. */
  get room(): number {
    const { maxEvents, delivered } = this.#options
    return Math.max(0, maxEvents - this.#others(this.#state) - countedIn(this.#entry, delivered))
  }

  /** Grants one more event. False when nothing is claimed any more: after `ensure`, this is the volume cap. */
  take(): boolean {
    if (this.#granted >= this.#claimed) return false
    this.#granted++
    return true
  }

  /** Claims until `events` more can be taken, or as many as the cap allows. `delivered`: by this import, in all. */
  async ensure(events: number, delivered: number): Promise<void> {
    const { maxEvents, step } = this.#options
    const missing = events - (this.#claimed - this.#granted)
    if (missing <= 0) return
    let claimed = this.#claimed
    let room = Number.POSITIVE_INFINITY
    await this.#save(delivered, (found, entry) => {
      const open = this.#open(this.#claimed, delivered)
      // Of two ledgers the one that counts more.
      room = Math.min(room, maxEvents - this.#others(found) - countedIn(entry, delivered) - open)
      claimed = this.#claimed + Math.max(0, Math.min(Math.max(missing, step), room))
      return Math.max(this.#open(claimed, delivered), this.#perhapsSent - delivered)
    })
    this.#claimed = claimed
  }

  /**
   * Says how many were delivered, and gives back what was claimed but for `inDoubt`: events that this run may have
   * sent. `done`: the input has ended, so that nothing else was ever sent.
   */
  async settle(delivered: number, inDoubt: number, done: boolean): Promise<void> {
    this.#claimed = this.#granted
    const left = done ? 0 : Math.max(inDoubt, this.#perhapsSent - delivered)
    await this.#save(delivered, () => left)
  }

  /** Writes the entry, with what `claim` says. */
  async #save(delivered: number, claim: (found: LedgerState, entry: LedgerEntry) => number): Promise<void> {
    const { now, input, content } = this.#options
    this.#state = await this.#ledger.change(now(), (found) => {
      const entry = this.#find(found) ?? this.#entry
      const known = { ...entry, ...(input && { input }), ...(content && { content }) }
      return withEntry(found, { ...known, delivered, claimed: claim(found, entry), saved_at: now() })
    })
  }

  get #entry(): LedgerEntry {
    return this.#find(this.#state)!
  }

  #find({ imports }: LedgerState): LedgerEntry | undefined {
    return imports.find((one) => isSameImport(one, keyOf(this.#options)))
  }

  #others(state: LedgerState): number {
    const own = this.#find(state)
    return ledgerSum({ ...state, imports: state.imports.filter((one) => one !== own) })
  }

  /** Of the events that this run claimed, those that are not delivered yet. */
  #open(claimed: number, delivered: number): number {
    return Math.max(0, claimed - (delivered - this.#options.delivered))
  }
}

/** Counts of an import that has delivered this number of events. */
function countedIn({ base }: LedgerEntry, delivered: number): number {
  return Math.max(0, delivered - base)
}

function keyOf({ checkpoint, importId }: Pick<AccountOptions, 'checkpoint' | 'importId'>) {
  return { checkpoint, import_id: importId }
}

function entered(found: LedgerState, options: AccountOptions, at: string): LedgerState {
  const { checkpoint, replaces, lanes, rules } = options
  const withOld = replaces ? adopted(found, { ...replaces, checkpoint }, at) : found
  const withNew = adopted(withOld, options, at)
  const begun = options.newMigration ? newMigration(withNew, at) : withNew
  return {
    ...begun,
    most_lanes: Math.max(begun.most_lanes, lanes),
    rules: [...new Set([...begun.rules, ...rules])].sort(),
  }
}

/**
 * `state` with an entry for this import, which holds what the checkpoint says. What an earlier run delivered or claimed
 * beyond that may have been sent. The entry of a checkpoint that was moved counts on from there.
 */
function adopted(
  state: LedgerState,
  { checkpoint, importId, delivered }: Pick<AccountOptions, 'checkpoint' | 'importId' | 'delivered'>,
  now: string,
): LedgerState {
  const key = keyOf({ checkpoint, importId })
  const known = state.imports.find((one) => isSameImport(one, key))
  if (known) {
    const claimed = Math.max(0, known.delivered + known.claimed - delivered)
    return withEntry(state, { ...known, delivered, claimed, saved_at: now })
  }
  const moved = state.imports.some((one) => one.import_id === importId)
  return withEntry(state, { ...key, delivered, base: moved ? delivered : 0, claimed: 0, saved_at: now })
}

/** What keeps this run apart from all others that send into the same project. */
export interface Turn {
  readonly ledger: Ledger
  /** The checkpoint's address, the same from whatever folder the import is run. */
  readonly checkpoint: string
  /** The address of the input, the same from whatever folder. */
  readonly input?: string
  /** Begin a new count of events. */
  readonly newMigration: boolean
  /** Throws, with the code `locked`, once another run sends in place of this one. */
  readonly look: () => Promise<void>
  /** Throws once another run has the checkpoint. */
  readonly lookAtState: () => Promise<void>
}
