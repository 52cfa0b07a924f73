import { uuidOffset } from '../../record/head.ts'
import { readUuidBytes } from '../../record/uuid-bytes.ts'
import { openStore } from '../../store/open.ts'
import { readParts } from '../../store/read-parts.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import { SeenEvents, uuidRange } from '../seal/dedupe.ts'
import type { EarlierPart } from './earlier.ts'

/** A uuid, and a hash of nothing. */
const KEY_WORDS = 6

/** The uuids that earlier datasets have of one day. An event with one of them is theirs, whatever else it says. */
export class KnownEvents {
  /** How many events the parts hold. */
  readonly events: number
  readonly #parts: readonly EarlierPart[]
  #uuids: SeenEvents | undefined

  constructor(parts: readonly EarlierPart[]) {
    this.#parts = parts
    this.events = parts.reduce((sum, { part }) => sum + part.events, 0)
  }

  /** Reads the uuids of one of `passes` ranges, in place of those before. Code `mismatch` for a part that was changed. */
  async read(pass: number, passes: number): Promise<void> {
    if (this.events === 0) return
    // Not the pool of the day: its table holds the day's own events.
    const uuids = new SeenEvents(Math.ceil(this.events / passes), new BufferPool())
    const key = new Uint32Array(KEY_WORDS)
    for (const { location, part } of this.#parts) {
      const each = (line: Buffer) => {
        readUuidBytes(line, uuidOffset(0), key)
        if (passes > 1 && uuidRange(key, 0, passes) !== pass) return
        uuids.countKey(key, 0)
      }
      await readParts(await openStore(location), [part], each, async () => undefined)
    }
    this.#uuids = uuids
  }

  /** True if the uuid, four words from `at` on, is one of those that were read. */
  has(words: Uint32Array, at: number): boolean {
    return this.#uuids?.hasUuid(words, at) ?? false
  }
}
