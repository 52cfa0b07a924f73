import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { PosthaulError } from '../errors.ts'
import { GaveUp, type RetryOptions, retrying } from '../http/retry.ts'
import { findManifest, writeManifest } from '../store/dataset.ts'
import { MANIFEST } from '../store/name.ts'
import type { Store } from '../store/store.ts'
import { plural } from '../text/words.ts'
import { VERSION } from '../version.ts'
import { counted, PartCounter } from './counts/part-counter.ts'
import { saveCounts } from './counts/part-counts.ts'
import type { ExportState, Frozen } from './export-state.ts'
import { gunzipped, gzipped, NDJSON_PARTS, tallied } from './line-tally.ts'
import type { ExportOrder, ExportPiece, PartForm, Source, VendorCall } from './source.ts'

/** The name of the one part of all windows that the source knows to be empty. */
const EMPTY = 'empty'

/**
 * Brings the state in line with the store: adds the parts it does not know, and drops those that are gone. An unknown
 * part that can't be unpacked, or is a copy of another, is not added, so that its window is fetched again.
 */
async function adopt({ source, store, state, listener }: ExportRunOptions): Promise<void> {
  const { pieces, form = NDJSON_PARTS } = source
  const names = new Set(pieces.map(({ name }) => name))
  const again = (text: string) => listener.note(`${text}: its window is fetched again`)
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
    const window = file.slice(0, -form.suffix.length)
    if (
      !file.endsWith(form.suffix) ||
      file.includes('/') ||
      state.frozen(window) ||
      state.refetch.includes(window)
    )
      continue
    if (window === EMPTY) {
      // No window says so any more, or does so yet: a run was killed.
      if (!state.parts().some((part) => part.file === file)) await store.remove(file)
      continue
    }
    if (!names.has(window)) continue
    const examined = await examine(store, file, form).catch((error: unknown) => {
      if (error instanceof PosthaulError && error.fate === 'retry') return again(error.message)
      throw error
    })
    if (!examined) continue
    const twin = state.twinOf(window, examined)
    if (twin !== undefined) {
      again(`${store.address(file)} is a copy of ${twin}${form.suffix}`)
      continue
    }
    const part = { ...examined, asked_at: askedAt }
    state.freeze(window, part)
    listener.frozen(window, part, undefined)
  }
}

/** Reads a whole part for what the state must know of it. */
async function examine(store: Store, file: string, form: PartForm): Promise<Omit<Frozen, 'asked_at'>> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* stored() {
    for await (const chunk of store.read(file)) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const tally = form.tally()
  for await (const chunk of gunzipped(stored(), store.address(file))) tally.push(chunk)
  return { file, lines: tally.lines, bytes, sha256: hash.digest('hex') }
}

function edited(address: string, bytes: number, size: number): PosthaulError {
  return new PosthaulError(`${address} has ${size} bytes, but had ${bytes} when it was fetched`, {
    code: 'input',
    hint: 'parts must not be edited: delete this one, and the same command fetches it again',
  })
}

export interface Listener {
  /**
   * A part is complete. `filtered`: records that the vendor gave and that are not in it; undefined if an earlier run wrote it.
   */
  frozen(window: string, part: Frozen, filtered: number | undefined): void
  retry(piece: ExportPiece, error: PosthaulError, waitMs: number): void
  /** This window cannot be fetched; the others go on. */
  refused(piece: ExportPiece, error: PosthaulError): void
  note(text: string): void
}

interface ExportRunOptions {
  readonly order: ExportOrder
  readonly source: Source
  readonly store: Store
  readonly state: ExportState
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly retry: Omit<RetryOptions, 'signal' | 'onRetry'>
  readonly scratch: (name: string) => string
  readonly listener: Listener
}

/** The pieces that have no part yet, oldest first. */
export function missing(source: Source, state: ExportState): ExportPiece[] {
  return source.pieces.filter((piece) => state.frozen(piece.name) === undefined)
}

/** The pieces whose parts were requested before their data was final. */
export function provisional(source: Source, state: ExportState): ExportPiece[] {
  return source.pieces.filter(({ name, finalAt }) => (state.frozen(name)?.asked_at ?? finalAt) < finalAt)
}

/**
 * Fetches the missing parts, one for each window, then writes the manifest, unless pieces may have to be counted
 * again. Can be resumed at any point.
 */
export async function runExport(options: ExportRunOptions): Promise<void> {
  const { source, store, state, listener } = options
  // The folder says whose it is before it has a part, and another run on it is stopped. Only then are unfinished files
  // certain to come from dead runs.
  await state.claim()
  await store.sweep()
  await adopt(options)
  // Old data is about to be replaced, so the manifest will no longer be true.
  if (state.refetch.length > 0) await store.remove(MANIFEST)
  let isWhole = true
  const limit = pLimit(options.concurrency)
  let failure: unknown
  let succeededAt = Number.NEGATIVE_INFINITY
  await freezeEmpty(missing(source, state), options)
  const work = missing(source, state).map((piece) =>
    limit(async () => {
      if (failure !== undefined || options.signal.aborted) return
      try {
        await fetchPiece(piece, options)
        succeededAt = options.retry.clock.now()
      } catch (error) {
        // If other windows succeeded meanwhile, the problem is this window's, not the vendor's.
        const alone = error instanceof GaveUp && succeededAt > error.since
        if (error instanceof PosthaulError && (alone || error.fate === 'reject')) {
          isWhole = false
          listener.refused(piece, error)
        } else {
          // Windows under way go on: the quota that they have used should not be lost.
          failure ??= error
          // A vendor may ask for a wait of days: those that wait for their turn have used nothing.
          if (error instanceof PosthaulError) source.limiter.hasten(error)
        }
      }
    }),
  )
  await Promise.all(work)
  await state.flush()
  if (options.signal.aborted)
    throw new PosthaulError('interrupted; windows that are fetched are kept', { code: 'interrupted' })
  if (failure !== undefined) throw failure
  // Pieces may be fetched again before it is whole.
  if (isWhole && !source.recount) await publish(options)
}

/**
 * Freezes the pieces that the source knows to be empty. They share a file: thousands of files, each of them synced, would take a
 * minute. Where a kill kept the state from naming it, they are counted anew.
 */
async function freezeEmpty(wanted: readonly ExportPiece[], options: ExportRunOptions): Promise<void> {
  const { source, store, state, listener } = options
  const [first] = wanted
  if (!first || !source.foresee) return
  const call = callOf(first, options)
  const askedAt = options.retry.clock.wall()
  const empty = await source.foresee(wanted, call)
  if (empty.length === 0) return
  const { suffix } = source.form ?? NDJSON_PARTS
  const file = `${EMPTY}${suffix}`
  const { bytes, sha256 } = await retrying(() => store.put(file, gzipped(Readable.from([]))), call.retry)
  // Parts that are fetched again, and are empty now, are nobody's.
  const files = new Set((await store.list()).map(({ name }) => name))
  for (const piece of empty) {
    const old = `${piece.name}${suffix}`
    if (files.has(old)) await store.remove(old)
    const part = { file, lines: 0, bytes, sha256, asked_at: askedAt }
    state.freeze(piece.name, part)
    listener.frozen(piece.name, part, 0)
  }
  await state.flush()
}

/** What the requests for a piece may use. */
function callOf(piece: ExportPiece, { listener, signal, scratch, ...options }: ExportRunOptions): VendorCall {
  const onRetry: RetryOptions['onRetry'] = (error, waitMs) => listener.retry(piece, error, waitMs)
  return { signal, retry: { ...options.retry, signal, onRetry }, scratch, note: listener.note }
}

async function fetchPiece(piece: ExportPiece, options: ExportRunOptions): Promise<void> {
  const { store, state, listener } = options
  let filtered = 0
  const { suffix, tally: newTally } = options.source.form ?? NDJSON_PARTS
  const call = {
    ...callOf(piece, options),
    filtered: (count: number) => {
      filtered += count
    },
  }
  const file = `${piece.name}${suffix}`
  const part = await retrying(async () => {
    filtered = 0
    const tally = newTally()
    const counter = piece.events && new PartCounter(piece.events.by)
    const askedAt = options.retry.clock.wall()
    const lines = tallied(piece.fetch({ ...call, tally }), tally)
    const { bytes, sha256 } = await store.put(file, gzipped(counter ? counted(lines, counter) : lines))
    if (counter) await saveCounts(store, piece.name, sha256, counter.end())
    return { file, lines: tally.lines, bytes, sha256, asked_at: askedAt }
  }, call.retry)
  const twin = state.twinOf(piece.name, part)
  if (twin !== undefined) {
    await store.remove(file)
    throw new PosthaulError(
      `${piece.name} came with the very same ${plural(part.lines, 'record')} as ${twin}`,
      {
        code: 'config',
        hint: 'each window must give records of its own: a command has to use {from} and {to}, and no proxy may answer from its cache',
      },
    )
  }
  state.freeze(piece.name, part)
  listener.frozen(piece.name, part, filtered)
  await state.save()
}

/** Writes the manifest: from here on the dataset counts as finished. */
async function publish({ order, source, store, state, listener }: ExportRunOptions): Promise<void> {
  const parts = state.parts()
  const { suffix } = source.form ?? NDJSON_PARTS
  const files = new Set(parts.map(({ file }) => file))
  for (const { name } of await store.list())
    if (name.endsWith(suffix) && !name.includes('/') && !files.has(name))
      listener.note(`${store.address(name)} is no part of this export, and is left out`)
  const found = await findManifest(store)
  await writeManifest(
    store,
    {
      version: 2,
      kind: 'raw',
      tool: `posthaul ${VERSION}`,
      created_at: new Date().toISOString(),
      source: {
        ...order.identity,
        ...order.about,
        ...(order.preset !== undefined && { preset: order.preset }),
      },
      records: parts.reduce((sum, part) => sum + part.events, 0),
      parts,
    },
    found ? { version: found.version } : 'absent',
  )
}
