import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { RunStageName } from '../../migration/stages.ts'
import type { BegunWindow, MigrationWindow } from '../../migration/windows.ts'
import type { Cell } from '../../state/cell.ts'
import { CellKind, refused } from '../../state/cell-kind.ts'
import type { FateCounts } from '../../telemetry/entry.ts'
import { sumOfFates } from '../../telemetry/stage-book.ts'
import { sum } from '../../text/lists.ts'
import { VERSION } from '../../version.ts'

/**
 * state/run.json in the store: what `run` has done.
 *
 * What it proves. Of each stage of each window, with which settings and which input it was done (prints, by name), and what
 * it made. A stage is skipped only if all of these are the same now. It is written after the stage has ended, so one that
 * is cut short runs once more, from a state of its own. Only a transform works again; nothing of it was sent. A window's
 * bounds are written when it begins, so the same window goes on, whatever the time is then.
 */
const span = z.strictObject({ start: z.number(), end: z.number() })

const doneSchema = z.strictObject({
  prints: z.record(z.string(), z.string()),
  /** The stage came to its end. */
  finished: z.boolean(),
  exit: z.number().int(),
  /** The sha256 of the manifest that it wrote; null for a stage that writes none. */
  output: z.string().nullable(),
  /** Which of all stages that were ever run this is, from 1. */
  serial: z.number().int(),
  /** What became of the window's events, whichever runs did it. */
  counts: z.record(z.string(), z.number()).optional(),
  /** So many of its rejects were told by an exit code. */
  told: z.number().int().optional(),
  /** Of a transform: why it would make the events of the window anew, had the user not chosen to keep what was sent. */
  kept: z.string().optional(),
})

const stateSchema = z.strictObject({
  tool: z.string(),
  /** Tells this migration's events from those of others: made of where the state was at first, and kept where it is moved. */
  mark: z.string(),
  windows: z.array(z.strictObject({ name: z.string(), own: span, fetch: span, done: z.boolean() })),
  /** By window and stage: `2024-03-01_2024-03-02/import`. */
  stages: z.record(z.string(), doneSchema),
  /** Windows whose events are to be sent again, because they were made anew. */
  resend: z.array(z.string()),
  /** The sha256 of input files, by path, each with the stamp that the file had: a file is read again if that is another. */
  files: z.record(z.string(), z.strictObject({ stamp: z.string(), sha256: z.string() })),
})

type State = z.infer<typeof stateSchema>

export const RUN_STATE = new CellKind({
  name: 'run state',
  schema: stateSchema,
  version: 1,
  refusal: refused({
    code: 'mismatch',
    says: 'says what is done',
    otherwise: '; without it the migration would begin anew',
  }),
})

export type DoneStage = z.infer<typeof doneSchema>

/** What `run` remembers, in a small file of the store. */
export class RunState {
  readonly #cell: Cell
  readonly #state: State
  #version: string | undefined

  private constructor(cell: Cell, state: State, version: string | undefined) {
    this.#cell = cell
    this.#state = state
    this.#version = version
  }

  /** Reads the state, or makes a new one if the cell is empty. Code `mismatch` for one that this version can't read. */
  static async open(cell: Cell): Promise<RunState> {
    const loaded = await RUN_STATE.load(cell)
    if (loaded) return new RunState(cell, loaded.value, loaded.version)
    const mark = createHash('sha256').update(cell.address).digest('hex').slice(0, 8)
    const empty = { mark, windows: [], stages: {}, resend: [], files: {} }
    return new RunState(cell, { tool: `posthaul ${VERSION}`, ...empty }, undefined)
  }

  get mark(): string {
    return this.#state.mark
  }

  get windows(): readonly BegunWindow[] {
    return this.#state.windows
  }

  done(window: string, stage: RunStageName): DoneStage | undefined {
    const key = `${window}/${stage}`
    return Object.hasOwn(this.#state.stages, key) ? this.#state.stages[key] : undefined
  }

  /** What became of the events of a stage, in all windows but one. */
  counts(stage: RunStageName, but?: string): FateCounts {
    return sumOfFates(
      Object.entries(this.#state.stages).flatMap(([key, { counts }]) =>
        key.endsWith(`/${stage}`) && key !== `${but}/${stage}` && counts !== undefined ? [counts] : [],
      ),
    )
  }

  /** How many events were made in windows whose import has not ended once. */
  get unsent(): number {
    return sum(Object.entries(this.#state.stages), ([key, { counts }]) => {
      const [window, stage] = key.split('/')
      return stage === 'transform' && !this.done(window!, 'import')?.counts ? (counts?.written ?? 0) : 0
    })
  }

  /** How many rejects no run has told by its exit code: the one that made them was stopped before. */
  get untold(): number {
    return sum(Object.values(this.#state.stages), (stage) =>
      Math.max(0, rejectsOf(stage) - (stage.told ?? 0)),
    )
  }

  async tell(): Promise<void> {
    for (const stage of Object.values(this.#state.stages)) stage.told = rejectsOf(stage)
    await this.#save()
  }

  /** How many stages were ever run. */
  get serial(): number {
    return Math.max(0, ...Object.values(this.#state.stages).map(({ serial }) => serial))
  }

  isToResend(window: string): boolean {
    return this.#state.resend.includes(window)
  }

  /** The sha256 that a file had with this stamp. */
  knownFile(path: string, stamp: string): string | undefined {
    const known = Object.hasOwn(this.#state.files, path) ? this.#state.files[path] : undefined
    return known?.stamp === stamp ? known.sha256 : undefined
  }

  knowFile(path: string, stamp: string, sha256: string): void {
    this.#state.files[path] = { stamp, sha256 }
  }

  async begin({ name, own, fetch }: MigrationWindow): Promise<void> {
    if (this.#state.windows.some((window) => window.name === name)) return
    this.#state.windows.push({ name, own: { ...own }, fetch: { ...fetch }, done: false })
    await this.#save()
  }

  async end(window: string): Promise<void> {
    const begun = this.#state.windows.find(({ name }) => name === window)
    if (!begun || begun.done) return
    begun.done = true
    await this.#save()
  }

  async resend(window: string): Promise<void> {
    if (this.isToResend(window)) return
    this.#state.resend.push(window)
    await this.#save()
  }

  async record(window: string, stage: RunStageName, done: Omit<DoneStage, 'serial' | 'told'>): Promise<void> {
    const { counts, told } = this.done(window, stage) ?? {}
    this.#state.stages[`${window}/${stage}`] = {
      ...(counts && { counts }),
      ...(told !== undefined && { told }),
      ...done,
      serial: this.serial + 1,
    }
    if (stage === 'import' && done.finished)
      this.#state.resend = this.#state.resend.filter((name) => name !== window)
    await this.#save()
  }

  async #save(): Promise<void> {
    const condition = this.#version === undefined ? 'absent' : { version: this.#version }
    this.#state.tool = `posthaul ${VERSION}`
    this.#version = await RUN_STATE.save(this.#cell, this.#state, condition)
  }
}

function rejectsOf({ counts }: DoneStage): number {
  return counts?.rejected ?? 0
}
