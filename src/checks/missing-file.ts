import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { headId, headName, headUuid, readHead } from '../record/head.ts'
import type { ArrivedId } from '../service/arrived.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { syncFolder, temporaryBeside } from '../store/own-file.ts'
import { MIB } from '../text/units.ts'
import { headDay } from './gaps.ts'

const LF = Buffer.from('\n')

const MOST_NAMED = 1000

/** An event that is only here, or only in the service. */
interface NamedEvent {
  readonly day: string
  readonly event: string
  readonly uuid: string
  readonly distinct_id: string
}

/**
 * Takes in which events differ: names the first, and writes those that are not in the service to a file that `import --file` takes. It
 * never replaces another.
 */
export class MissingFile {
  readonly missingEvents: NamedEvent[] = []
  readonly unknownEvents: NamedEvent[] = []
  readonly #path: string
  readonly #temporary: string
  #file: FileHandle | undefined
  #held: Buffer[] = []
  #bytes = 0

  constructor(path: string) {
    this.#path = path
    this.#temporary = temporaryBeside(path)
  }

  /** An event line that is not in the service; valid until it returns. */
  missing(line: Buffer): void {
    this.#held.push(Buffer.from(line), LF)
    this.#bytes += line.length + 1
    if (this.missingEvents.length >= MOST_NAMED) return
    const head = readHead(line, 0, line.length)!
    this.missingEvents.push({
      day: headDay(head),
      event: headName(line, head),
      uuid: headUuid(line, 0),
      distinct_id: headId(line, head),
    })
  }

  unknown(day: string, { event, uuid, distinctId }: ArrivedId): void {
    if (this.unknownEvents.length < MOST_NAMED)
      this.unknownEvents.push({ day, event, uuid, distinct_id: distinctId })
  }

  /** Writes what is held, once it is worth it. */
  async flush(least = MIB): Promise<void> {
    if (this.#bytes < least || this.#bytes === 0) return
    try {
      this.#file ??= await open(this.#temporary, 'wx')
      await this.#file.appendFile(Buffer.concat(this.#held.splice(0)))
      this.#bytes = 0
    } catch (error) {
      throw fileError(error, 'write', this.#path)
    }
  }

  /** Puts the file in its place, durably, or under the next free name. Returns its path; undefined without lines. */
  async finish(): Promise<string | undefined> {
    await this.flush(0)
    if (!this.#file) return undefined
    await this.#file.sync()
    for (let n = 1; ; n++) {
      const path =
        n === 1 ? this.#path : this.#path.replace(/(\.[^./]*)?$/, (extension) => `-${n}${extension}`)
      try {
        // A link fails where a rename would replace.
        await link(this.#temporary, path)
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') continue
        throw fileError(error, 'write', path)
      }
      await syncFolder(dirname(path))
      return path
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    // Without a file there is nothing to remove, and a missing folder would be a second error.
    if (this.#file) await rm(this.#temporary, { force: true })
  }
}
