import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { GzipFault, gunzip } from '../store/gunzip.ts'
import type { EventPart, EventsManifest } from '../store/manifest.ts'
import { byPartOrder, parsePartName } from '../store/name.ts'
import { partMissing } from '../store/read-parts.ts'
import { isS3 } from '../store/s3-location.ts'
import type { Store } from '../store/store.ts'
import { sum } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import type { CheckpointState } from './checkpoint.ts'
import type { InputSource, SourcePiece } from './intake.ts'
import { noSuchPlace, type Place, PlaceCheck, START_OVER } from './place.ts'
import { contentOf } from './sent-record.ts'

/**
 * Parts in a bucket up to this size are downloaded once, into memory: one that is sent, and the next one. A larger part is
 * downloaded to be checked, and again to be sent. A file is read twice: the second time costs no more than keeping it.
 */
const HELD_BYTES = 16 * MIB

/** A part that is as the manifest says. */
interface Whole {
  /** Of the file that was checked. */
  readonly stamp: string
  /** The bytes that were checked, in order; undefined if they are to be read again. */
  readonly held: readonly Buffer[] | undefined
}

/** A dataset, read day by day. No byte of a part is sent before the whole part matches the manifest. */
export class DatasetSource implements InputSource {
  readonly name: string
  readonly totalBytes: number
  readonly events: number
  /** The version of the rules that made its events. */
  readonly rules: string
  /** What the manifest says of a trial; undefined for a whole dataset. */
  readonly trial: EventsManifest['trial']
  /** By which a checkpoint knows the dataset again. */
  readonly manifestSha256: string
  /** By which it is known wherever it lies, and made anew with the same result. */
  readonly content: string
  readonly #store: Store
  readonly #parts: readonly EventPart[]
  readonly #properties: ReadonlySet<string> | undefined

  private constructor(store: Store, manifest: EventsManifest) {
    this.#store = store
    this.name = store.location
    this.rules = manifest.rules
    this.trial = manifest.trial
    this.content = contentOf(manifest)
    this.#parts = [...manifest.parts].sort(byDay)
    this.totalBytes = sum(this.#parts.map((part) => part.bytes))
    this.events = sum(this.#parts.map((part) => part.events))
    // A part is sent only when it matches the manifest, so its lines are those that were counted.
    const areAllNamed = manifest.other_properties === 0
    this.#properties = areAllNamed ? new Set(Object.keys(manifest.properties)) : undefined
    this.manifestSha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  }

  static async open(store: Store): Promise<DatasetSource> {
    return new DatasetSource(store, await readEventsManifest(store))
  }

  mayHave(property: string): boolean {
    return this.#properties?.has(property) ?? true
  }

  async verify(saved: CheckpointState['input'], places: readonly Place[] = []): Promise<void> {
    if (saved.kind === 'dataset') {
      const isSame = saved.manifest_sha256 === this.manifestSha256 || saved.content === this.content
      if (isSame) return this.#checkPlaces(places)
    }
    throw new PosthaulError(`${this.name} is not the dataset that this checkpoint was made from`, {
      code: 'mismatch',
      hint: `import the original dataset, ${START_OVER}`,
    })
  }

  identity(): CheckpointState['input'] {
    return {
      kind: 'dataset',
      name: this.name,
      size: this.totalBytes,
      events: this.events,
      manifest_sha256: this.manifestSha256,
      content: this.content,
    }
  }

  async *pieces(from: Place): AsyncGenerator<SourcePiece> {
    const left = new AbortController()
    try {
      let early = this.#checkEarly(from.part, left.signal)
      for (let part = from.part; part < this.#parts.length; part++) {
        const found = this.#parts[part]!
        const { stamp, held } = await this.#checked(found, await early, left.signal)
        // The next part is hashed while this one is sent: one after the other would leave a processor idle.
        early = this.#checkEarly(part + 1, left.signal)
        const start = part === from.part ? from : { part, offset: 0, line: 1 }
        yield {
          from: start,
          file: found.file,
          chunks: this.#read(found, start.offset, held),
          next: { part: part + 1, offset: 0, line: 1 },
        }
        await this.#assertUnchanged(found, stamp, left.signal)
      }
    } finally {
      left.abort()
    }
  }

  bytesBefore({ part, offset }: Place): number {
    const before = sum(this.#parts.slice(0, part).map(({ bytes }) => bytes))
    return before + Math.min(offset, this.#parts[part]?.bytes ?? 0)
  }

  async #checkPlaces(places: readonly Place[]): Promise<void> {
    const end = this.#parts.length
    const beyond = places.find(({ part, offset }) => part > end || (part === end && offset > 0))
    if (beyond)
      throw noSuchPlace(`byte ${beyond.offset} of part ${beyond.part + 1}, and ${this.name} has ${end}`)
    for (const at of new Set(places.map(({ part }) => part))) {
      const part = this.#parts[at]
      const here = places.filter((place) => place.part === at)
      if (!part || here.every(({ offset, line }) => offset === 0 && line === 1)) continue
      await this.#checkPart(part, here).catch(async (error: unknown) => {
        // If the part was changed, that is what is wrong.
        await this.#check(part, new AbortController().signal)
        throw error
      })
    }
  }

  async #checkPart(part: EventPart, places: readonly Place[]): Promise<void> {
    const check = new PlaceCheck(part.file, places)
    for await (const chunk of this.#read(part, 0)) {
      check.push(chunk)
      if (check.done) break
    }
    check.end()
  }

  /** Checks a part ahead of its turn. Resolves to undefined if the check fails for any reason. */
  #checkEarly(part: number, left: AbortSignal): Promise<Whole | undefined> {
    const found = this.#parts[part]
    return found ? this.#check(found, left).catch(() => undefined) : Promise.resolve(undefined)
  }

  /** A part that is whole now: `early` if the file is still the same, else what a new check found. */
  async #checked(part: EventPart, early: Whole | undefined, left: AbortSignal): Promise<Whole> {
    if (early !== undefined && early.stamp === (await this.#store.stamp(part.file))) return early
    return this.#check(part, left)
  }

  /**
   * Hashes the whole part. This is done before its first byte is sent: half of a changed day must not reach the service
   * before the change is noticed. After `left` aborts, the result is no longer used.
   */
  async #check({ file, bytes, sha256 }: EventPart, left: AbortSignal): Promise<Whole> {
    const stamp = await this.#store.stamp(file)
    if (stamp === undefined) throw partMissing(this.#store, file)
    const hash = createHash('sha256')
    let length = 0
    const held: Buffer[] | undefined = isS3(this.#store.location) && bytes <= HELD_BYTES ? [] : undefined
    for await (const chunk of held ? this.#store.read(file) : this.#store.readThrough(file)) {
      if (left.aborted) return { stamp: '', held: undefined }
      hash.update(chunk)
      length += chunk.length
      // An object that grew must not fill the memory.
      if (length <= bytes) held?.push(chunk)
    }
    const wrong =
      length !== bytes
        ? `it has ${length} bytes, and the manifest says ${bytes}`
        : hash.digest('hex') !== sha256
          ? 'its sha256 differs'
          : stamp !== (await this.#store.stamp(file)) && 'it was written to while it was read'
    if (wrong) throw this.#changed(file, wrong, 'nothing of it was sent')
    return { stamp, held }
  }

  /** Checks a part again after it was sent, if the file was written to meanwhile. */
  async #assertUnchanged(part: EventPart, stamp: string, left: AbortSignal): Promise<void> {
    if ((await this.#store.stamp(part.file)) === stamp) return
    await this.#check(part, left).catch((cause: unknown) => {
      throw this.#changed(
        part.file,
        'it was written to while it was sent',
        'the events that were sent may not be those that it holds: compare the two',
        cause,
      )
    })
  }

  #changed(file: string, what: string, sent: string, cause?: unknown): PosthaulError {
    return new PosthaulError(
      `${this.#store.address(file)} is not the part that the manifest names: ${what}`,
      {
        code: 'mismatch',
        hint: `${sent}; make the dataset again with the command that made it`,
        cause,
      },
    )
  }

  #read({ file, bytes }: EventPart, offset: number, held?: readonly Buffer[]): AsyncIterable<Buffer> {
    if (file.endsWith('.gz'))
      return this.#unpack(file, held ? after(0, held) : this.#store.read(file), offset)
    return held ? after(offset, held) : this.#store.readThrough(file, { start: offset, end: bytes })
  }

  async *#unpack(file: string, packed: AsyncIterable<Buffer>, offset: number): AsyncGenerator<Buffer> {
    try {
      yield* gunzip(packed, offset)
    } catch (error) {
      if (!(error instanceof GzipFault)) throw error
      throw this.#changed(file, `as gzip data, ${error.message}`, 'what is before the fault was sent', error)
    }
  }
}

/** The chunks' bytes from `offset` on. */
async function* after(offset: number, chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const chunk of chunks) {
    at += chunk.length
    if (at > offset) yield chunk.subarray(Math.max(0, chunk.length - (at - offset)))
  }
}

function byDay(a: EventPart, b: EventPart): number {
  const [first, second] = [parsePartName(a.file), parsePartName(b.file)]
  if (a.day !== b.day || !first || !second) return a.day < b.day ? -1 : a.day > b.day ? 1 : 0
  return byPartOrder(first, second)
}
