import { PosthaulError } from '../errors.ts'
import {
  type CellReader,
  type CellType,
  type ColumnMapping,
  type ColumnTarget,
  cellReader,
} from '../mapping/columns.ts'
import { type Key, keyOf } from '../record/keys.ts'
import { Scanner } from '../record/scan.ts'
import { KIND, Tape, valueText } from '../record/tape.ts'
import { nearest } from '../text/nearest.ts'

/** One member of the record: a cell, an object of other members, or a cell with an object that other members join. */
export interface PlanNode {
  /** The member's name as JSON, with its colon; in latin1, one character for each byte. */
  readonly key: string
  /** Index of the column that gives the value; -1 for none. */
  readonly column: number
  /** The column's name, for messages. */
  readonly label: string
  readonly json: boolean
  /** For cells of a type; undefined for text. */
  readonly typed: TypedCells | undefined
  readonly children: readonly PlanNode[]
}

export interface TypedCells {
  readonly type: CellType
  /** True for a reader of text in UTF-8, false for one of text in latin1, one character for each byte. */
  readonly isUtf8: boolean
  readonly read: CellReader
}

interface Growing extends Omit<PlanNode, 'children' | 'column' | 'label' | 'json' | 'typed'> {
  column: number
  label: string
  json: boolean
  typed: TypedCells | undefined
  readonly children: Map<string, Growing>
}

const MOST_NAMES = 10

/** Lays out the record that a header's columns make. Code `config` when header and mapping contradict each other. */
export function planColumns(header: readonly string[], mapping: ColumnMapping, file: string): PlanNode[] {
  checkHeader(header, mapping, file)
  refuseLost(header, mapping, file)
  const root = node('', -1)
  header.forEach((label, column) => {
    const target = targetOf(label, mapping)
    if (target) place(root, target, { column, label, typed: typedCells(target, mapping) }, file)
  })
  return finish(root)
}

function checkHeader(header: readonly string[], { columns, elsewhere }: ColumnMapping, file: string): void {
  const labels = new Set<string>()
  header.forEach((label, index) => {
    if (Object.hasOwn(columns, label) && columns[label] === null) return
    if (label === '') {
      const message = `column ${index + 1} of ${file} has no name`
      throw refuse(
        message,
        'name it in the file, or drop such columns in the mapping file: columns: { "": null }',
      )
    }
    if (labels.has(label)) {
      throw refuse(`${file} has two columns named ${JSON.stringify(label)}`, 'rename one of them in the file')
    }
    labels.add(label)
  })
  for (const [label, target] of Object.entries(columns)) {
    if (target === null || labels.has(label) || elsewhere?.includes(label)) continue
    const meant = nearest(label, header)
    throw refuse(
      `${file} has no column ${JSON.stringify(label)}, which the mapping file names`,
      meant ? `did you mean ${JSON.stringify(meant)}?` : `its columns: ${header.join(', ')}`,
    )
  }
}

/** Throws for columns that would go to members that the preset leaves out: they would be lost in silence. */
function refuseLost(header: readonly string[], mapping: ColumnMapping, file: string): void {
  const { only } = mapping
  if (!only) return
  const lost = header.filter((label) => {
    const [member] = targetOf(label, mapping)?.path ?? []
    return member !== undefined && !only.members.includes(member)
  })
  const [first] = lost
  if (first === undefined) return
  const names = lost.slice(0, MOST_NAMES).map((label) => JSON.stringify(label))
  const more = lost.length > MOST_NAMES ? ` and ${lost.length - MOST_NAMES} more` : ''
  throw refuse(
    `${file} has columns that the preset ${only.preset} does not read: ${names.join(', ')}${more}`,
    `with "preset: events" in the mapping file they are properties; or say "${first}: properties.${first}" or "${first}: null" in its columns:, or columns_rest: drop`,
  )
}

function targetOf(label: string, { columns, rest }: ColumnMapping): ColumnTarget | null {
  if (Object.hasOwn(columns, label)) return columns[label]!
  return rest === 'keep' ? { path: [label], json: false, type: undefined } : null
}

function place(
  root: Growing,
  { path, json }: ColumnTarget,
  { column, label, typed }: Pick<PlanNode, 'column' | 'label' | 'typed'>,
  file: string,
): void {
  let at = root
  for (const segment of path) {
    if (at.column !== -1 && !at.json) throw clash(file, label, at.label)
    const next = at.children.get(segment) ?? node(segment, -1)
    at.children.set(segment, next)
    at = next
  }
  if (at.column !== -1) throw clash(file, label, at.label)
  if (at.children.size > 0 && !json) throw clash(file, label, [...at.children.values()][0]!.label)
  Object.assign(at, { column, label, json, typed })
}

function node(name: string, column: number): Growing {
  const key = Buffer.from(`${JSON.stringify(name)}:`).toString('latin1')
  return { key, column, label: name, json: false, typed: undefined, children: new Map() }
}

/** How the cells of a column are read; undefined for text. */
function typedCells(target: ColumnTarget, { timeFormats, zone }: ColumnMapping): TypedCells | undefined {
  const { type, separator } = target
  if (type === undefined) return undefined
  // A currency's sign is several bytes. The bytes of a list's elements go through as they are.
  const isUtf8 = type === 'number'
  const between = separator === undefined ? undefined : Buffer.from(separator).toString('latin1')
  const rule = { ...target, type, separator: between }
  return { type, isUtf8, read: cellReader(rule, { formats: timeFormats, zone }) }
}

function finish(parent: Growing): PlanNode[] {
  return [...parent.children.values()].map((child) => ({ ...child, children: finish(child) }))
}

function clash(file: string, one: string, other: string): PosthaulError {
  return refuse(
    `${file}: the columns ${JSON.stringify(other)} and ${JSON.stringify(one)} would go to the same place`,
    'give one of them another path in the mapping file, or drop it with null',
  )
}

function refuse(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'config', hint })
}

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
 * What gives the cells of a row that was kept as it was read their columns' types. The record is then the same to the byte
 * as the one that the table's reader makes of the row, so that its uuid is the same too. Text that isn't a JSON object stays.
 */
export function cellTyper(
  mapping: ColumnMapping,
  unusable: (what: string) => void,
): (record: Buffer) => Buffer {
  const columns = Object.entries(mapping.columns).flatMap(([label, target]): Column[] => {
    const typed = target && typedCells(target, mapping)
    return typed ? [{ label, typed, keys: target.path.map(keyOf) }] : []
  })
  const tape = new Tape()
  const scanner = new Scanner(tape)
  const splicesOf = (record: Buffer, { label, typed, keys }: Column): Splice[] =>
    placesOf(tape, keys, 0, tape.count).flatMap((place): Splice[] => {
      if (tape.kind(place) !== KIND.string) return []
      const cell = valueText(tape, record, place)!
      const value = typed.read(typed.isUtf8 ? cell : Buffer.from(cell).toString('latin1'))
      if (value === undefined) {
        unusable(notOfType(label, typed.type))
        return []
      }
      return [
        { start: tape.start(place), end: tape.end(place), text: Buffer.from(onOneLine(value), 'latin1') },
      ]
    })
  return (record) => {
    if (columns.length === 0 || !scanner.scan(record, 0, record.length)) return record
    const splices = columns.flatMap((column) => splicesOf(record, column))
    splices.sort((a, b) => a.start - b.start)
    const pieces: Buffer[] = []
    let from = 0
    for (const { start, end, text } of splices) {
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
export function notOfType(label: string, type: string): string {
  return `columns: ${label} holds text that is no ${type}`
}

/** JSON text with blanks for line ends, which valid JSON has only between values: a record is one line. */
export function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]/g, ' ') : json
}
