import { existsSync } from 'node:fs'
import { chmod, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { fileCell } from '../state/cell.ts'
import { acquireLease, type Lease } from '../state/lease.ts'
import { syncFolder } from '../store/atomic-file.ts'
import { fileError } from '../store/file-error.ts'
import { makeFolder } from '../store/make-folder.ts'
import { openOwn } from '../store/own-file.ts'
import { KIB, MIB } from '../text/units.ts'

/*
 * A spool is a folder with one file, events.ndjson, to which whole lines are appended, and beside it the state of the
 * import that delivers it. A line is acknowledged only after it is written, and by default synced.
 *
 * IF …
 *   the process is killed in mid-write   the file ends in a part of a line, which nobody was told is kept: it is cut off
 *   the disk is full in mid-write        the same at once: the line is refused, and the file is as before
 *   the power fails                      what was synced is there: every acknowledged line, or with `durable: 'kill'`
 *                                        every line up to the last delivery
 *   another process opens the spool      a lease keeps it out, code `locked`; that of a dead process is taken over
 *   lines come while it is delivered     a delivery reads up to the end that the file had when it began, which is
 *                                        looked up between two writes: never half a line
 */

/** What an acknowledged line survives: a cut of the power, or only the death of the process. */
export type Durability = 'power-loss' | 'kill'

const FILE = 'events.ndjson'
const LF = 0x0a
/** Waiting lines are written together, up to this number of bytes, so that they share one sync. */
const GROUP_BYTES = 4 * MIB
const LOOK_BACK = 64 * KIB

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
  readonly #file: FileHandle
  readonly #lease: Lease
  readonly #durable: boolean
  /** The length of the whole lines. */
  #bytes: number
  #queue: Waiting[] = []
  /** Settles when all work that was begun is done. */
  #last: Promise<void> = Promise.resolve()
  #isWriting = false

  private constructor(path: string, file: FileHandle, lease: Lease, bytes: number, durable: boolean) {
    this.path = path
    this.#file = file
    this.#lease = lease
    this.#bytes = bytes
    this.#durable = durable
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
      const isNew = !existsSync(path)
      const file = await openOwn(path, 'update')
      const bytes = await wholeLines(file).catch(async (error: unknown) => {
        await file.close()
        throw fileError(error, 'read', path)
      })
      // After a power cut a new file can be missing although its lines were synced.
      if (isNew) await syncFolder(resolve(folder))
      return new Spool(path, file, lease, bytes, durability === 'power-loss')
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  /** The length of all lines that are kept. */
  get bytes(): number {
    return this.#bytes
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
      await this.#sync()
      return work()
    })
  }

  /** Ends it, after all lines are written and synced. */
  async close(): Promise<void> {
    await this.still(async () => undefined).finally(async () => {
      await this.#file.close()
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
        await this.#write(Buffer.concat(group.map(({ line }) => line)))
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

  async #write(bytes: Buffer): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#file.write(bytes, at, bytes.length - at, this.#bytes + at)).bytesWritten
      }
      if (this.#durable) await this.#file.datasync()
    } catch (error) {
      // The next line takes the place of what was written of these.
      await this.#file.truncate(this.#bytes).catch(() => undefined)
      throw fileError(error, 'write', this.path)
    }
    this.#bytes += bytes.length
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync()
    } catch (error) {
      throw fileError(error, 'write', this.path)
    }
  }
}

/** Cuts off the part of a line that a killed process left. Returns the length of what stays. */
async function wholeLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat()
  const chunk = Buffer.alloc(LOOK_BACK)
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - LOOK_BACK)
    const { bytesRead } = await file.read(chunk, 0, end - start, start)
    const at = chunk.subarray(0, bytesRead).lastIndexOf(LF)
    if (at !== -1) {
      end = start + at + 1
      break
    }
    end = start
  }
  if (end < size) await file.truncate(end)
  return end
}

function interruptedCapture(): PosthaulError {
  return new PosthaulError('interrupted before the event was kept', { code: 'interrupted' })
}
