import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, rename, stat } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { openOwn } from '../store/own-file.ts'
import { type AppendedLines, type LinesDigest, type LinesKind, REJECTS_KIND } from './import-state.ts'

/** Lines of a state in a file. It is kept as long as the checkpoint says, so no line is lost or doubled. */
export class AppendFile implements AppendedLines {
  readonly path: string
  #hash: Hash
  #bytes: number
  #file: FileHandle | undefined
  readonly #kind: LinesKind

  private constructor(path: string, hash: Hash, bytes: number, kind: LinesKind) {
    this.path = path
    this.#hash = hash
    this.#bytes = bytes
    this.#kind = kind
  }

  /**
   * Opens the file as the checkpoint knows it. What follows the bytes of `digest` was written by a run that died before
   * its checkpoint was saved: it is cut off. Throws `mismatch` if the other bytes are not those that were written.
   */
  static async resume(path: string, digest: LinesDigest, kind = REJECTS_KIND): Promise<AppendFile> {
    const size = await sizeOf(path)
    // The user moved it away, to mend the rejects: the next ones begin a new file.
    if (size === undefined) return new AppendFile(path, createHash('sha256'), 0, kind)
    const hash = createHash('sha256')
    if (size > 0 && digest.bytes > 0) {
      for await (const chunk of createReadStream(path, { end: digest.bytes - 1 })) hash.update(chunk)
    }
    if (size < digest.bytes || hash.copy().digest('hex') !== digest.sha256) throw changedLines(path, kind)
    // No byte of this file is known to be this import's: the user may have moved it away, mended it and put it back.
    // So it is kept under another name, not cut off.
    if (kind.mendable && size > 0 && digest.bytes === 0) {
      await AppendFile.setAside(path)
      return new AppendFile(path, hash, 0, kind)
    }
    const lines = new AppendFile(path, hash, digest.bytes, kind)
    if (size > digest.bytes) await (await lines.#open()).truncate(digest.bytes)
    return lines
  }

  /** Begins the file of a new import. Throws `mismatch` if there is a file already: it is another import's. */
  static async begin(path: string, kind = REJECTS_KIND): Promise<AppendFile> {
    if ((await sizeOf(path)) !== undefined) throw foreignLines(path, kind)
    return new AppendFile(path, createHash('sha256'), 0, kind)
  }

  /** Moves the lines of an earlier import to a name that no file has, so that a restart begins a new file. */
  static async setAside(path: string): Promise<void> {
    let aside = `${path}.old`
    for (let n = 2; (await sizeOf(aside)) !== undefined; n++) aside = `${path}.old${n}`
    await rename(path, aside).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'write', path)
    })
  }

  get digest(): LinesDigest {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') }
  }

  /** Appends lines and syncs them to disk. */
  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join(''))
    try {
      const file = await this.#openToAppend()
      for (let at = 0; at < bytes.length; ) {
        at += (await file.write(bytes, at, bytes.length - at, this.#bytes + at)).bytesWritten
      }
      await file.datasync()
    } catch (error) {
      throw fileError(error, 'write', this.path)
    }
    this.#hash.update(bytes)
    this.#bytes += bytes.length
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  /** The user may move the file away, or change it, while the import runs too. */
  async #openToAppend(): Promise<FileHandle> {
    if (this.#bytes > 0 && (await sizeOf(this.path)) === undefined) {
      await this.close()
      this.#hash = createHash('sha256')
      this.#bytes = 0
    }
    const file = await this.#open()
    const [opened, there] = [await file.stat(), await stat(this.path)]
    // Lines at a position beyond its end would leave a hole before them.
    if (opened.ino !== there.ino || opened.size !== this.#bytes) throw changedLines(this.path, this.#kind)
    return file
  }

  async #open(): Promise<FileHandle> {
    // Not 'append': lines are written at a position, over what a dead run left after it.
    this.#file ??= await openOwn(this.path, 'update')
    return this.#file
  }
}

/** The refusal of lines that are there before their import has begun. */
export function foreignLines(path: string, { foreign }: LinesKind): PosthaulError {
  return new PosthaulError(`${path} already exists, but is not from this import`, {
    code: 'mismatch',
    hint: `move it away; ${foreign}`,
  })
}

/** The refusal of lines that are not those that the import wrote. */
export function changedLines(path: string, { changed }: LinesKind): PosthaulError {
  return new PosthaulError(`${path} has changed since this import wrote it`, {
    code: 'mismatch',
    hint: changed,
  })
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
}
