import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { type Holder, holderSchema, type PutCondition } from '../store/index.ts'
import type { Cell } from './cell.ts'
import { CellKind, type Unreadable } from './cell-kind.ts'
import { json } from './form.ts'

/** The holders that the file of a lease names, and the version to replace. */
export interface Book {
  readonly holders: readonly Holder[]
  readonly version: string | undefined
}

const bookSchema = z.object({ version: z.literal(2), holders: z.array(holderSchema) })
const JSON_LINE = json()

export const LEASE = new CellKind({
  name: 'lease',
  // Earlier versions wrote one holder, and never renewed it.
  schema: z.union([
    bookSchema,
    holderSchema.transform((holder): z.infer<typeof bookSchema> => ({ version: 2, holders: [holder] })),
  ]),
  version: 2,
  // In a bucket a lease that was given back is empty.
  form: {
    ...JSON_LINE,
    decode: (bytes) => (bytes.length === 0 ? { version: 2, holders: [] } : JSON_LINE.decode(bytes)),
  },
  refusal: noLock,
})

function noLock(address: string, reading: Unreadable): PosthaulError {
  return new PosthaulError(`${address} is no lock that posthaul wrote, so nobody can say whose it is`, {
    code: 'locked',
    hint: `if no other run is working here, delete ${address}`,
    ...(reading.kind === 'damaged' && { cause: reading.cause }),
  })
}

/** True if one more share, one part in `share`, fits beside the holders. */
export function hasRoom(holders: readonly Holder[], share: number): boolean {
  const all = holders.reduce((sum, holder) => sum + 1 / holder.share, 1 / share)
  // A sum such as 1/3 + 1/3 + 1/3 is not exact.
  return all < 1 + 1e-9
}

/** The result of a conditional write: false if another writer was first. */
export async function won(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof PosthaulError && error.code === 'mismatch') return false
    throw error
  }
}

/** Writes the holders. Code `mismatch` if the condition does not hold. */
export function writeBook(cell: Cell, holders: readonly Holder[], condition: PutCondition): Promise<string> {
  return LEASE.save(cell, { version: 2, holders: [...holders] }, condition)
}

/** Reads the file. `force`: a file that can't be read names no holders. */
export async function readBook(cell: Cell, force: boolean): Promise<Book> {
  const loaded = await cell.load()
  if (!loaded) return { holders: [], version: undefined }
  const { version } = loaded
  const reading = LEASE.read(loaded.bytes)
  if (reading.kind === 'whole') return { holders: reading.value.holders, version }
  if (force) return { holders: [], version }
  throw noLock(cell.address, reading)
}
