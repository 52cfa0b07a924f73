import { createHash } from 'node:crypto'
import { PosthaulError } from '../../src/errors.ts'
import { lostRace } from '../../src/store/local.ts'
import { assertStoreName, byPartName } from '../../src/store/name.ts'
import type { Body, ByteRange, Loaded, Put, PutCondition, Store, StoredFile } from '../../src/store/store.ts'

/** A store in memory: like a bucket that keeps conditions, and fast. */
export class MemoryStore implements Store {
  readonly location: string = 'memory'
  readonly files = new Map<string, Buffer>()

  address(name: string): string {
    assertStoreName(name)
    return `memory/${name}`
  }

  async list(): Promise<StoredFile[]> {
    return [...this.files].map(([name, bytes]) => ({ name, bytes: bytes.length })).sort(byPartName)
  }

  async *read(name: string, range?: ByteRange): AsyncGenerator<Buffer> {
    const loaded = await this.load(name)
    if (!loaded) throw new PosthaulError(`cannot read ${name}`, { code: 'input' })
    const bytes = Buffer.from(loaded.bytes).subarray(range?.start, range?.end)
    if (bytes.length > 0) yield bytes
  }

  readThrough(name: string, range?: ByteRange): AsyncIterable<Buffer> {
    return this.read(name, range)
  }

  async stamp(name: string): Promise<string | undefined> {
    return (await this.load(name))?.version
  }

  async load(name: string): Promise<Loaded | undefined> {
    assertStoreName(name)
    const bytes = this.files.get(name)
    return bytes && { bytes, version: sha256(bytes) }
  }

  async put(name: string, body: Body, condition?: PutCondition): Promise<Put> {
    const address = this.address(name)
    const chunks: Buffer[] = []
    for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(Buffer.from(chunk))
    const there = this.files.get(name)
    const expected = condition === 'absent' ? undefined : condition?.version
    if (condition !== undefined && (there && sha256(there)) !== expected) throw lostRace(address)
    const bytes = Buffer.concat(chunks)
    this.files.set(name, bytes)
    return { bytes: bytes.length, sha256: sha256(bytes), version: sha256(bytes) }
  }

  async remove(name: string): Promise<void> {
    assertStoreName(name)
    this.files.delete(name)
  }

  async sweep(): Promise<void> {}
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
