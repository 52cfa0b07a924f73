import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileError, openOwn, syncFolder } from '../store/index.ts'
import { KIB } from '../text/index.ts'

const LF = 0x0a
const LOOK_BACK = 64 * KIB

export interface TailOptions {
  /** Whether each append is synced; otherwise `sync` has to be called. */
  readonly synced: boolean
  /** How many bytes of the file are known to be whole. Without it, all whole lines are. */
  readonly bytes?: number
}

/** The end of a file to which whole lines are appended. */
export class LogTail {
  readonly path: string
  readonly #file: FileHandle
  readonly #synced: boolean
  #bytes: number

  private constructor(path: string, file: FileHandle, bytes: number, synced: boolean) {
    this.path = path
    this.#file = file
    this.#bytes = bytes
    this.#synced = synced
  }

  /** Opens a file, and makes it if need be. */
  static async open(path: string, { synced, bytes }: TailOptions): Promise<LogTail> {
    const isNew = !existsSync(path)
    const file = await openOwn(path, 'update')
    try {
      const end = bytes ?? (await endOfLines(file))
      // After a power cut a new file can be missing although its lines were synced.
      if (isNew) await syncFolder(dirname(resolve(path)))
      return new LogTail(path, file, end, synced)
    } catch (error) {
      await file.close()
      throw fileError(error, 'write', path)
    }
  }

  /** The length of the whole lines. */
  get bytes(): number {
    return this.#bytes
  }

  /** Cuts off what a dead process left after the whole lines. */
  async cut(): Promise<this> {
    try {
      if ((await this.#file.stat()).size > this.#bytes) await this.#file.truncate(this.#bytes)
      return this
    } catch (error) {
      await this.close()
      throw fileError(error, 'write', this.path)
    }
  }

  /** Appends whole lines. If that fails, the file is as before. */
  async append(lines: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < lines.length; ) {
        at += (await this.#file.write(lines, at, lines.length - at, this.#bytes + at)).bytesWritten
      }
      if (this.#synced) await this.#file.datasync()
    } catch (error) {
      // The next line takes the place of what was written of these.
      await this.#file.truncate(this.#bytes).catch(() => undefined)
      throw fileError(error, 'write', this.path)
    }
    this.#bytes += lines.length
  }

  async sync(): Promise<void> {
    try {
      await this.#file.datasync()
    } catch (error) {
      throw fileError(error, 'write', this.path)
    }
  }

  /** How many bytes the file has now, and which file it is. */
  async stat(): Promise<{ readonly size: number; readonly ino: number }> {
    return this.#file.stat()
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Where the last whole line ends. */
async function endOfLines(file: FileHandle): Promise<number> {
  const chunk = Buffer.alloc(LOOK_BACK)
  for (let end = (await file.stat()).size; end > 0; ) {
    const start = Math.max(0, end - LOOK_BACK)
    const { bytesRead } = await file.read(chunk, 0, end - start, start)
    const at = chunk.subarray(0, bytesRead).lastIndexOf(LF)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}
