import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errnoOf, fileError } from '../store/file-error.ts'
import { openOwn, syncFolder } from '../store/own-file.ts'
import { KIB } from '../text/units.ts'
import { type LineLog, type LogDigest, type LogKind, OpenLog } from './line-log.ts'

const LF = 0x0a
const LOOK_BACK = 64 * KIB

interface TailOptions {
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

export class FileLog implements LineLog {
  readonly path: string
  readonly #kind: LogKind

  constructor(path: string, kind: LogKind) {
    this.path = path
    this.#kind = kind
  }

  async begin(): Promise<OpenFileLog> {
    if ((await sizeOf(this.path)) !== undefined) throw this.#kind.foreign(this.path)
    return new OpenFileLog(this.path, this.#kind)
  }

  async resume(digest: LogDigest): Promise<OpenFileLog> {
    const { path } = this
    const kind = this.#kind
    const size = await sizeOf(path)
    // The user moved it away, to mend the rejects: the next ones begin a new file.
    if (size === undefined) return new OpenFileLog(path, kind)
    const hash = createHash('sha256')
    if (size > 0) for await (const chunk of this.read(digest)) hash.update(chunk)
    if (size < digest.bytes || hash.copy().digest('hex') !== digest.sha256) throw kind.changed(path)
    // No byte of this file is known to be this import's: the user may have moved it away, mended it and put it back.
    // So it is kept under another name, not cut off.
    if (kind.mendable && size > 0 && digest.bytes === 0) {
      await this.setAside()
      return new OpenFileLog(path, kind)
    }
    const log = new OpenFileLog(path, kind, digest.bytes, hash)
    if (size > digest.bytes) await log.cut()
    return log
  }

  async setAside(): Promise<void> {
    let aside = `${this.path}.old`
    for (let n = 2; (await sizeOf(aside)) !== undefined; n++) aside = `${this.path}.old${n}`
    await rename(this.path, aside).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'write', this.path)
    })
  }

  async *read({ bytes }: LogDigest): AsyncGenerator<Buffer> {
    if (bytes === 0) return
    try {
      yield* createReadStream(this.path, { end: bytes - 1 })
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'read', this.path)
    }
  }
}

/** It is kept as long as the cell says, so no line is lost or doubled. There is no file before there is a line. */
class OpenFileLog extends OpenLog {
  readonly #path: string
  readonly #kind: LogKind
  #tail: LogTail | undefined

  constructor(path: string, kind: LogKind, bytes = 0, hash = createHash('sha256')) {
    super()
    this.#path = path
    this.#kind = kind
    this.bytes = bytes
    this.hash = hash
  }

  protected async write(lines: Buffer): Promise<void> {
    await (await this.#tailToAppend()).append(lines)
  }

  override async close(): Promise<void> {
    await this.#tail?.close()
    this.#tail = undefined
  }

  /** Cuts off what a dead run left. */
  async cut(): Promise<void> {
    await (await this.#open()).cut()
  }

  async #open(): Promise<LogTail> {
    this.#tail ??= await LogTail.open(this.#path, { synced: true, bytes: this.bytes })
    return this.#tail
  }

  /** The user may move the file away, or change it, while the import runs too. */
  async #tailToAppend(): Promise<LogTail> {
    if (this.bytes > 0 && (await sizeOf(this.#path)) === undefined) {
      await this.close()
      this.hash = createHash('sha256')
      this.bytes = 0
    }
    const tail = await this.#open()
    const [opened, there] = [await tail.stat(), await stat(this.#path)]
    // Lines at a position beyond its end would leave a hole before them.
    if (opened.ino !== there.ino || opened.size !== this.bytes) throw this.#kind.changed(this.#path)
    return tail
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
}
