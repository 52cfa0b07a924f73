import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/http/clock.ts'
import { type Reconciled, reconcile } from '../../src/sources/counts/reconcile.ts'
import { ExportState } from '../../src/sources/export-state.ts'
import { provisional, runExport } from '../../src/sources/run-export.ts'
import type { ExportOrder, Source } from '../../src/sources/source.ts'
import { readManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { temporaryBeside } from '../../src/store/own-file.ts'
import type { Store } from '../../src/store/store.ts'
import { testFolder } from '../helpers/folder.ts'
import type { FakeVendor } from '../helpers/vendors/fake.ts'

/** An empty store that goes away with the test. */
export const freshStore = () => new LocalStore(testFolder())

/** Starts a fake vendor, which ends with the test. */
export async function started<T extends FakeVendor>(fake: T): Promise<T> {
  onTestFinished(() => fake.close())
  return fake.start()
}

export interface Told {
  readonly outcome: { readonly fetched: number; readonly refused: readonly string[] }
  readonly retries: string[]
  readonly refused: string[]
  readonly notes: string[]
  /** Windows that were fetched, and windows taken over from an earlier run. */
  readonly fetched: string[]
  readonly adopted: string[]
  /** Windows that were asked for before they were final. */
  readonly provisional: string[]
  /** Records that were left out. */
  readonly filtered: number
}

interface HarnessOptions {
  readonly concurrency?: number
  readonly retryForMs?: number
  readonly refetch?: boolean
  readonly signal?: AbortSignal
  /** The time of the wall clock, which stays the same; the real time if left out. */
  readonly now?: number
  /** The clock of the retries, in place of `now`. */
  readonly clock?: Clock
  /** Called for each window that this run has fetched. */
  readonly frozen?: (window: string) => void
}

/** Runs an export in this process, with short waits. */
export async function exportInto(
  store: LocalStore,
  order: ExportOrder,
  options: HarnessOptions = {},
): Promise<Told> {
  const state = await ExportState.open(store, order.identity)
  const source = order.open(state.memory)
  if (options.refetch) state.melt(source.pieces.map((piece) => piece.name))
  const { now } = options
  const clock = options.clock ?? (now === undefined ? systemClock : { ...systemClock, wall: () => now })
  const report = { retries: [], refused: [], notes: [], fetched: [], adopted: [] } as Omit<
    Told,
    'outcome' | 'provisional' | 'filtered'
  >
  let filtered = 0
  try {
    await runExport({
      order,
      source,
      store,
      state,
      concurrency: options.concurrency ?? 4,
      signal: options.signal ?? new AbortController().signal,
      // The waits are as short as a backoff makes them: test/http tests their length.
      retry: { retryForMs: options.retryForMs ?? 60_000, clock, random: () => 0 },
      scratch: (name) => temporaryBeside(join(store.location, name)),
      listener: {
        frozen: (window, _, left) => {
          filtered += left ?? 0
          ;(left === undefined ? report.adopted : report.fetched).push(window)
          if (left !== undefined) options.frozen?.(window)
        },
        retry: (piece, error) => void report.retries.push(`${piece.name}: ${error.message}`),
        refused: (piece, error) => void report.refused.push(`${piece.name}: ${error.message}`),
        note: (text) => void report.notes.push(text),
      },
    })
    return {
      ...report,
      outcome: { fetched: report.fetched.length, refused: report.refused },
      filtered,
      provisional: provisional(source, state).map((piece) => piece.name),
    }
  } finally {
    await source.close()
  }
}

/** Hands out what asks a vendor for its counts once an export is there. */
export async function asking<T>(
  store: LocalStore,
  order: ExportOrder,
  { clock, retryForMs = 10_000, random = 0 }: { clock: Clock; retryForMs?: number; random?: number },
  ask: (asked: Omit<Parameters<typeof reconcile>[0], 'report'> & { source: Source }) => Promise<T>,
): Promise<T> {
  const state = await ExportState.open(store, order.identity)
  const source = order.open(state.memory)
  const { signal } = new AbortController()
  const retry = { signal, clock, retryForMs, random: () => random }
  try {
    return await ask({
      source,
      store,
      state,
      call: { signal, retry, scratch: (name) => name, note: () => {} },
    })
  } finally {
    await source.close()
  }
}

/** Holds an export against its vendor's report. */
export function reconciled(store: LocalStore, order: ExportOrder, clock: Clock): Promise<Reconciled> {
  return asking(store, order, { clock }, (asked) => reconcile({ ...asked, report: asked.source.report! }))
}

/** Every line of every part that the manifest names, parsed. */
export async function recordsOf(store: Store): Promise<unknown[]> {
  return (await linesOf(store)).map((line) => JSON.parse(line) as unknown)
}

export async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = []
  for (const part of (await readManifest(store)).parts) {
    const chunks: Buffer[] = []
    for await (const chunk of store.read(part.file)) chunks.push(chunk)
    const text = gunzipSync(Buffer.concat(chunks)).toString()
    const found = text === '' ? [] : text.slice(0, -1).split('\n')
    if (found.length !== part.events)
      throw new Error(`${part.file} has ${found.length} lines, not ${part.events}`)
    lines.push(...found)
  }
  return lines
}
