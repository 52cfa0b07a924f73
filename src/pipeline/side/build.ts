import { join } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/input-file.ts'
import { listInputs } from '../../inputs/list.ts'
import type { ChooseOptions } from '../../inputs/manifests/by-manifests.ts'
import { type RecordReadOptions, readRecords } from '../../inputs/read.ts'
import type { RecordSink } from '../../inputs/record-sink.ts'
import type { Preset } from '../../mapping/preset.ts'
import { joinable, keyText, type SideTable } from '../../mapping/side-table.ts'
import { type Key, keyOf } from '../../record/keys.ts'
import { isNullWord } from '../../record/nobody.ts'
import { Scanner } from '../../record/scan.ts'
import { KIND, Tape, valueText } from '../../record/tape.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { MIB } from '../../text/units.ts'
import { assertUnchanged } from '../inputs-unchanged.ts'
import type { BuiltTable } from './built.ts'
import { hashed, TableWriter } from './table-file.ts'

/**
 * The service takes no event of this size, so rows that fold into more are no row of one event: what comes after it is
 * counted as repeated. Each fold copies what is held, and a key with a million rows would take hours without a bound.
 */
const LONGEST_ROW = MIB
const NOTHING = '{}'

export interface SideInputs {
  readonly table: SideTable
  readonly inputs: readonly InputFile[]
}

export type BuildOptions = Pick<RecordReadOptions, 'columns' | 'progress'> & {
  /** A folder of this machine for the sorted files. */
  readonly folder: string
  readonly stop: AbortSignal
}

/** Reads and sorts side tables, with the memory of one sorted run, however long they are. */
export async function buildTables(
  sides: readonly SideInputs[],
  options: BuildOptions,
): Promise<readonly BuiltTable[]> {
  const built: BuiltTable[] = []
  for (const side of sides) built.push(await buildTable(side, options))
  await assertUnchanged(sides.flatMap(({ inputs }) => inputs))
  return built
}

async function buildTable({ table, inputs }: SideInputs, options: BuildOptions): Promise<BuiltTable> {
  if (inputs.length === 0) return tableNotGiven(table)
  const [sink] = (await readTableRows([table], inputs, options)) as [TableRows]
  if (!table.ofRecords) assertIsTable(table, inputs, sink)
  const { rows, withoutKey: without_key, unreadable } = sink
  const folded = writeTable(table, sink.lines, options.folder)
  return { ...aboutTable(table), files: inputs.length, rows, without_key, unreadable, ...folded }
}

/** What is said of a table that has no files, or that is not made yet. */
export function tableNotGiven(table: SideTable): BuiltTable {
  const none = { files: 0, rows: 0, keys: 0, repeated: 0, without_key: 0, unreadable: 0 }
  return { ...aboutTable(table), file: undefined, sha256: null, ...none }
}

function aboutTable({ name, help, as, expected, ofRecords }: SideTable) {
  return { name, help, as, expected, of_records: ofRecords !== undefined }
}

/** The rows of a table that were read from some inputs, not folded yet: `lines` by hashed key. */
type TableRows = Pick<RowSink, 'lines' | 'rows' | 'withoutKey' | 'unreadable'>

/** Reads the rows of tables from the same inputs: of one table, or of tables of records, all at once. */
export async function readTableRows(
  tables: readonly SideTable[],
  inputs: readonly InputFile[],
  { folder, stop, progress, columns, range }: BuildOptions & Pick<RecordReadOptions, 'range'>,
): Promise<TableRows[]> {
  const sinks = tables.map((table) => new RowSink(table, new SortedLines(folder, `side-${table.name}`)))
  // The mapping file's columns: are of records, not of the rows of other tables.
  const isOfRecords = tables.every(({ ofRecords }) => ofRecords)
  for (const input of inputs) {
    await readRecords(input, new EachSink(sinks), {
      stop,
      range,
      ...(progress && { progress }),
      ...(isOfRecords && columns && { columns }),
    })
    stop.throwIfAborted()
  }
  return sinks
}

class EachSink implements RecordSink {
  readonly #sinks: readonly RowSink[]

  constructor(sinks: readonly RowSink[]) {
    this.#sinks = sinks
  }

  line(bytes: Buffer, start: number, end: number): void {
    for (const sink of this.#sinks) sink.line(bytes, start, end)
  }

  tooLong(): void {
    for (const sink of this.#sinks) sink.tooLong()
  }

  reject(): void {
    for (const sink of this.#sinks) sink.reject()
  }

  unusable(): void {}
}

/** Takes the key and the text of each row. Rows become no events, so they don't go through a RecordLoop. */
class RowSink implements RecordSink {
  readonly lines: SortedLines
  rows = 0
  withoutKey = 0
  unreadable = 0
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  /** Of each column of the key the names that it may have. */
  readonly #keys: ReadonlyArray<readonly Key[]>
  /** The members that a row keeps, with their names as JSON; undefined for all. */
  readonly #kept: ReadonlyMap<Key, string> | undefined

  constructor({ on, ofRecords }: SideTable, lines: SortedLines) {
    this.lines = lines
    this.#keys = Object.keys(on).map((column) => column.split('|').map(keyOf))
    this.#kept = ofRecords && new Map(ofRecords.map((name) => [keyOf(name), JSON.stringify(name)]))
  }

  line(bytes: Buffer, start: number, end: number): void {
    if (!this.#scanner.scan(bytes, start, end)) {
      this.unreadable++
      return
    }
    this.rows++
    const parts = this.#keys.map((names) => this.#text(bytes, names))
    if (parts.some((part) => part === undefined || part === '' || isNullWord(part))) {
      this.withoutKey++
      return
    }
    const row = this.#kept ? this.#reduced(bytes, this.#kept) : bytes.toString('utf8', start, end)
    // Of records that tell nothing there is no row: what looks for one must not find it.
    if (row === NOTHING) return
    this.lines.add(hashed(keyText(parts as string[])), row)
  }

  tooLong(): void {
    this.unreadable++
  }

  reject(): void {
    this.unreadable++
  }

  /** Types of columns are of records. */
  unusable(): void {}

  #text(bytes: Buffer, names: readonly Key[]): string | undefined {
    const tape = this.#tape
    let text: string | undefined
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      if (names.includes(tape.key(i))) text = valueText(tape, bytes, i)
    }
    return text
  }

  /** True for null and the empty string. */
  #saysNothing(bytes: Buffer, at: number): boolean {
    return this.#tape.kind(at) === KIND.null || valueText(this.#tape, bytes, at) === ''
  }

  #reduced(bytes: Buffer, kept: ReadonlyMap<Key, string>): string {
    const tape = this.#tape
    const pieces = new Map<string, string>()
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      const name = kept.get(tape.key(i))
      if (name !== undefined && !this.#saysNothing(bytes, i))
        pieces.set(name, bytes.toString('utf8', tape.start(i), tape.end(i)))
    }
    return `{${[...pieces].map(([name, json]) => `${name}:${json}`).join(',')}}`
  }
}

/** Refuses a file that was taken for the table by its name or by mistake: every join of it would be missing. */
function assertIsTable({ name, on }: SideTable, inputs: readonly InputFile[], sink: TableRows): void {
  if (sink.rows === 0 || sink.withoutKey < sink.rows) return
  const columns = Object.keys(on).join(' and ').replaceAll('|', ' or ')
  throw new PosthaulError(
    `${inputs[0]!.path} was to be joined as ${name}, and no row of it has a value in ${columns}`,
    { code: 'input', hint: `give the table with --join ${name}=PATH, or take the file out of the inputs` },
  )
}

/** Writes a table in the order of its hashed keys, one row for each, and removes the lines. */
export function writeTable({ name, several }: SideTable, lines: SortedLines, folder: string) {
  const file = join(folder, `${name}.table`)
  const writer = new TableWriter(file)
  let open: { readonly key: string; row: string } | undefined
  /** `repeated`: rows that share the key of another one, where only one of them can stand. */
  let [keys, repeated] = [0, 0]
  for (const [key, row] of lines.read()) {
    if (open?.key === key) {
      if (typeof several === 'function' && open.row.length < LONGEST_ROW) open.row = several(open.row, row)
      else repeated++
      if (several === 'last') open.row = row
      continue
    }
    if (open) writer.add(open.key, open.row)
    keys++
    open = { key, row: typeof several === 'function' ? several(undefined, row) : row }
  }
  if (open) writer.add(open.key, open.row)
  const sha256 = writer.finish()
  lines.remove()
  return { file, keys, repeated, sha256 }
}

interface SidePlan {
  /** The preset's side tables, in its order; one that was not given has no inputs. */
  readonly sides: readonly SideInputs[]
  readonly records: readonly InputFile[]
}

interface SideRequest {
  readonly preset: string
  readonly loaded: Pick<Preset, 'sideTables'>
  /** `--join`: each a `NAME=PATH`. */
  readonly join: readonly string[]
  /** How files of a folder that `--join` names are chosen. */
  readonly choose?: Partial<ChooseOptions>
}

/** Tells files of side tables from those of records. Code `usage` for a `--join` that says no table of the preset. */
export async function planSides(request: SideRequest, inputs: readonly InputFile[]): Promise<SidePlan> {
  const tables = request.loaded.sideTables ?? []
  const named = new Map<string, InputFile[]>()
  for (const text of request.join) {
    const { table, path } = parseJoin(text, request, tables)
    named.set(table.name, [...(named.get(table.name) ?? []), ...(await listInputs([path], request.choose))])
  }
  if (tables.length === 0) return { sides: [], records: inputs }
  const joined = (table: SideTable) =>
    once([...(named.get(table.name) ?? []), ...inputs.filter((input) => isOf(input, table))])
  const given = joinable(tables)
    .map((table) => ({ table, inputs: joined(table) }))
    .filter(({ table, inputs }) => inputs.length > 0 || !table.rare)
  const apart = new Set(
    given.filter(({ table }) => !table.alsoRecords).flatMap((side) => side.inputs.map(placeOf)),
  )
  const records = inputs.filter((input) => !apart.has(placeOf(input)))
  if (records.length === 0 && inputs.length > 0) throw onlySides(given)
  const names = new Set(given.filter((side) => side.inputs.length > 0).map((side) => side.table.name))
  const own = tables
    .filter(({ ofRecords, needs }) => ofRecords && (needs === undefined || names.has(needs)))
    .map((table) => ({ table, inputs: records }))
  const sides = [...given, ...own].sort((a, b) => tables.indexOf(a.table) - tables.indexOf(b.table))
  return { sides, records }
}

function parseJoin(text: string, { preset }: SideRequest, tables: readonly SideTable[]) {
  const equals = text.indexOf('=')
  const [name, path] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)]
  const names = joinable(tables).map((table) => table.name)
  const table = tables.find((one) => names.includes(one.name) && one.name === name)
  if (table && path !== '') return { table, path }
  if (names.length === 0) {
    const message = `--join ${text}: the preset ${preset} joins no tables`
    throw new PosthaulError(message, { code: 'usage', hint: 'leave --join out' })
  }
  throw new PosthaulError(`--join ${text} is no table of the preset ${preset} with a path`, {
    code: 'usage',
    hint: `give --join ${names.join('=PATH, --join ')}=PATH`,
  })
}

function isOf({ table, path, member }: InputFile, { name, folder }: SideTable): boolean {
  if (table?.toLowerCase() === name.toLowerCase()) return true
  return folder !== undefined && `/${member?.name ?? path}`.includes(`/${folder}/`)
}

/** A file that was found by two ways, once. */
function once(inputs: readonly InputFile[]): InputFile[] {
  return [...new Map(inputs.map((input) => [placeOf(input), input])).values()]
}

function placeOf({ path, member }: InputFile): string {
  return member === undefined ? path : `${path}\0${member.name}`
}

function onlySides(given: readonly SideInputs[]): PosthaulError {
  const names = given.filter(({ inputs }) => inputs.length > 0).map(({ table }) => table.name)
  return new PosthaulError(
    `all inputs are tables to be joined (${names.join(', ')}), and none holds events`,
    { code: 'input', hint: 'give the tables with the events too, with --in' },
  )
}
