import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import type { Store } from '../store/index.ts'
import type { ExportState, Frozen } from './export-state.ts'
import { gunzipped } from './gzip.ts'
import { LineTally } from './line-tally.ts'

/** The end of the names of parts' files. */
export const PART_SUFFIX = '.ndjson.gz'

/** Told what was found in the store. */
export interface Finds {
  readonly adopted: (window: string, part: Frozen) => void
  readonly note: (text: string) => void
}

/**
 * Brings the state in line with the store: adds the parts it does not know, and drops those that are gone. An unknown
 * part that can't be unpacked is not added, so that its window is fetched again.
 */
export async function adopt(store: Store, state: ExportState, finds: Finds): Promise<void> {
  // Parts that the state does not know were fetched after it was last written.
  const askedAt = state.savedAt
  const sizes = new Map((await store.list()).map((file) => [file.name, file.bytes]))
  for (const { window, file, bytes } of state.parts()) {
    const size = sizes.get(file)
    // The user removed the part, to have it fetched again.
    if (size === undefined) state.forget(window)
    else if (size !== bytes) throw edited(store.address(file), bytes, size)
  }
  for (const file of sizes.keys()) {
    const window = file.slice(0, -PART_SUFFIX.length)
    if (
      !file.endsWith(PART_SUFFIX) ||
      file.includes('/') ||
      state.frozen(window) ||
      state.refetch.includes(window)
    )
      continue
    const examined = await examine(store, file).catch((error: unknown) => {
      if (error instanceof PosthaulError && error.fate === 'retry') return finds.note(error.message)
      throw error
    })
    if (!examined) continue
    const part = { ...examined, asked_at: askedAt }
    state.freeze(window, part)
    finds.adopted(window, part)
  }
}

/** Reads a whole part for what the state must know of it. */
async function examine(store: Store, file: string): Promise<Omit<Frozen, 'asked_at'>> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* stored() {
    for await (const chunk of store.read(file)) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const tally = new LineTally()
  for await (const chunk of gunzipped(stored(), store.address(file))) tally.push(chunk)
  return { file, lines: tally.lines, bytes, sha256: hash.digest('hex') }
}

function edited(address: string, bytes: number, size: number): PosthaulError {
  return new PosthaulError(`${address} has ${size} bytes, but had ${bytes} when it was fetched`, {
    code: 'input',
    hint: 'parts must not be edited: delete this one, and the same command fetches it again',
  })
}
