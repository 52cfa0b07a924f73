import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { type Cell, storeCell } from '../state/cell.ts'
import { CellKind, refused } from '../state/cell-kind.ts'
import { assertPlaceFor } from '../store/dataset.ts'
import type { RawManifest } from '../store/manifest.ts'
import { EXPORT_STATE, isStoreName } from '../store/name.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'
import type { Memory } from './source.ts'

/**
 * export.json: how far an export has come.
 *
 * What it proves. It is written before the first part, and says whose data the folder holds: which vendor, project
 * and filter. So every part in the folder was asked for in just this way. It names each part that is frozen (complete),
 * with size and sha256, and the times of requests, so that a restart keeps the hourly quota.
 *
 * If a run is killed
 * - after a part is written and before the state is saved: the part is whole. The next run reads it once, for its sha256
 *   and its lines, and does not ask the vendor again. The state is saved at most once a second, so there are few such parts;
 * - while parts are fetched again (`--refetch`): `refetch` lists the windows that are left. Parts under their names are old
 *   data, and are not taken for new;
 * - while the vendor prepares a window: `ordered` has its id, written before the vendor is asked whether it is ready, so the
 *   next run asks for the same. Killed between the vendor's answer and that write: it is ordered again, and the first order
 *   ends by itself.
 *
 * What it refuses. The folder of another export, or of a dataset of events. Another run's state: each run begins with a
 * write, so of two runs on one bucket the first is stopped.
 */
const frozenSchema = z.strictObject({
  file: z.string().refine(isStoreName),
  lines: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it was requested, at the earliest (ms since the epoch): later events may not be in it. */
  asked_at: z.number(),
})

const stateSchema = z.strictObject({
  tool: z.string(),
  /** When this was written, in milliseconds since the epoch. */
  saved_at: z.number(),
  /** What identifies the export: vendor, project, filters. */
  export: z.record(z.string(), z.string()),
  frozen: z.record(z.string(), frozenSchema),
  refetch: z.array(z.string()),
  /** The times of requests by quota, in milliseconds since the epoch. */
  asked: z.record(z.string(), z.array(z.number())),
  /** What the vendor prepares: its id, by window. */
  ordered: z.record(z.string(), z.string()),
  /** What the source's own checksum of each window was when it was read, where it gives one. */
  checksums: z.record(z.string(), z.string()),
})

const SAVE_EVERY_MS = 1000

export type Frozen = z.infer<typeof frozenSchema>
type State = z.infer<typeof stateSchema>

export const EXPORT = new CellKind({
  name: 'export state',
  schema: stateSchema,
  version: 1,
  refusal: refused({
    code: 'input',
    says: 'says what is exported',
    otherwise: ', or export to an empty folder',
  }),
})

export class ExportState {
  readonly #cell: Cell
  readonly #state: State
  /** The last window whose part had these bytes, by sha256: an export has tens of thousands of windows. */
  readonly #windows: Map<string, string>
  #version: string | undefined
  #dirty = false
  #savedAt = 0
  #saving: Promise<void> = Promise.resolve()

  private constructor(cell: Cell, state: State, version: string | undefined) {
    this.#cell = cell
    this.#state = state
    this.#windows = new Map(Object.entries(state.frozen).map(([window, { sha256 }]) => [sha256, window]))
    this.#version = version
  }

  /**
   * Opens the store's state, or a new one. Throws `mismatch` if the store holds another export, `input` if it holds
   * events.
   */
  static async open(store: Store, identity: Readonly<Record<string, string>>): Promise<ExportState> {
    await assertPlaceFor(store, 'raw')
    const cell = storeCell(store, EXPORT_STATE)
    const loaded = await EXPORT.load(cell)
    if (loaded) {
      assertSame(loaded.value.export, identity, store.location)
      return new ExportState(cell, loaded.value, loaded.version)
    }
    const tool = `posthaul ${VERSION}`
    const empty = { frozen: {}, refetch: [], asked: {}, ordered: {}, checksums: {} }
    const state: State = { tool, saved_at: Date.now(), export: { ...identity }, ...empty }
    return new ExportState(cell, state, undefined)
  }

  /** What identifies the export that the store holds; undefined if it holds none that can be read. */
  static async identityIn(store: Store): Promise<Readonly<Record<string, string>> | undefined> {
    return (await EXPORT.load(storeCell(store, EXPORT_STATE)))?.value.export
  }

  frozen(window: string): Frozen | undefined {
    return Object.hasOwn(this.#state.frozen, window) ? this.#state.frozen[window] : undefined
  }

  freeze(window: string, part: Frozen): void {
    this.#state.frozen[window] = part
    this.#windows.set(part.sha256, window)
    delete this.#state.ordered[window]
    this.#state.refetch = this.#state.refetch.filter((name) => name !== window)
    this.#dirty = true
  }

  /** Another window with the very same records. Records have times, so no two windows can share all of theirs. */
  twinOf(window: string, { lines, sha256 }: Pick<Frozen, 'lines' | 'sha256'>): string | undefined {
    const other = this.#windows.get(sha256)
    if (lines === 0 || other === undefined || other === window) return undefined
    return this.frozen(other)?.sha256 === sha256 ? other : undefined
  }

  /** When the state was last written, in milliseconds since the epoch. */
  get savedAt(): number {
    return this.#state.saved_at
  }

  forget(window: string): void {
    delete this.#state.frozen[window]
    this.#dirty = true
  }

  /** The windows that a `--refetch` has not replaced yet. */
  get refetch(): readonly string[] {
    return this.#state.refetch
  }

  /** Drops these windows' parts, so that they are fetched again. */
  melt(windows: readonly string[]): void {
    for (const window of windows) delete this.#state.frozen[window]
    this.#state.refetch = [...windows]
    this.#dirty = true
  }

  get memory(): Memory {
    return {
      asked: (quota) => this.#state.asked[quota] ?? [],
      remember: async (quota, asked, now) => {
        this.#state.asked[quota] = [...asked]
        this.#dirty = true
        if (now) await this.flush()
      },
      ordered: (window) => this.#state.ordered[window],
      keepOrdered: (window, id) => {
        this.#state.ordered = kept(this.#state.ordered, window, id)
        this.#dirty = true
        return this.flush()
      },
      checksum: (window) => this.#state.checksums[window],
      keepChecksum: (window, checksum) => {
        this.#state.checksums = kept(this.#state.checksums, window, checksum)
        this.#dirty = true
      },
    }
  }

  /** Claims the store for this run: another run that still writes to it fails at its next write. */
  async claim(): Promise<void> {
    this.#dirty = true
    await this.flush()
  }

  /** Writes changes, unless the state was written within the last second. */
  async save(): Promise<void> {
    if (performance.now() - this.#savedAt >= SAVE_EVERY_MS) await this.flush()
  }

  /** Writes changes. Concurrent calls wait for one another, and share a write. */
  flush(): Promise<void> {
    const saving = this.#saving.then(() => this.#write())
    this.#saving = saving.catch(() => undefined)
    return saving
  }

  /** The parts as a manifest lists them, oldest window first. */
  parts(): RawManifest['parts'] {
    return Object.entries(this.#state.frozen)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([window, { file, lines, bytes, sha256 }]) => {
        return { file, window, events: lines, bytes, sha256, first: null, last: null }
      })
  }

  async #write(): Promise<void> {
    if (!this.#dirty && this.#version !== undefined) return
    this.#dirty = false
    this.#savedAt = performance.now()
    // Never the time of the write before: a file's version is that of its bytes, and two runs may begin within a millisecond.
    this.#state.saved_at = Math.max(Date.now(), this.#state.saved_at + 1)
    const condition = this.#version === undefined ? 'absent' : { version: this.#version }
    try {
      this.#version = await EXPORT.save(this.#cell, this.#state, condition)
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }
}

/** A record with a value of its own for a window, or without one. */
function kept(record: Readonly<Record<string, string>>, window: string, value: string | undefined) {
  const { [window]: _, ...others } = record
  return value === undefined ? others : { ...others, [window]: value }
}

function assertSame(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
  location: string,
): void {
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)])
  const other = [...keys].find((key) => found[key] !== wanted[key])
  if (other === undefined) return
  const was = `${other} ${found[other] ?? 'unset'}`
  throw new PosthaulError(
    `${location} holds another export: ${was} there, ${wanted[other] ?? 'unset'} asked for`,
    { code: 'mismatch', hint: 'name another folder with --out' },
  )
}
