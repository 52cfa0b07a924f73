import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { sum } from '../text/lists.ts'
import type { CheckpointState } from './checkpoint.ts'
import { FileSource } from './file-source.ts'
import type { InputSource, SourcePiece } from './intake.ts'
import { noSuchPlace, type Place, START_OVER, startOf } from './place.ts'

/** One of several files: its path, its name in messages and rejects, and its stored size. */
interface NamedFile {
  readonly path: string
  readonly name: string
  readonly size: number
}

type SavedInput = CheckpointState['input']

/**
 * Several files, imported one after another under one checkpoint. New files may follow the last, and the last may grow.
 * A file that was read to its end may not change, and no file may appear between those. The checkpoint keeps one hash
 * of the names and contents of all these files, so it does not grow with their number.
 */
export class FilesSource implements InputSource {
  readonly name: string
  readonly totalBytes: number
  readonly events = undefined
  readonly #files: readonly NamedFile[]
  /** The file that was read furthest, and its index among the files. */
  #current: FileSource
  #at = 0
  /** The hash of the name and content hash of each file before it. */
  #passed = createHash('sha256')
  #passedBytes = 0
  #isVerified = false

  private constructor(files: readonly NamedFile[], first: FileSource) {
    this.#files = files
    this.#current = first
    this.name = `${files[0]!.name} and ${files.length - 1} more`
    this.totalBytes = sizeOf(files)
  }

  /** `files` are at least two, in the order in which they are imported. */
  static async open(files: readonly NamedFile[]): Promise<FilesSource> {
    return new FilesSource(files, await openNamed(files[0]!))
  }

  mayHave(): boolean {
    return true
  }

  async verify(saved: SavedInput, places: readonly Place[] = []): Promise<void> {
    if (saved.kind === 'dataset') throw this.#another(`this checkpoint is of the dataset ${saved.name}`)
    // The first run may have found only one file.
    const { before, current } = saved.kind === 'files' ? saved : { before: undefined, current: saved }
    if (before) await this.#verifyPassed(before, current.name)
    const here = places.filter(({ part }) => part === this.#at).map((place) => ({ ...place, part: 0 }))
    await this.#current.verify({ kind: 'file', ...current }, here)
    await this.#checkOthers(places)
    this.#isVerified = true
  }

  /** Places in files that are not the current one: a lane can be behind, and at the start of the file that comes next. */
  async #checkOthers(places: readonly Place[]): Promise<void> {
    const beyond = places.find(({ part, offset }) => part > this.#at && (part > this.#at + 1 || offset > 0))
    if (beyond) {
      const read = `${this.#at + 1} of ${this.#files.length} files were read`
      throw noSuchPlace(`byte ${beyond.offset} of file ${beyond.part + 1}, and ${read}`)
    }
    for (const part of new Set(places.map((place) => place.part))) {
      const file = this.#files[part]
      if (part >= this.#at || !file) continue
      await (await openNamed(file)).checkPlaces(places.filter((place) => place.part === part))
    }
  }

  identity(): SavedInput {
    const { name, size, head, consumed } = this.#current.identity()
    return {
      kind: 'files',
      name: this.name,
      size: this.totalBytes,
      before: { files: this.#at, bytes: this.#passedBytes, sha256: this.#passed.copy().digest('hex') },
      current: { name, size, head, consumed },
    }
  }

  async *pieces(from: Place): AsyncGenerator<SourcePiece> {
    // A reading of what is new alone keeps no state, and has not read what is before.
    const isWhole = this.#isVerified || (from.part === 0 && from.offset === 0)
    for (let part = from.part; part < this.#files.length; part++) {
      const file = this.#files[part]!
      // All files before it have been read to their end.
      while (this.#at < part) await (isWhole ? this.#pass() : this.#goTo(part))
      // If one lane is at an earlier file than the others, that file is read again. Its content is verified by then.
      const source = part < this.#at ? await openNamed(file) : this.#current
      const start = part === from.part ? from : startOf(part)
      const next = part + 1 < this.#files.length ? startOf(part + 1) : undefined
      for await (const piece of source.pieces(start)) yield { ...piece, file: file.name, next }
    }
  }

  bytesBefore(place: Place): number {
    const before = sizeOf(this.#files.slice(0, place.part))
    if (place.part === this.#at) return before + this.#current.bytesBefore(place)
    return before + Math.min(place.offset, this.#files[place.part]?.size ?? 0)
  }

  async #pass(): Promise<void> {
    const { name, size, consumed } = this.#current.identity()
    if (consumed.bytes !== size) {
      throw this.#another(`${name} grew by ${size - consumed.bytes} bytes after it was imported`)
    }
    this.#passed.update(`${JSON.stringify([name, consumed.sha256])}\n`)
    this.#passedBytes += size
    await this.#goTo(this.#at + 1)
  }

  async #goTo(part: number): Promise<void> {
    this.#at = part
    this.#current = await openNamed(this.#files[part]!)
  }

  /** Reads the files that earlier runs finished. They must have the same names and contents. */
  async #verifyPassed(before: Saved['before'], then: string): Promise<void> {
    if (before.files >= this.#files.length) {
      throw this.#another(`${before.files + 1} files were read, and only ${this.#files.length} are given now`)
    }
    const now = sizeOf(this.#files.slice(0, before.files))
    const inPlace = this.#files[before.files]!.name
    if (now !== before.bytes || inPlace !== then) {
      const was = `what was read before ${then} had ${before.bytes} bytes`
      throw this.#another(`${was}; as many files now come before ${inPlace}, of ${now} bytes`)
    }
    while (this.#at < before.files) {
      await this.#current.readAll()
      await this.#pass()
    }
    if (this.#passed.copy().digest('hex') === before.sha256) return
    throw this.#another(`one of the ${before.files} files before ${then} was changed`)
  }

  #another(why: string): PosthaulError {
    return new PosthaulError(`these are not the files that this checkpoint was made from: ${why}`, {
      code: 'mismatch',
      hint: `import what is new by itself, with another --checkpoint, ${START_OVER}`,
    })
  }
}

type Saved = Extract<SavedInput, { kind: 'files' }>

function openNamed({ path, name }: NamedFile): Promise<FileSource> {
  return FileSource.open(path, name)
}

function sizeOf(files: readonly NamedFile[]): number {
  return sum(files, ({ size }) => size)
}
