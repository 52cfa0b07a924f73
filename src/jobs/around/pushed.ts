/*
 * What pushes did, in `.pushed.json` of the folder: the base of the three-way comparison, and what --undo takes back.
 *
 * WHAT IT PROVES. What is about to be written is noted before its request is sent, with what was there before. So after a kill
 * the next push knows that a thing which it finds may be its own, and makes no second one; and an undo knows all that was made.
 * A note of something that was not done after all does no harm: nothing is found, and it is done then.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { AROUND_KINDS, type AroundKind } from '../../around/index.ts'
import { type Cell, fileCell } from '../../state/cell.ts'
import { CellKind, json, refused } from '../../state/cell-kind.ts'
import { VERSION } from '../../version.ts'

const fields = z.record(z.string(), z.json())

const thingSchema = z.object({
  kind: z.enum(AROUND_KINDS),
  /** What the row of the folder is told from others by. */
  key: z.string(),
  /** The service's id; null until it has answered. */
  id: z.string().nullable(),
  made: z.boolean(),
  before: fields,
  sent: fields,
  left: fields,
  /** Noted before its request, and not since: it may have been done. */
  pending: z.boolean(),
  /** Of a cohort: the sum of the file whose members were added, and how many ids no person has. */
  filled: z.string().optional(),
  unmatched: z.int().nullable().optional(),
})
/** A thing of the project that a push made or changed. */
export type Pushed = z.infer<typeof thingSchema>

const PUSHED_FILE = '.pushed.json'

/** What was pushed of a folder, by project. */
export const PUSHED = new CellKind({
  name: 'what was pushed',
  schema: z.object({
    tool: z.string(),
    projects: z.record(z.string(), z.array(thingSchema)),
  }),
  version: 1,
  form: json({ indent: 1 }),
  refusal: refused({
    code: 'mismatch',
    says: 'says what was pushed',
    otherwise: '; without it a push takes all that the project has for the words of others',
  }),
})

/** A state beside the files of a folder, which has to exist when it is written. */
export function folderCell(folder: string, name: string): Cell {
  return fileCell(join(folder, name))
}

/** What was pushed of a folder into one project. */
export class PushedThings {
  readonly #cell: Cell
  readonly #project: string
  readonly #others: Readonly<Record<string, Pushed[]>>
  readonly #things: Map<string, Pushed>
  #version: string | undefined

  private constructor(
    cell: Cell,
    project: string,
    all: Record<string, Pushed[]>,
    version: string | undefined,
  ) {
    this.#cell = cell
    this.#project = project
    const { [project]: own = [], ...others } = all
    this.#others = others
    this.#things = new Map(own.map((thing) => [`${thing.kind}\n${thing.key}`, thing]))
    this.#version = version
  }

  /** `project`: the address and id of the project that is pushed to. Code `mismatch` for a file that can't be read. */
  static async load(folder: string, project: string): Promise<PushedThings> {
    const cell = folderCell(folder, PUSHED_FILE)
    const loaded = await PUSHED.load(cell)
    return new PushedThings(cell, project, loaded?.value.projects ?? {}, loaded?.version)
  }

  get(kind: AroundKind, key: string): Pushed | undefined {
    return this.#things.get(`${kind}\n${key}`)
  }

  of(kind: AroundKind): Pushed[] {
    return [...this.#things.values()].filter((thing) => thing.kind === kind)
  }

  /** Notes a thing, in place of itself. It is kept with the next `save`. */
  note(thing: Pushed): void {
    this.#things.set(`${thing.kind}\n${thing.key}`, thing)
  }

  forget({ kind, key }: Pushed): void {
    this.#things.delete(`${kind}\n${key}`)
  }

  /** Writes the file. Code `mismatch` if another run has written it meanwhile. */
  async save(): Promise<void> {
    const projects = { ...this.#others, [this.#project]: [...this.#things.values()] }
    const value = { tool: `posthaul ${VERSION}`, projects }
    const condition = this.#version === undefined ? ('absent' as const) : { version: this.#version }
    this.#version = await PUSHED.save(this.#cell, value, condition)
  }
}
