import { z } from 'zod'
import { ofOtherVersion, PosthaulError } from '../errors.ts'
import type { Clock } from '../http/clock.ts'
import { type Holder, holderSchema, holderWords } from '../store/holder.ts'
import type { PutCondition } from '../store/store.ts'
import type { Cell } from './cell.ts'
import { CellKind, JSON_LINE, type Unreadable } from './cell-kind.ts'

export const LEASE = new CellKind({
  name: 'lease',
  schema: z.object({ holders: z.array(holderSchema) }),
  version: 2,
  form: { ...JSON_LINE, decode },
  refusal: noLock,
})

function decode(bytes: Uint8Array): unknown {
  // In a bucket a lease that was given back is empty.
  return bytes.length === 0 ? { version: 2, holders: [] } : JSON_LINE.decode(bytes)
}

function noLock(address: string, reading: Unreadable): PosthaulError {
  const remedy = `if no other run is working here, delete ${address}`
  if (reading.kind === 'other version') return ofOtherVersion(address, 'locked', `; ${remedy}`)
  return new PosthaulError(`${address} is not a lock that posthaul wrote, so its owner is not known`, {
    code: 'locked',
    hint: remedy,
    ...(reading.kind === 'damaged' && { cause: reading.cause }),
  })
}

/** The result of a conditional write: false if another writer was first. */
export async function won(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof PosthaulError && error.code === 'mismatch') return false
    throw error
  }
}

/** Writes the holders. Code `mismatch` if the condition does not hold. */
export function writeBook(cell: Cell, holders: readonly Holder[], condition: PutCondition): Promise<string> {
  return LEASE.save(cell, { holders: [...holders] }, condition)
}

/** The holders that the file of a lease names, and the version to replace. `force`: a file that can't be read names none. */
export async function readBook(cell: Cell, force: boolean) {
  const loaded = await cell.load()
  if (!loaded) return { holders: [], version: undefined }
  const { version } = loaded
  const reading = LEASE.read(loaded.bytes)
  if (reading.kind === 'whole') return { holders: reading.value.holders, version }
  if (force) return { holders: [], version }
  throw noLock(cell.address, reading)
}

const RENEW_MS = 15_000
/** How soon a renewal that failed is tried again. */
const AGAIN_MS = 3_000
/** A holder that could not renew for so long no longer knows that the lease is its own. */
const UNSURE_MS = 45_000
const LOOK_MS = 1_000

interface Held {
  readonly cell: Cell
  readonly me: Holder
  readonly clock: Clock
  readonly startedAt: number
  readonly taken: string
}

/** A lease that this process has, until it is released or lost. */
export class Lease {
  readonly address: string
  readonly #held: Held
  readonly #ended = new AbortController()
  /** When the last renewal began that is known to have worked. */
  #renewedAt: number
  #looked: { readonly now: number; readonly wall: number }
  #lost: PosthaulError | undefined
  #renewing: Promise<void> | undefined

  constructor(held: Held) {
    this.#held = held
    this.address = held.cell.address
    this.#renewedAt = held.startedAt
    this.#looked = { now: held.startedAt, wall: held.clock.wall() }
    void this.#keep()
  }

  /** Throws, with the code `locked`, once the lease is somebody else's, or can't be told to be ours. */
  async look(): Promise<void> {
    const { clock } = this.#held
    if (this.#lost) throw this.#lost
    // A machine that slept shows it in its wall clock alone.
    const passed = Math.max(clock.now() - this.#looked.now, Math.abs(clock.wall() - this.#looked.wall))
    if (passed < LOOK_MS) return
    const unrenewed = Math.max(clock.now() - this.#renewedAt, passed)
    try {
      if (unrenewed >= RENEW_MS) await this.#renew()
      else await this.#read()
    } catch (error) {
      if (this.#lost || unrenewed >= UNSURE_MS) throw this.#lost ?? unsure(this.address, error)
    }
  }

  /** Gives it back. One that is no longer ours is left alone. Safe to call twice. */
  async release(): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    await this.#renewing?.catch(() => undefined)
    const { cell, me } = this.#held
    for (;;) {
      const { holders, version } = await readBook(cell, true)
      const others = holders.filter(({ nonce }) => nonce !== me.nonce)
      if (version === undefined || others.length === holders.length) return
      if (await won(others.length > 0 ? writeBook(cell, others, { version }) : cell.clear(version))) return
    }
  }

  async #keep(): Promise<void> {
    const { clock } = this.#held
    const { signal } = this.#ended
    for (let wait = RENEW_MS; ; ) {
      await clock.sleep(wait, signal, { ref: false })
      if (signal.aborted || this.#lost) return
      wait = await this.#renew().then(
        () => RENEW_MS,
        () => AGAIN_MS,
      )
    }
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renewNow(): Promise<void> {
    const { cell, me, clock } = this.#held
    for (;;) {
      const startedAt = clock.now()
      const { holders, version } = await this.#read()
      const renewed = holders.map((holder) =>
        holder.nonce === me.nonce ? { ...holder, renewals: holder.renewals + 1 } : holder,
      )
      if (!(await won(writeBook(cell, renewed, { version })))) continue
      this.#renewedAt = startedAt
      return
    }
  }

  /** Reads who holds it, and throws when we do not. */
  async #read(): Promise<{ holders: readonly Holder[]; version: string }> {
    const { cell, me, clock, taken } = this.#held
    const looked = { now: clock.now(), wall: clock.wall() }
    const { holders, version } = await readBook(cell, true)
    if (version === undefined || !holders.some(({ nonce }) => nonce === me.nonce)) {
      this.#lost = lost(taken, holders)
      throw this.#lost
    }
    this.#looked = looked
    return { holders, version }
  }
}

function lost(taken: string, holders: readonly Holder[]): PosthaulError {
  const who = holders.length > 0 ? holders.map(holderWords).join('; ') : 'it was taken away'
  return new PosthaulError(`${taken} now (${who}), so this run stops; its state is saved`, {
    code: 'locked',
    hint: 'wait for the other run to end',
  })
}

function unsure(address: string, cause: unknown): PosthaulError {
  return new PosthaulError(
    `${address} could not be read or renewed for ${UNSURE_MS / 1000} s, so another run may have it`,
    { code: 'unavailable', hint: 'what is done is saved; run the same command again', cause },
  )
}
