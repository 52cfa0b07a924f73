import { rm } from 'node:fs/promises'
import { z } from 'zod'
import { type Cell, fileCell } from '../state/cell.ts'
import { CellKind } from '../state/cell-kind.ts'
import { errnoOf } from '../store/file-error.ts'

/*
 * What an unfinished `verify` has found out: `<input>.verify.json`.
 *
 * It holds the days that were equal, so that a run which was killed goes on with the others. `subject` says what was
 * compared with what: another dataset, host, project or sample, and the file is not used. It is written whole after each
 * query, and removed when the run comes to its end, whatever it found: the next run asks for everything anew. What it
 * saves is only time, so a place that nobody can write to, such as the root of a container, is no reason to stop: then
 * nothing is kept.
 */
const schema = z.strictObject({
  subject: z.string(),
  begun_at: z.iso.datetime(),
  /** Days whose events are the same here and there, with the number of them, of other events in the service, and of those whose times are cut. */
  equal_days: z.record(z.string(), z.tuple([z.number(), z.number(), z.number()])),
  /** Days whose sample has the same values here and there. */
  compared_days: z.array(z.string()),
})

/** Errors of a place that nobody can write to. */
const CLOSED = new Set(['EROFS', 'EACCES', 'EPERM'])

type State = z.infer<typeof schema>

/** One that can't be read is as good as none. */
export const PROVEN = new CellKind({ name: 'verify under way', schema, version: 1 })

export class Proven {
  /** When the run that this one goes on with began; undefined for a new one. */
  readonly begunAt: string | undefined
  readonly equal: Map<string, readonly [events: number, others: number, rounded: number]>
  readonly compared: Set<string>
  readonly #cell: Cell
  readonly #state: Pick<State, 'subject' | 'begun_at'>

  private constructor(cell: Cell, subject: string, saved: State | undefined) {
    this.#cell = cell
    this.begunAt = saved?.begun_at
    this.equal = new Map(Object.entries(saved?.equal_days ?? {}))
    this.compared = new Set(saved?.compared_days)
    this.#state = { subject, begun_at: saved?.begun_at ?? new Date().toISOString() }
  }

  static async open(path: string, subject: string): Promise<Proven> {
    const cell = fileCell(path)
    const saved = (await PROVEN.load(cell))?.value
    return new Proven(cell, subject, saved?.subject === subject ? saved : undefined)
  }

  async save(): Promise<void> {
    const state: State = {
      ...this.#state,
      equal_days: Object.fromEntries([...this.equal].map(([day, counts]) => [day, [...counts]])),
      compared_days: [...this.compared].sort(),
    }
    try {
      await PROVEN.save(this.#cell, state)
    } catch (error) {
      if (!(error instanceof Error && CLOSED.has(errnoOf(error.cause) ?? ''))) throw error
    }
  }

  /** The run came to its end: nothing is left to go on with. */
  async remove(): Promise<void> {
    await rm(this.#cell.address, { force: true })
  }
}
