import { PosthaulError } from '../errors.ts'
import { MIB } from '../text/units.ts'

/** Bytes that can be read from anywhere: an archive's directory is at its end. */
export interface ByteSource {
  /** Its name in messages. */
  readonly name: string
  readonly bytes: number
  read(range: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>
}

/** What an archive may hold. Counted while it is read, since its headers can lie. */
export interface ArchiveCaps {
  readonly members: number
  /** Of all members together, unpacked. */
  readonly bytes: number
  /** Unpacked bytes for each byte of the archive. */
  readonly ratio: number
}

/** Far more than any export has, and less than fills a disk. */
export const ARCHIVE_CAPS: ArchiveCaps = { members: 100_000, bytes: 2 ** 40, ratio: 250 }

// Up to here the ratio is not checked: in a small archive it says nothing.
const RATIO_FREE_BYTES = 64 * MIB

/** An archive that cannot be read: `damaged` (cut short, altered, no archive at all) or over a cap. */
export class ArchiveError extends PosthaulError {
  readonly kind: 'damaged' | 'too-large'

  constructor(kind: 'damaged' | 'too-large', message: string, cause?: unknown) {
    const hint = kind === 'damaged' ? 'fetch the file again' : 'unpack it by hand, if you trust it'
    super(message, { code: 'input', hint, cause })
    this.name = 'ArchiveError'
    this.kind = kind
  }
}

/** Counts what comes out of an archive, at every level of compression, against its caps. */
export class ArchiveBudget {
  readonly #name: string
  readonly #most: number
  #spent = 0

  constructor({ name, bytes }: Pick<ByteSource, 'name' | 'bytes'>, caps: ArchiveCaps) {
    this.#name = name
    this.#most = Math.min(caps.bytes, Math.max(RATIO_FREE_BYTES, bytes * caps.ratio))
  }

  async *counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.#spent += chunk.length
      if (this.#spent > this.#most) {
        throw new ArchiveError(
          'too-large',
          `${this.#name} unpacks to over ${this.#most} bytes: refused as a bomb`,
        )
      }
      yield chunk
    }
  }
}

/** Where a member lies in its archive. Plain data: it can be handed to another thread. */
export interface ArchiveMember {
  /** As in the archive: never a path to write to. */
  readonly name: string
  /** Of the member's own header. */
  readonly offset: number
  readonly packedBytes: number
  readonly bytes: number
  readonly deflated: boolean
  readonly crc32: number
}
