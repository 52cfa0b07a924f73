import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import type { Rejects, RejectsDigest } from './import-state.ts'

/** The rejects of an import. The file is kept as long as the checkpoint says, so no reject is lost or doubled. */
export class RejectsFile implements Rejects {
  readonly path: string
  #hash: Hash
  #bytes: number
  #file: FileHandle | undefined

  private constructor(path: string, hash: Hash, bytes: number) {
    this.path = path
    this.#hash = hash
    this.#bytes = bytes
  }

  /**
   * Opens the file as the checkpoint knows it. What follows the bytes of `digest` was written by a run that died before
   * its checkpoint was saved: it is cut off. Throws `mismatch` if the other bytes are not those that were written.
   */
  static async resume(path: string, digest: RejectsDigest): Promise<RejectsFile> {
    const size = await sizeOf(path)
    // The user moved it away to mend the rejects: the next rejects begin a new file.
    if (size === undefined) return new RejectsFile(path, createHash('sha256'), 0)
    const hash = createHash('sha256')
    if (size > 0 && digest.bytes > 0) {
      for await (const chunk of createReadStream(path, { end: digest.bytes - 1 })) hash.update(chunk)
    }
    if (size < digest.bytes || hash.copy().digest('hex') !== digest.sha256) throw changedRejects(path)
    // No byte of this file is known to be this import's: the user may have moved it away, mended it and put it back.
    // So it is kept under another name, not cut off.
    if (size > 0 && digest.bytes === 0) {
      await RejectsFile.setAside(path)
      return new RejectsFile(path, hash, 0)
    }
    const rejects = new RejectsFile(path, hash, digest.bytes)
    if (size > digest.bytes) await (await rejects.#open()).truncate(digest.bytes)
    return rejects
  }

  /** Begins the file of a new import. Throws `mismatch` if there is a file already: it is another import's. */
  static async begin(path: string): Promise<RejectsFile> {
    if ((await sizeOf(path)) !== undefined) throw foreignRejects(path)
    return new RejectsFile(path, createHash('sha256'), 0)
  }

  /** Moves the rejects of an earlier import to a name that no file has, so that a restart begins a new file. */
  static async setAside(path: string): Promise<void> {
    let aside = `${path}.old`
    for (let n = 2; (await sizeOf(aside)) !== undefined; n++) aside = `${path}.old${n}`
    await rename(path, aside).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw fileError(error, 'write', path)
    })
  }

  get digest(): RejectsDigest {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') }
  }

  /** Appends lines and syncs them to disk. */
  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.join(''))
    try {
      const file = await this.#open()
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

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file
    try {
      // Not 'a': lines are written at a position, over what a dead run left after it.
      this.#file = await open(this.path, this.#bytes > 0 || (await sizeOf(this.path)) ? 'r+' : 'w')
    } catch (error) {
      throw fileError(error, 'write', this.path)
    }
    return this.#file
  }
}

/** The refusal of rejects that are there before their import has begun. */
export function foreignRejects(path: string): PosthaulError {
  return new PosthaulError(`${path} already exists, but is not from this import`, {
    code: 'mismatch',
    hint: 'move it away; it holds the rejects of another run',
  })
}

/** The refusal of rejects that are not those that the import wrote. */
export function changedRejects(path: string): PosthaulError {
  return new PosthaulError(`${path} has changed since this import wrote it`, {
    code: 'mismatch',
    hint: 'move it away (mend and import it from there); the import then goes on with a new one',
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
