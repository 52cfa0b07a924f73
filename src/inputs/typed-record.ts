import type { ColumnMapping } from '../mapping/index.ts'
import { type Key, KIND, keyOf, Scanner, Tape, valueText } from '../record/index.ts'
import { type TypedCells, typedCells } from './csv-plan.ts'

/** A column whose cells have a type, and where they are in the record. */
interface Column {
  readonly label: string
  readonly typed: TypedCells
  readonly keys: readonly Key[]
}

interface Splice {
  readonly start: number
  readonly end: number
  readonly text: Buffer
}

/**
 * Gives the cells of a row that was kept as it was read their columns' types. The record is then the same to the byte as
 * the one that the table's reader makes of the row, so that its uuid is the same too.
 */
export class TypedRecord {
  readonly #columns: readonly Column[]
  readonly #unusable: (what: string) => void
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)

  constructor(mapping: ColumnMapping, unusable: (what: string) => void) {
    this.#columns = Object.entries(mapping.columns).flatMap(([label, target]): Column[] => {
      const typed = target && typedCells(target, mapping)
      return typed ? [{ label, typed, keys: target.path.map(keyOf) }] : []
    })
    this.#unusable = unusable
  }

  /** Text that isn't a JSON object stays as it is. */
  convert(record: Buffer): Buffer {
    if (this.#columns.length === 0 || !this.#scanner.scan(record, 0, record.length)) return record
    const splices = this.#columns.flatMap((column) => this.#splices(record, column))
    splices.sort((a, b) => a.start - b.start)
    const pieces: Buffer[] = []
    let from = 0
    for (const { start, end, text } of splices) {
      pieces.push(record.subarray(from, start), text)
      from = end
    }
    return Buffer.concat([...pieces, record.subarray(from)])
  }

  #splices(record: Buffer, { label, typed, keys }: Column): Splice[] {
    const tape = this.#tape
    return this.#places(keys, 0, tape.count).flatMap((place): Splice[] => {
      if (tape.kind(place) !== KIND.string) return []
      const cell = valueText(tape, record, place)!
      const value = typed.read(typed.isUtf8 ? cell : Buffer.from(cell).toString('latin1'))
      if (value === undefined) {
        this.#unusable(notOfType(label, typed.type))
        return []
      }
      return [
        { start: tape.start(place), end: tape.end(place), text: Buffer.from(onOneLine(value), 'latin1') },
      ]
    })
  }

  /** Places of a path on the tape. */
  #places([key, ...rest]: readonly Key[], from: number, to: number): number[] {
    const tape = this.#tape
    const found: number[] = []
    for (let i = from; i < to; i = tape.next(i)) {
      if (tape.key(i) !== key) continue
      if (rest.length === 0) found.push(i)
      else if (tape.kind(i) === KIND.object) found.push(...this.#places(rest, i + 1, tape.next(i)))
    }
    return found
  }
}

/** What is counted of a cell that isn't of its column's type. */
export function notOfType(label: string, type: string): string {
  return `columns: ${label} holds text that is no ${type}`
}

/** JSON text with blanks for line ends, which valid JSON has only between values: a record is one line. */
export function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]/g, ' ') : json
}
