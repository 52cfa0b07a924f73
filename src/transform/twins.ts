import type { MappedEvent } from '../mapping/index.ts'
import { nthTwin, UUID_LENGTH, uuidOffset } from '../record/index.ts'
import { BufferPool } from './run/buffer-pool.ts'
import { SeenEvents } from './seal/dedupe.ts'

/** At first; the table grows. */
const CONTENT_IDS = 1024

/** Tells twins apart in memory, as sealing does on disk: 50 bytes for each record without an id of its own. */
export class Twins {
  readonly #seen = new SeenEvents(CONTENT_IDS, new BufferPool())

  /** Gives the line of a record without an id the uuid that it has after those before it. */
  tellApart({ bytes }: MappedEvent['line']): void {
    const at = uuidOffset(0)
    const twin = this.#seen.count(bytes, at, 0, 0)
    if (twin > 0) bytes.write(nthTwin(bytes.toString('latin1', at, at + UUID_LENGTH), twin), at, 'latin1')
  }
}
