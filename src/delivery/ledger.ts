import { createHash } from 'node:crypto'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { Cell } from '../state/cell.ts'
import { CellKind, refused } from '../state/cell-kind.ts'
import { VERSION } from '../version.ts'

/*
 * The ledger: how many events all imports into one project (host and key) have delivered. The volume cap is held
 * against it, whatever the number of inputs, runs and restarts.
 *
 * WHAT IT PROVES. No more events are sent than the cap allows. An import claims events here before it reads them, and
 * says at the end how many it delivered. So the sum counts what is known to be delivered and what may be, at any instant.
 *
 * WHY THE SUM IS EXACT. An entry belongs to one checkpoint, by its address and its id. A run that was killed leaves
 * its claim. The next run of that import sets the entry to what the checkpoint holds, so what it sends again is not
 * counted twice. --restart gives the checkpoint a new id, so it gets an entry of its own: the service receives those
 * events a second time.
 *
 * WHERE IT IS. Beside the imports' states, if --state says where these are, so that other machines have it too. What was sent
 * from this machine is counted in the user's own ledger as well: the states of two imports can lie apart.
 *
 * HOW IT IS WRITTEN. As a whole, on the condition that nobody else has changed it; else it is read and changed again.
 */

const count = z.number().int().nonnegative()

const entrySchema = z.object({
  /** The checkpoint's address, and the id of the import that it holds. */
  checkpoint: z.string(),
  import_id: z.string(),
  /** What its import has delivered in all; of these, `base` do not count here: another entry has them. */
  delivered: count,
  base: count,
  /** Events that the import may have sent, or may yet send. */
  claimed: count,
  saved_at: z.string(),
  /** The address of what it sends. */
  input: z.string().optional(),
  /** What the import's dataset holds: see sent-record.ts. Other inputs have none. */
  content: z.string().optional(),
})

const stateSchema = z.object({
  tool: z.string(),
  host: z.string(),
  /** The fingerprint of the project's first key. */
  key: z.string(),
  /** The start of the migration that is counted. */
  started_at: z.string(),
  imports: z.array(entrySchema),
  /** What the oldest imports delivered, whose entries are no longer kept. */
  others: count,
  /** Migrations before this one. */
  earlier: z.array(z.object({ started_at: z.string(), ended_at: z.string(), delivered: count })),
  /** The most lanes that all runs at one time have had: the pacer reserves for them. */
  most_lanes: count,
  /** The versions of the rules whose events were delivered. */
  rules: z.array(z.string()),
})

export const LEDGER = new CellKind({
  name: 'ledger',
  schema: stateSchema,
  version: 1,
  refusal: refused({
    code: 'mismatch',
    says: 'counts what all imports delivered',
    otherwise: ', or move it away: the count then begins with what each checkpoint holds',
  }),
})

export type LedgerState = z.infer<typeof stateSchema>
export type LedgerEntry = z.infer<typeof entrySchema>

/** The project that a ledger counts for. */
export interface LedgerTarget {
  readonly host: string
  /** The fingerprint of its key; where that was replaced, of its first key. */
  readonly key: string
  /** The fingerprints of all keys that it is known to have had, if one was replaced. */
  readonly keys?: readonly string[]
}

/** True if what was sent by a key went into the project of `target`. */
export function isSameProject(
  { host, key, keys = [key] }: LedgerTarget,
  sent: Pick<LedgerTarget, 'host' | 'key'>,
): boolean {
  return sent.host === host && keys.includes(sent.key)
}

// An entry has about 300 bytes, and the file is written as a whole.
const MOST_ENTRIES = 1000
const MOST_EARLIER = 100

/** The name of a project's ledger in its store. */
export function ledgerName({ host, key }: LedgerTarget): string {
  const id = createHash('sha256').update(`${host}\n${key}`).digest('hex').slice(0, 16)
  return `${id}.ledger.json`
}

/** All events that count against the volume cap: those delivered, and those claimed. */
export function ledgerSum({ imports, others }: Pick<LedgerState, 'imports' | 'others'>): number {
  return imports.reduce((sum, entry) => sum + entry.claimed + deliveredIn(entry), others)
}

/**
 * The delivered alone: what a run that was killed had claimed is not known to have been sent. `taken`: what the checkpoint of
 * one import says, which is newer than its entry while it sends what it has read.
 */
export function deliveredSum(
  { imports, others }: Pick<LedgerState, 'imports' | 'others'>,
  { importId, taken }: { readonly importId: string; readonly taken: number },
): number {
  // A checkpoint that was moved has left an entry behind.
  const own = imports.findLast(({ import_id }) => import_id === importId)
  return imports.reduce((sum, entry) => {
    const delivered = entry === own ? Math.max(taken, entry.delivered) : entry.delivered
    return sum + deliveredIn({ ...entry, delivered })
  }, others)
}

function deliveredIn({ delivered, base }: LedgerEntry): number {
  return Math.max(0, delivered - base)
}

/** The ledger of a project, in its file. Time is given by the caller, as ISO texts. */
export class Ledger {
  readonly #cell: Cell
  readonly #target: LedgerTarget
  /** The user's own, if this one is elsewhere. */
  readonly #home: Ledger | undefined

  constructor(cell: Cell, target: LedgerTarget, home?: Ledger) {
    this.#cell = cell
    this.#target = target
    this.#home = home
  }

  /** The imports that have an entry here, or in the user's own ledger. */
  async imports(): Promise<readonly LedgerEntry[]> {
    return [...((await this.read())?.imports ?? []), ...((await this.#home?.imports()) ?? [])]
  }

  /** The state as it is now; undefined before the first import. */
  async read(): Promise<LedgerState | undefined> {
    return (await LEDGER.load(this.#cell))?.value
  }

  /** Changes the state, on top of what all others have changed. Returns the new state: of two, the one that counts more. */
  async change(now: string, change: (state: LedgerState) => LedgerState): Promise<LedgerState> {
    const here = await this.#change(now, change)
    const home = await this.#home?.change(now, change)
    return home && ledgerSum(home) > ledgerSum(here) ? home : here
  }

  async #change(now: string, change: (state: LedgerState) => LedgerState): Promise<LedgerState> {
    for (;;) {
      const loaded = await LEDGER.load(this.#cell)
      const state = folded(change(loaded?.value ?? this.#empty(now)))
      try {
        await LEDGER.save(this.#cell, state, loaded ?? 'absent')
        return state
      } catch (error) {
        if (!(error instanceof PosthaulError && error.code === 'mismatch')) throw error
      }
    }
  }

  #empty(now: string): LedgerState {
    const { host, key } = this.#target
    const counts = { imports: [], others: 0, earlier: [], most_lanes: 0, rules: [] }
    return { tool: `posthaul ${VERSION}`, host, key, started_at: now, ...counts }
  }
}

/** A new migration: what was delivered so far no longer counts. */
export function newMigration(state: LedgerState, now: string): LedgerState {
  // A write whose answer was lost is done again.
  if (state.earlier.at(-1)?.ended_at === now) return state
  const ended = { started_at: state.started_at, ended_at: now, delivered: ledgerSum(state) }
  return {
    ...state,
    started_at: now,
    imports: state.imports.map((entry) => ({ ...entry, base: entry.delivered, claimed: 0 })),
    others: 0,
    earlier: [...state.earlier, ended].slice(-MOST_EARLIER),
  }
}

/** `state` with this entry, in place of the one of the same import. */
export function withEntry(state: LedgerState, entry: LedgerEntry): LedgerState {
  return { ...state, imports: [...state.imports.filter((other) => !isSameImport(other, entry)), entry] }
}

/** True for entries of one import. */
export function isSameImport(
  a: Pick<LedgerEntry, 'checkpoint' | 'import_id'>,
  b: Pick<LedgerEntry, 'checkpoint' | 'import_id'>,
): boolean {
  return a.checkpoint === b.checkpoint && a.import_id === b.import_id
}

/**
 * The entries that were not changed for longest become one sum. Should such an import go on, it is taken for one that
 * the ledger does not know, and counts twice: more than it delivered, never less.
 */
function folded(state: LedgerState): LedgerState {
  const many = state.imports.length - MOST_ENTRIES
  if (many <= 0) return state
  const oldest = state.imports.slice(0, many)
  return { ...state, imports: state.imports.slice(many), others: ledgerSum({ ...state, imports: oldest }) }
}
