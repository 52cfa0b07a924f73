import { z } from 'zod'
import { added } from '../record/counts.ts'
import { NameTable } from '../record/notes.ts'
import { storeCell } from '../state/cell.ts'
import { CellKind } from '../state/cell-kind.ts'
import { countShape } from '../store/manifest.ts'
import { OUTCOMES as FILE } from '../store/name.ts'
import type { Store } from '../store/store.ts'
import {
  type DayOutcomes,
  type Duplicates,
  MOST_TOLD,
  type NameOutcomes,
  sumOfNames,
  type UnitOutcomes,
  withoutName,
} from './outcome-count.ts'

/** Events of a UTC day. */
interface EventDay {
  readonly day: string
  readonly written: number
  readonly duplicate: number
  readonly earlier: number
}

/** The sum of the outcomes of any number of units and days, in any order. */
export class OutcomeSum {
  readonly #days = new NameTable<DayOutcomes>(added)
  readonly #names = new NameTable(sumOfNames, MOST_TOLD, withoutName)
  readonly #duplicates = new NameTable<number>((a, b) => a + b, MOST_TOLD)

  add({ days, names, others }: UnitOutcomes): void {
    for (const [day, of] of days) this.#days.add(day, of)
    for (const [name, of] of names) this.#names.add(name, of)
    if (others) this.#names.addOthers(others)
  }

  /** Adds the duplicates of a sealed day, by the names of the events. */
  addDuplicates({ named, others }: Duplicates): void {
    for (const [name, count] of named) this.#duplicates.add(name, count)
    if (others !== undefined) this.#duplicates.addOthers(others)
  }

  take(events: readonly EventDay[]): Omit<Outcomes, 'tool' | 'arrival'> {
    const { named, others } = this.#names.take()
    const duplicates = this.#duplicates.take()
    return {
      days: this.#days.take().named.map(([day, { read, mapped, rejected, filtered, made }]) => {
        return { day: day === '' ? null : day, read, mapped, rejected, filtered, made }
      }),
      names: named.map(([name, of]) => nameJson(name === '' ? null : name, of)),
      other_names: others ? nameJson(null, others) : null,
      events: [...events],
      duplicates: duplicates.named.map(([name, count]) => ({ name, count })),
      other_duplicates: duplicates.others ?? 0,
    }
  }
}

function nameJson(name: string | null, { read, made, rejected, filtered, to = null }: NameOutcomes) {
  return { name, read, made, rejected, filtered, to }
}

const day = z.string()
const nameOutcomes = z.object({
  /** As the source has it; null for records that were given up before it was known. */
  name: z.string().nullable(),
  read: countShape,
  made: countShape,
  rejected: countShape,
  filtered: countShape,
  /** The name of their events; null where there are none, or several. */
  to: z.string().nullable(),
})

const schema = z.object({
  tool: z.string(),
  /** The sha256 of the dataset's arrival.ndjson. */
  arrival: z.string(),
  /** Records by the day of the file that they are from, as its name has it; null for other files. */
  days: z.array(
    z.object({
      day: day.nullable(),
      ...{ read: countShape, mapped: countShape, rejected: countShape, filtered: countShape },
      /** Events that were made of the mapped. */
      made: countShape,
    }),
  ),
  /** Records, or elements of records, by the source's name. */
  names: z.array(nameOutcomes),
  other_names: nameOutcomes.nullable(),
  /** Events by the UTC day of their time. */
  events: z.array(z.object({ day, written: countShape, duplicate: countShape, earlier: countShape })),
  duplicates: z.array(z.object({ name: z.string(), count: countShape })),
  other_duplicates: countShape,
})

export type Outcomes = z.infer<typeof schema>

/**
 * `outcomes.json`, beside the manifest of a dataset of events: what became of the records by day and by name, for `report`.
 *
 * What it proves. It names the arrival.ndjson of its dataset, so those of one that was made anew are not taken for its own. It is
 * written before the manifest, and nothing depends on it: a report without it says that it does not know.
 */
export const OUTCOMES = new CellKind({ name: 'outcomes of records', schema, version: 1 })

export async function saveOutcomes(store: Store, outcomes: Outcomes): Promise<void> {
  await OUTCOMES.save(storeCell(store, FILE), outcomes)
}

/** The outcomes of just this dataset's records, or undefined. */
export async function loadOutcomes(store: Store, arrival: string): Promise<Outcomes | undefined> {
  const found = (await OUTCOMES.load(storeCell(store, FILE)))?.value
  return found?.arrival === arrival ? found : undefined
}
