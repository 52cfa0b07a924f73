import { type Key, keyOf } from '../record/keys.ts'
import { Scanner } from '../record/scan.ts'
import { KIND, Tape, valueText } from '../record/tape.ts'
import { type CellType, type ColumnMapping, type ColumnTarget, cellReader } from './columns.ts'

export interface TypedCells {
  readonly type: CellType
  /** True for a reader of text in UTF-8, false for one of text in latin1, one character for each byte. */
  readonly isUtf8: boolean
  readonly read: ReturnType<typeof cellReader>
}

/** How the cells of a column are read; undefined for text. */
export function typedCells(
  target: ColumnTarget,
  { timeFormats, zone }: ColumnMapping,
): TypedCells | undefined {
  const { type, separator } = target
  if (type === undefined) return undefined
  // A currency's sign is several bytes. The bytes of a list's elements go through as they are.
  const isUtf8 = type === 'number'
  const between = separator === undefined ? undefined : Buffer.from(separator).toString('latin1')
  const rule = { ...target, type, separator: between }
  return { type, isUtf8, read: cellReader(rule, { formats: timeFormats, zone }) }
}

interface Column {
  readonly label: string
  readonly typed: TypedCells
  readonly keys: readonly Key[]
}

type Splice = readonly [start: number, end: number, text: Buffer]

/**
 * What gives the text in a record its types: those of `types` in a mapping file, or those of columns, for a row that was kept as
 * it was read. That record is then the same to the byte as the one that the table's reader makes of the row, so that its uuid is
 * the same too. A line that isn't a JSON object stays. `section`: the key of the mapping file.
 */
export function cellTyper(
  mapping: ColumnMapping,
  unusable: (what: string) => void,
  section = 'columns',
): (record: Buffer) => Buffer {
  const columns = Object.entries(mapping.columns).flatMap(([label, target]): Column[] => {
    const typed = target && typedCells(target, mapping)
    return typed ? [{ label, typed, keys: target.path.map(keyOf) }] : []
  })
  const tape = new Tape()
  const scanner = new Scanner(tape)
  const splicesAt = (record: Buffer, { label, typed }: Column, place: number): Splice[] => {
    const [kind, { type }] = [tape.kind(place), typed]
    // Databases write booleans as 0 and 1, and times as numbers.
    const isRead = kind === KIND.string || (kind === KIND.number && (type === 'boolean' || type === 'time'))
    const cell = isRead ? valueText(tape, record, place)! : ''
    if (cell === '') return []
    const value = typed.read(typed.isUtf8 ? cell : Buffer.from(cell).toString('latin1'))
    if (value !== undefined)
      return [[tape.start(place), tape.end(place), Buffer.from(onOneLine(value), 'latin1')]]
    unusable(notOfType(label, type, section))
    return []
  }
  return (record) => {
    if (columns.length === 0 || !scanner.scan(record, 0, record.length)) return record
    const splices = columns.flatMap((column) =>
      placesOf(tape, column.keys, 0, tape.count).flatMap((place) => splicesAt(record, column, place)),
    )
    if (splices.length === 0) return record
    splices.sort(([a], [b]) => a - b)
    const pieces: Buffer[] = []
    let from = 0
    for (const [start, end, text] of splices) {
      pieces.push(record.subarray(from, start), text)
      from = end
    }
    return Buffer.concat([...pieces, record.subarray(from)])
  }
}

function placesOf(tape: Tape, [key, ...rest]: readonly Key[], from: number, to: number): number[] {
  const found: number[] = []
  for (let i = from; i < to; i = tape.next(i)) {
    if (tape.key(i) !== key) continue
    if (rest.length === 0) found.push(i)
    else if (tape.kind(i) === KIND.object) found.push(...placesOf(tape, rest, i + 1, tape.next(i)))
  }
  return found
}

/** What is counted of a cell that isn't of its column's type. */
export function notOfType(label: string, type: string, section = 'columns'): string {
  return `${section}: ${label} holds text that is no ${type}`
}

/** JSON text with blanks for line ends, which valid JSON has only between values: a record is one line. */
export function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]/g, ' ') : json
}
