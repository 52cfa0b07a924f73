/*
 * The snapshot: the persons of a project that a history will touch, as they were before its first event.
 *
 *     <name>.persons/state.json    when it was begun, for which project, whether it is whole and what became of it
 *     <name>.persons/000000.ndjson …   the persons, a distinct id a line, in the order of the ids
 *
 * IF A RUN IS KILLED while it takes the snapshot, the next one goes on after the last whole file: no event has gone out,
 * so the project is still what it was. Once it is whole it is never taken again, and neither is it after --restart: the
 * project no longer is what it was.
 */
import { z } from 'zod'
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { START } from '../../delivery/place.ts'
import { PosthaulError } from '../../errors.ts'
import { exactJson, parseExact } from '../../record/json-values.ts'
import type { PersonWriteValues } from '../../record/rules.ts'
import { type Cell, storeCell } from '../../state/cell.ts'
import { CellKind, refused } from '../../state/cell-kind.ts'
import type { Store } from '../../store/store.ts'
import { isJsonObject } from '../../text/json.ts'
import { MIB } from '../../text/units.ts'
import type { LiveRow } from './live.ts'

/** A file of the snapshot is closed at this number of characters or rows. */
const FILE_LENGTH = 4 * MIB
const FILE_ROWS = 10_000

const settledSchema = z.object({
  persons: z.int(),
  properties: z.int(),
  /** Properties that live events changed since the snapshot. */
  newer: z.int(),
})
export type Settled = z.infer<typeof settledSchema>

const stateSchema = z.object({
  taken_at: z.iso.datetime(),
  host: z.string(),
  key: z.string(),
  /** Rows, once it is whole. */
  rows: z.int().nullable(),
  settled: settledSchema.nullable(),
  /** Where the history begins in an input that grew after it was imported. */
  from: z.object({ part: z.int(), offset: z.int(), line: z.int() }).optional(),
})
type State = z.infer<typeof stateSchema>

const unusable = refused({
  code: 'mismatch',
  says: 'says what persons were before the history',
  otherwise: '; or go on with --keep-persons no, and persons keep what the history wrote',
})

export const SNAPSHOT = new CellKind({
  name: 'snapshot of persons',
  schema: stateSchema,
  version: 1,
  refusal: unusable,
})

const rowSchema = z.object({
  id: z.string(),
  person: z.string(),
  first: z.number().nullable(),
  last: z.number().nullable(),
  properties: z.custom<PersonWriteValues>(isJsonObject),
})

/** Where a snapshot is: the files' names begin with `prefix`. */
export interface SnapshotPlace {
  readonly store: Store
  readonly prefix: string
}

export class Snapshot {
  readonly #place: SnapshotPlace
  #state: State
  #files: string[]

  private constructor(place: SnapshotPlace, state: State, files: string[]) {
    this.#place = place
    this.#state = state
    this.#files = files
  }

  /** The snapshot that is there; undefined if none was begun. Code `mismatch` if it is another project's. */
  static async load(place: SnapshotPlace, target: CheckpointState['target']): Promise<Snapshot | undefined> {
    const cell = cellOf(place)
    const state = (await SNAPSHOT.load(cell))?.value
    if (!state) return undefined
    if (state.host !== target.host || state.key !== target.key) {
      throw new PosthaulError(`${cell.address} is about the persons of another project`, {
        code: 'mismatch',
        hint: 'go on with that address and key, or move the folder away',
      })
    }
    const files = await filesOf(place)
    // Where one is gone, the next would be written over another. Those of a snapshot that is settled are not needed any more.
    const isBroken = files.some((name, at) => name !== fileName(place.prefix, at))
    if (isBroken && !state.settled) throw unusable(cell.address, { kind: 'damaged' })
    return new Snapshot(place, state, files)
  }

  static async begin(
    place: SnapshotPlace,
    { host, key }: CheckpointState['target'],
    now: number,
    from = START,
  ): Promise<Snapshot> {
    for (const file of await filesOf(place)) await place.store.remove(file)
    const taken_at = new Date(now).toISOString()
    const state: State = { taken_at, host, key, rows: null, settled: null, from }
    const snapshot = new Snapshot(place, state, [])
    await snapshot.#save()
    return snapshot
  }

  get state(): Readonly<State> {
    return this.#state
  }

  get isWhole(): boolean {
    return this.#state.rows !== null
  }

  get rows(): number {
    return this.#state.rows ?? 0
  }

  /** The last distinct id that an earlier run came to. */
  async reached(): Promise<string | undefined> {
    let last: string | undefined
    for await (const { id } of this.read(this.#files.slice(-1))) last = id
    return last
  }

  /** Writes the rest of the snapshot, after what is there. */
  async take(chunks: AsyncIterable<readonly LiveRow[]>): Promise<void> {
    let [text, held] = ['', 0]
    const flush = async () => {
      if (held === 0) return
      const name = fileName(this.#place.prefix, this.#files.length)
      await this.#place.store.put(name, Buffer.from(text))
      this.#files.push(name)
      text = ''
      held = 0
    }
    for await (const rows of chunks) {
      for (const { id, person } of rows) {
        text += `${exactJson({ id, ...person })}\n`
        held++
      }
      if (text.length >= FILE_LENGTH || held >= FILE_ROWS) await flush()
    }
    await flush()
    let rows = 0
    for await (const _ of this.read()) rows++
    this.#state = { ...this.#state, rows }
    await this.#save()
  }

  async settle(settled: Settled): Promise<void> {
    this.#state = { ...this.#state, settled }
    await this.#save()
  }

  /** Its rows, in the order of the distinct ids. */
  async *read(files: readonly string[] = this.#files): AsyncGenerator<LiveRow> {
    let rows = 0
    for (const name of files) {
      const loaded = await this.#place.store.load(name)
      const address = this.#place.store.address(name)
      if (!loaded) throw unusable(address, { kind: 'damaged' })
      for (const line of Buffer.from(loaded.bytes).toString('utf8').split('\n')) {
        if (line === '') continue
        const row = rowSchema.safeParse(parsed(line))
        if (!row.success) throw unusable(address, { kind: 'damaged', cause: row.error })
        const { id, ...person } = row.data
        rows++
        yield { id, person }
      }
    }
    if (files !== this.#files || !this.isWhole) return
    // The persons of a file that is gone would stay as the history made them, and nobody would be told.
    if (rows !== this.#state.rows) throw unusable(cellOf(this.#place).address, { kind: 'damaged' })
  }

  async #save(): Promise<void> {
    await SNAPSHOT.save(cellOf(this.#place), this.#state)
  }
}

function cellOf({ store, prefix }: SnapshotPlace): Cell {
  return storeCell(store, `${prefix}state.json`)
}

function fileName(prefix: string, number: number): string {
  return `${prefix}${String(number).padStart(6, '0')}.ndjson`
}

async function filesOf({ store, prefix }: SnapshotPlace): Promise<string[]> {
  const names = (await store.list()).map(({ name }) => name)
  return names.filter((name) => name.startsWith(prefix) && /^\d{6}\.ndjson$/.test(name.slice(prefix.length)))
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
