import { type Key, keys } from '../record/keys.ts'
import type { NameTable } from '../record/name-table.ts'
import { MET, MET_BITS, METS } from './member-kind.ts'

/** What is counted of the records of one shape: once for all of them, not for each. */
export interface ShapeCounts {
  /** Places and ways of being met. */
  readonly met: Int32Array
  /** Places of the objects whose members are told apart. */
  readonly opened: readonly number[]
  /** The properties that the tables give the event: by name, since keys may be void when they are counted. */
  readonly properties: readonly string[]
  /** Records whose members are not counted yet. */
  records: number
  /** Events whose properties are not counted yet. */
  events: number
}

/** The shapes whose records are counted together. */
export class CountedShapes {
  #shapes: ShapeCounts[] = []

  open(met: Int32Array, properties: readonly Key[]): ShapeCounts {
    const opened = [...met].filter((one) => (one & (METS - 1)) === MET.opened).map((one) => one >> MET_BITS)
    const names = properties.map((key) => keys.text(key))
    const shape = { met, opened, properties: names, records: 0, events: 0 }
    this.#shapes.push(shape)
    return shape
  }

  /** Hands over how many records were met with these members, and forgets it. */
  takeMembers(count: (met: Int32Array, records: number) => void): void {
    for (const shape of this.#shapes) {
      if (shape.records > 0) count(shape.met, shape.records)
      shape.records = 0
    }
  }

  /** The same of the properties of events: adds each to a table. */
  takeProperties(table: NameTable<number>): void {
    for (const shape of this.#shapes) {
      if (shape.events > 0) for (const name of shape.properties) table.add(name, shape.events)
      shape.events = 0
    }
  }

  /** To be called after both, when all places and keys are void. */
  forget(): void {
    this.#shapes = []
  }
}
