import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { RawManifest } from '../store/manifest.ts'
import { EXPORT_STATE, isStoreName } from '../store/name.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'

/**
 * export.json: how far an export has come.
 *
 * What it proves. It is written before the first part, and says whose data the folder holds: which vendor, project
 * and filter. So a part that lies in the folder was asked for in just this way. It names each part that is frozen,
 * by size and sha256, and when the vendor was last asked, so that a restart keeps the hourly quota.
 *
 * The crash cases.
 * - Killed while a part is being written: the store shows no part. Its window is asked for again.
 * - Killed after that, before the state knows: the part is whole (a store shows nothing else). The next run reads it
 *   once, for its sha256 and its lines, and does not ask the vendor again. It writes at most once a second, so there
 *   are never many of those.
 * - Killed while parts are being fetched anew (`--refetch`): the windows still to come stand in `refetch`; what lies
 *   there under their names is the old data, and is not taken for the new.
 * - Killed before the manifest: nothing takes the folder for a finished dataset; the same command goes on.
 *
 * What it refuses. The folder of another export. A version it does not know. Another run's state: each write is
 * tied to the version last written, and each run begins with one, so of two runs on one bucket the first is stopped.
 */
const frozenSchema = z.strictObject({
  file: z.string().refine(isStoreName),
  lines: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it was asked for at the earliest (ms since the epoch): what happened later is not in it. */
  asked_at: z.number(),
})

const ledgerSchema = z.strictObject({
  version: z.literal(1),
  tool: z.string(),
  /** When this was written, in milliseconds since the epoch. */
  saved_at: z.number(),
  /** What makes this export this one: vendor, project, filters. */
  export: z.record(z.string(), z.string()),
  /** The parts that are there, by window. */
  frozen: z.record(z.string(), frozenSchema),
  /** Windows whose parts are to be replaced. */
  refetch: z.array(z.string()),
  /** When the vendor was asked, by quota, in milliseconds since the epoch. */
  asked: z.record(z.string(), z.array(z.number())),
})

const SAVE_EVERY_MS = 1000

export type Frozen = z.infer<typeof frozenSchema>
type State = z.infer<typeof ledgerSchema>

/** An export's memory, kept in its store. */
export class ExportState {
  readonly #store: Store
  readonly #state: State
  #version: string | undefined
  #dirty = false
  #savedAt = 0
  #saving: Promise<void> = Promise.resolve()

  private constructor(store: Store, state: State, version: string | undefined) {
    this.#store = store
    this.#state = state
    this.#version = version
  }

  /** Opens the store's state, or a new one. Code `mismatch` when the store holds another export. */
  static async open(store: Store, identity: Readonly<Record<string, string>>): Promise<ExportState> {
    const loaded = await store.load(EXPORT_STATE)
    if (loaded) {
      const state = parse(loaded.bytes, store.address(EXPORT_STATE))
      assertSame(state.export, identity, store.location)
      return new ExportState(store, state, loaded.version)
    }
    const tool = `posthaul ${VERSION}`
    const empty = { frozen: {}, refetch: [], asked: {} }
    const state: State = { version: 1, tool, saved_at: Date.now(), export: { ...identity }, ...empty }
    return new ExportState(store, state, undefined)
  }

  frozen(window: string): Frozen | undefined {
    return Object.hasOwn(this.#state.frozen, window) ? this.#state.frozen[window] : undefined
  }

  freeze(window: string, part: Frozen): void {
    this.#state.frozen[window] = part
    this.#state.refetch = this.#state.refetch.filter((name) => name !== window)
    this.#dirty = true
  }

  /** When the state was last written, in milliseconds since the epoch. */
  get savedAt(): number {
    return this.#state.saved_at
  }

  /** A part that is gone. */
  forget(window: string): void {
    delete this.#state.frozen[window]
    this.#dirty = true
  }

  /** Windows that a `--refetch` has still to replace. */
  get refetch(): readonly string[] {
    return this.#state.refetch
  }

  /** Forgets these windows' parts: they will be fetched anew. */
  melt(windows: readonly string[]): void {
    for (const window of windows) delete this.#state.frozen[window]
    this.#state.refetch = [...windows]
    this.#dirty = true
  }

  asked(quota: string): readonly number[] {
    return this.#state.asked[quota] ?? []
  }

  remember(quota: string, asked: readonly number[]): void {
    this.#state.asked[quota] = [...asked]
    this.#dirty = true
  }

  /** Makes the store this run's own: another one that still writes to it fails at its next write. */
  async claim(): Promise<void> {
    this.#dirty = true
    await this.flush()
  }

  /** Writes what is new, unless that was done within the last second. */
  async save(): Promise<void> {
    if (performance.now() - this.#savedAt >= SAVE_EVERY_MS) await this.flush()
  }

  /** Writes what is new. Calls that meet share the writes. */
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
    this.#state.saved_at = Date.now()
    const bytes = Buffer.from(`${JSON.stringify(this.#state)}\n`)
    const condition = this.#version === undefined ? 'absent' : { version: this.#version }
    try {
      this.#version = (await this.#store.put(EXPORT_STATE, bytes, condition)).version
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }
}

function parse(bytes: Uint8Array, path: string): State {
  try {
    return ledgerSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch (cause) {
    throw new PosthaulError(`${path} is no export state that this posthaul wrote`, {
      code: 'input',
      hint: 'export to an empty folder',
      cause,
    })
  }
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
