import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { fileCell } from '../state/cell.ts'
import { acquireLease, type Lease } from '../state/lease.ts'
import { LogTail } from '../state/log-file.ts'
import { makeFolder } from '../store/own-file.ts'
import { MIB } from '../text/units.ts'

/*
 * A spool is a folder with one file, events.ndjson, to which whole lines are appended, and beside it the state of the
 * import that delivers it. A line is acknowledged only after it is written, and by default synced.
 *
 * A line that a killed process left half written was never acknowledged, and is cut off; so is what a full disk left of one.
 * After a cut of the power every acknowledged line is there, or with `durable: 'kill'` every line up to the last delivery.
 * A lease keeps other processes out, code `locked`; that of a dead process is taken over. A delivery reads up to the end
 * that the file had when it began, which is looked up between two writes: never half a line.
 */

/** What an acknowledged line survives: a cut of the power, or only the death of the process. */
export type Durability = 'power-loss' | 'kill'

const FILE = 'events.ndjson'
/** Waiting lines are written together, up to this number of bytes, so that they share one sync. */
const GROUP_BYTES = 4 * MIB

interface Waiting {
  readonly line: Buffer
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly signal: AbortSignal | undefined
}

/** The path of the file of a spool. */
export function spoolFile(folder: string): string {
  return join(folder, FILE)
}

/** The open file of a spool, which only this process appends to. */
export class Spool {
  readonly path: string
  readonly #tail: LogTail
  readonly #lease: Lease
  #queue: Waiting[] = []
  /** Settles when all work that was begun is done. */
  #last: Promise<void> = Promise.resolve()
  #isWriting = false

  private constructor(tail: LogTail, lease: Lease) {
    this.path = tail.path
    this.#tail = tail
    this.#lease = lease
  }

  /** Opens a spool, and makes it if need be. Code `locked` if another process has it. */
  static async open(folder: string, durability: Durability, signal?: AbortSignal): Promise<Spool> {
    if (!existsSync(folder)) {
      await makeFolder(folder)
      // It holds events of real people.
      await chmod(folder, 0o700)
    }
    const path = spoolFile(folder)
    const lease = await acquireLease({
      cell: fileCell(`${path}.lock`),
      purpose: `a client that fills ${path}`,
      taken: `another client has the spool ${folder}`,
      ...(signal && { signal }),
    })
    try {
      return new Spool(await (await LogTail.open(path, { synced: durability === 'power-loss' })).cut(), lease)
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  /** The length of all lines that are kept. */
  get bytes(): number {
    return this.#tail.bytes
  }

  /**
   * Appends a line, and resolves when it is kept. Code `interrupted` if `signal` aborts before it is written: then it is not
   * in the spool. A line that is being written is kept all the same. No listener is left with the signal: a hundred
   * thousand captures that share one would take minutes to add and remove theirs.
   */
  append(line: Buffer, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(interruptedCapture())
    const kept = new Promise<void>((resolve, reject) => {
      this.#queue.push({ line, resolve, reject, signal })
    })
    if (!this.#isWriting) {
      this.#isWriting = true
      void this.#alone(() => this.#writeAll())
    }
    return kept
  }

  /** Does work while nothing is written, after all lines are synced. */
  still<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      await this.#lease.look()
      await this.#tail.sync()
      return work()
    })
  }

  /** Ends it, after all lines are written and synced. */
  async close(): Promise<void> {
    await this.still(async () => undefined).finally(async () => {
      await this.#tail.close()
      await this.#lease.release()
    })
  }

  /** Does work after all that was begun before. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.then(
      () => undefined,
      () => undefined,
    )
    return result
  }

  /** Writes group after group, until no line waits. */
  async #writeAll(): Promise<void> {
    for (;;) {
      const group = this.#nextGroup()
      if (group.length === 0) break
      try {
        await this.#lease.look()
        await this.#tail.append(Buffer.concat(group.map(({ line }) => line)))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#isWriting = false
  }

  #nextGroup(): Waiting[] {
    const group: Waiting[] = []
    let bytes = 0
    let taken = 0
    for (const waiting of this.#queue) {
      const isLeft = waiting.signal?.aborted
      if (!isLeft) bytes += waiting.line.length
      if (group.length > 0 && bytes > GROUP_BYTES) break
      taken++
      if (isLeft) waiting.reject(interruptedCapture())
      else group.push(waiting)
    }
    this.#queue.splice(0, taken)
    return group
  }
}

function interruptedCapture(): PosthaulError {
  return new PosthaulError('interrupted before the event was kept', { code: 'interrupted' })
}
