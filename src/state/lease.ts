/*
 * A lease keeps two runs apart, on one machine or on several. It is a small file that names its holders. Each holder
 * renews its entry every 15 s and looks at it before what must not be done twice.
 *
 * WHO IS DEAD. A process of this machine that is gone, at once. Any other holder, once its entry has not changed for
 * 60 s of the reader's own clock: the clocks of two machines are never compared. In doubt the reader waits.
 *
 * IF …
 *   two runs find the same dead holder     both replace the file on the condition that it is unchanged: one wins
 *   a holder sleeps for longer than 60 s   another may have the lease; it finds that out when it looks, and stops
 *   a holder is killed                     its entry stays until somebody wants the lease
 *   a holder can't reach the lease         it goes on for 45 s, then it stops: by 60 s another may have the lease
 *   the file says nothing that can be read nobody takes it, but with --steal-lock
 */
import { PosthaulError } from '../errors.ts'
import { type Clock, systemClock } from '../http/clock.ts'
import { errnoOf } from '../store/file-error.ts'
import { type Holder, holderHere, holderWords, lifeOf, whoOf } from '../store/holder.ts'
import type { Cell } from './cell.ts'
import { Lease, readBook, won, writeBook } from './held-lease.ts'

export type { Lease } from './held-lease.ts'

/** A run that is robbed in the middle of a save ends it first: what it writes must not come after what the thief writes. */
const LAST_SAVE_MS = 3000
/** An entry that does not change for so long has no holder any more. */
const SILENT_MS = 60_000
const POLL_MS = 1_000

export interface LeaseRequest {
  readonly cell: Cell
  /** What the holder works on, for others to read: `import of events.ndjson`. */
  readonly purpose?: string
  /** Wait until it is free. */
  readonly wait?: boolean
  /** Take it from whoever has it. */
  readonly steal?: boolean
  readonly clock?: Clock
  /** Ends the waiting, with the code `interrupted`. */
  readonly signal?: AbortSignal
  readonly note?: (text: string) => void
  /** How to say that somebody else has it; the address of the file by default. */
  readonly taken?: string
  /** What is kept beside it, and how the user names another place, for the refusal of one that is read-only. */
  readonly keeps?: Kept
}

interface Kept {
  readonly what: string
  readonly setting: string
}

/** The refusal of a folder where nothing can be written, such as one that is read-only. */
export function noPlaceFor({ what, setting }: Kept, error: unknown): unknown {
  if (!(error instanceof PosthaulError) || error.code !== 'input' || !errnoOf(error.cause)) return error
  return new PosthaulError(`${what} has no place: ${error.message}`, {
    code: 'input',
    hint: `name a folder that can be written to ${setting}, or ${error.hint}`,
    cause: error.cause,
  })
}

/**
 * Takes a lease, from a dead holder if need be. Code `locked` if a live run has it. Waits up to 60 s for a sign of a
 * holder whose process can't be seen from here.
 */
export async function acquireLease({ keeps, ...request }: LeaseRequest): Promise<Lease> {
  return acquire(request).catch((error: unknown) => {
    throw keeps ? noPlaceFor(keeps, error) : error
  })
}

async function acquire(request: LeaseRequest): Promise<Lease> {
  const { cell, purpose, wait = false, steal = false, clock = systemClock, signal, note } = request
  const taken = request.taken ?? `another run holds ${cell.address}`
  const me = await holderHere(purpose)
  const watch = new Watch(clock)
  let told: string | undefined
  for (;;) {
    if (signal?.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
    const { holders, version } = await readBook(cell, steal)
    // The answer to our own write can be lost on its way: then the write is tried again, and fails.
    if (holders.some(({ nonce }) => nonce === me.nonce)) {
      return new Lease({ cell, me, clock, startedAt: clock.now(), taken })
    }
    const lives = await Promise.all(
      holders.map(async (holder) => ({ holder, life: await watch.judge(holder) })),
    )
    const living = lives.filter(({ life }) => life !== 'dead').map(({ holder }) => holder)
    if (steal || living.length === 0) {
      const startedAt = clock.now()
      if (!(await won(writeBook(cell, [me], replacing(version))))) continue
      if (living.length > 0) await letThemSave(living, request)
      await cell.sweep?.()
      return new Lease({ cell, me, clock, startedAt, taken })
    }
    const seen = lives.filter(({ life }) => life === 'alive').map(({ holder }) => holder)
    if (!wait && seen.length > 0) throw locked(taken, seen)
    const how = wait ? 'waiting for' : `waiting up to ${SILENT_MS / 1000} s for a sign of life from`
    const text = `${how} ${living.map(holderWords).join('; ')}`
    if (text !== told) note?.(text)
    told = text
    await clock.sleep(POLL_MS, signal)
  }
}

/** The condition of a write: nobody else has written since the version was read. */
const replacing = (version: string | undefined) => (version === undefined ? 'absent' : { version })

/** Tells whom the lease was taken from, and waits until they have saved for the last time. */
async function letThemSave(holders: readonly Holder[], request: LeaseRequest): Promise<void> {
  const { clock = systemClock, signal, note } = request
  for (const holder of holders) note?.(`took the lock of ${holderWords(holder)}`)
  await clock.sleep(LAST_SAVE_MS, signal)
}

export interface HolderSeen {
  /** `process 12 on web-1`. */
  readonly who: string
  readonly since: string
  readonly purpose: string
  /** False for a process that can't be seen from this host: it may have ended within the last minute. */
  readonly seen: boolean
}

/** Who holds the lease: every holder that is not known to be dead. */
export async function leaseHolders(cell: Cell): Promise<HolderSeen[]> {
  const { holders } = await readBook(cell, false)
  const seen = holders.map(async (holder) => {
    const life = await lifeOf(holder)
    const { since, purpose } = holder
    return life === 'dead' ? [] : [{ who: whoOf(holder), since, purpose, seen: life === 'alive' }]
  })
  return (await Promise.all(seen)).flat()
}

/** What one reader has seen of each holder, by its own clock. */
class Watch {
  readonly #clock: Clock
  readonly #seen = new Map<string, { readonly first: number; renewals: number; at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async judge(holder: Holder): Promise<'alive' | 'dead' | 'unseen'> {
    const life = await lifeOf(holder)
    if (life !== 'unseen') return life
    const { nonce, renewals } = holder
    const now = this.#clock.now()
    const seen = this.#seen.get(nonce) ?? { first: renewals, renewals, at: now }
    if (seen.renewals !== renewals) Object.assign(seen, { renewals, at: now })
    this.#seen.set(nonce, seen)
    if (now - seen.at >= SILENT_MS) return 'dead'
    return seen.first === renewals ? 'unseen' : 'alive'
  }
}

function locked(taken: string, holders: readonly Holder[]): PosthaulError {
  return new PosthaulError(`${taken} (${holders.map(holderWords).join('; ')})`, {
    code: 'locked',
    hint: 'wait for it to end, or stop it',
  })
}
