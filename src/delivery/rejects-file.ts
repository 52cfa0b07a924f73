import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'

/** How long the acknowledged part of the file is, and its hash. */
export interface RejectsDigest {
  readonly bytes: number
  readonly sha256: string
}

/** The rejects of an import: only ever as long as the checkpoint says, so none is lost and none stands twice. */
export class RejectsFile {
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
   * Opens the file as a checkpoint left it: what stands behind `digest` was written by a run that died before it
   * could be acknowledged, and is cut off. Throws `mismatch` when the rest is not what was written.
   */
  static async resume(path: string, digest: RejectsDigest): Promise<RejectsFile> {
    const size = await sizeOf(path)
    // Moved away, to be mended: the next rejects begin a new file.
    if (size === undefined) return new RejectsFile(path, createHash('sha256'), 0)
    const hash = createHash('sha256')
    if (size > 0 && digest.bytes > 0) {
      for await (const chunk of createReadStream(path, { end: digest.bytes - 1 })) hash.update(chunk)
    }
    if (size < digest.bytes || hash.copy().digest('hex') !== digest.sha256) throw changed(path)
    // Of a file that is cut off whole nothing can be told to be ours: it may have been moved away, mended and put back.
    if (size > 0 && digest.bytes === 0) {
      await RejectsFile.setAside(path)
      return new RejectsFile(path, hash, 0)
    }
    const rejects = new RejectsFile(path, hash, digest.bytes)
    if (size > digest.bytes) await (await rejects.#open()).truncate(digest.bytes)
    return rejects
  }

  /** Begins a file for an import that has none yet; throws `mismatch` when another import's is in its place. */
  static async begin(path: string): Promise<RejectsFile> {
    if ((await sizeOf(path)) !== undefined) {
      throw new PosthaulError(`${path} is already there, but not from this import`, {
        code: 'mismatch',
        hint: 'move it away; it holds the rejects of another run',
      })
    }
    return new RejectsFile(path, createHash('sha256'), 0)
  }

  /** Moves an import's rejects out of the way of a fresh start, to a name that nothing has. */
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

  /** Appends lines durably. */
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
      // Never 'a': a position is kept, and what a dead run left behind it is written over.
      this.#file = await open(this.path, this.#bytes > 0 || (await sizeOf(this.path)) ? 'r+' : 'w')
    } catch (error) {
      throw fileError(error, 'write', this.path)
    }
    return this.#file
  }
}

function changed(path: string): PosthaulError {
  return new PosthaulError(`${path} was changed since this import wrote it`, {
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
