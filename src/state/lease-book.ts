import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { type Holder, holderSchema } from '../store/holder.ts'
import type { Cell } from './cell.ts'

/** The holders that the file of a lease names, and the version to replace. */
export interface Book {
  readonly holders: readonly Holder[]
  readonly version: string | undefined
}

const bookSchema = z.object({ version: z.literal(2), holders: z.array(holderSchema) })

/** True if one more share, one part in `share`, fits beside the holders. */
export function hasRoom(holders: readonly Holder[], share: number): boolean {
  const all = holders.reduce((sum, holder) => sum + 1 / holder.share, 1 / share)
  // A sum such as 1/3 + 1/3 + 1/3 is not exact.
  return all < 1 + 1e-9
}

/** The result of a conditional write: false if another writer was first. */
export async function won(write: Promise<void>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof PosthaulError && error.code === 'mismatch') return false
    throw error
  }
}

/** The text of the file. */
export function encodeBook(holders: readonly Holder[]): string {
  return `${JSON.stringify({ version: 2, holders })}\n`
}

/** Reads the file. `force`: a file that can't be read names no holders. */
export async function readBook(cell: Cell, force: boolean): Promise<Book> {
  const loaded = await cell.load()
  if (!loaded) return { holders: [], version: undefined }
  const { bytes, version } = loaded
  if (bytes.length === 0) return { holders: [], version }
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const book = bookSchema.safeParse(value)
    // Earlier versions wrote one holder, and never renewed it.
    return { holders: book.success ? book.data.holders : [holderSchema.parse(value)], version }
  } catch (cause) {
    if (force) return { holders: [], version }
    throw new PosthaulError(`${cell.address} is no lock that posthaul wrote, so nobody can say whose it is`, {
      code: 'locked',
      hint: `if no other run is working here, delete ${cell.address}`,
      cause,
    })
  }
}
