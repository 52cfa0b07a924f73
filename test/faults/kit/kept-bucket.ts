import { lostRace } from '../../../src/store/local.ts'
import type { Body, Loaded, Put, PutCondition } from '../../../src/store/store.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'

/** A bucket that outlives the hosts that use it. Versions are numbers: a month of puts takes no time for sums. */
export class KeptBucket extends MemoryStore {
  readonly #versions = new Map<string, number>()
  #puts = 0
  /** Bytes that were put in all. */
  sent = 0

  override async load(name: string): Promise<Loaded | undefined> {
    const bytes = this.files.get(name)
    return bytes && { bytes, version: String(this.#versions.get(name)) }
  }

  override async put(name: string, body: Body, condition?: PutCondition): Promise<Put> {
    const chunks: Uint8Array[] = []
    for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk)
    const there = this.#versions.get(name)
    const expected = condition === 'absent' ? undefined : condition?.version
    if (condition !== undefined && there?.toString() !== expected) throw lostRace(this.address(name))
    const bytes = Buffer.concat(chunks)
    this.#set(name, bytes)
    this.sent += bytes.length
    return { bytes: bytes.length, sha256: '', version: String(this.#puts) }
  }

  /** What it holds at this instant. */
  snapshot(): ReadonlyMap<string, Buffer> {
    return new Map(this.files)
  }

  /** Is again as it was: what a host wrote after its death never came. */
  restore(snapshot: ReadonlyMap<string, Buffer>): void {
    for (const name of [...this.files.keys()]) this.files.delete(name)
    for (const [name, bytes] of snapshot) this.#set(name, bytes)
  }

  /** Bytes of the objects whose names end so. */
  bytesOf(ending: string): number {
    return [...this.files].reduce(
      (sum, [name, { length }]) => (name.endsWith(ending) ? sum + length : sum),
      0,
    )
  }

  #set(name: string, bytes: Buffer): void {
    this.files.set(name, bytes)
    this.#versions.set(name, ++this.#puts)
  }
}
