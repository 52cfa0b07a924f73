import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { readEventsManifest } from '../store/dataset.ts'
import type { EventPart, EventsManifest } from '../store/manifest.ts'
import { byPartOrder, parsePartName } from '../store/part-name.ts'
import type { Store } from '../store/store.ts'
import type { CheckpointState } from './checkpoint.ts'
import type { Place } from './place.ts'
import type { InputSource, Piece } from './source.ts'
import { unpack } from './unpack.ts'

/** A dataset: days in order, and no byte of a part is sent before the part is what its manifest says. */
export class DatasetSource implements InputSource {
  readonly name: string
  readonly totalBytes: number
  readonly events: number
  readonly #store: Store
  readonly #parts: readonly EventPart[]
  readonly #manifestSha256: string

  private constructor(store: Store, manifest: EventsManifest) {
    this.#store = store
    this.name = store.location
    this.#parts = [...manifest.parts].sort(byDay)
    this.totalBytes = sum(this.#parts.map((part) => part.bytes))
    this.events = sum(this.#parts.map((part) => part.events))
    this.#manifestSha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  }

  static async open(store: Store): Promise<DatasetSource> {
    return new DatasetSource(store, await readEventsManifest(store))
  }

  async verify(saved: CheckpointState['input']): Promise<void> {
    if (saved.kind === 'dataset' && saved.manifest_sha256 === this.#manifestSha256) return
    throw new PosthaulError(`${this.name} is not the dataset that this checkpoint was made from`, {
      code: 'mismatch',
      hint: 'import the original dataset, or start over with --restart',
    })
  }

  identity(): CheckpointState['input'] {
    return {
      kind: 'dataset',
      name: this.name,
      size: this.totalBytes,
      events: this.events,
      manifest_sha256: this.#manifestSha256,
    }
  }

  async *pieces(from: Place): AsyncGenerator<Piece> {
    const left = new AbortController()
    try {
      let whole = this.#whole(from.part, left.signal)
      for (let part = from.part; part < this.#parts.length; part++) {
        await whole
        // While this part is on its way: a processor that only hashes, or only packs, stands idle half the time.
        whole = this.#whole(part + 1, left.signal)
        const found = this.#parts[part]!
        const start = part === from.part ? from : { part, offset: 0, line: 1 }
        yield {
          from: start,
          file: found.file,
          chunks: this.#read(found, start.offset),
          next: { part: part + 1, offset: 0, line: 1 },
        }
      }
    } finally {
      left.abort()
    }
  }

  bytesBefore({ part, offset }: Place): number {
    const before = sum(this.#parts.slice(0, part).map(({ bytes }) => bytes))
    return before + Math.min(offset, this.#parts[part]?.bytes ?? 0)
  }

  /** Begins to check a part, if there is one. Its failure is thrown where the promise is awaited. */
  #whole(part: number, left: AbortSignal): Promise<void> {
    const found = this.#parts[part]
    const whole = found ? this.#assertWhole(found, left) : Promise.resolve()
    whole.catch(() => undefined)
    return whole
  }

  /**
   * Hashes the whole part first: half of a changed day must not be in the service before the change is noticed. Once
   * `left` is aborted nobody wants to know.
   */
  async #assertWhole({ file, bytes, sha256 }: EventPart, left: AbortSignal): Promise<void> {
    const hash = createHash('sha256')
    let length = 0
    for await (const chunk of this.#store.readThrough(file)) {
      if (left.aborted) return
      hash.update(chunk)
      length += chunk.length
    }
    if (length === bytes && hash.digest('hex') === sha256) return
    const what = length === bytes ? 'its sha256 is another' : `it has ${length} bytes, and ${bytes} there`
    throw new PosthaulError(`${this.#store.address(file)} is not the part that the manifest names: ${what}`, {
      code: 'mismatch',
      hint: 'nothing of it was sent; make the dataset anew with the command that made it',
    })
  }

  #read({ file, bytes }: EventPart, offset: number): AsyncIterable<Buffer> {
    if (file.endsWith('.gz')) {
      return unpack(this.#store.read(file), offset, (from) =>
        this.#store.read(file, { start: from, end: bytes }),
      )
    }
    return this.#store.readThrough(file, { start: offset, end: bytes })
  }
}

function byDay(a: EventPart, b: EventPart): number {
  const [first, second] = [parsePartName(a.file), parsePartName(b.file)]
  if (a.day !== b.day || !first || !second) return a.day < b.day ? -1 : a.day > b.day ? 1 : 0
  return byPartOrder(first, second)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
