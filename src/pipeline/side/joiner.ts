import { keyText, type SideTable } from '../../mapping/side-table.ts'
import { members } from '../../record/json-values.ts'
import { type Key, keyOf } from '../../record/keys.ts'
import { isNullWord } from '../../record/nobody.ts'
import { Scanner } from '../../record/scan.ts'
import { KIND, Tape, valueText } from '../../record/tape.ts'
import { scalarText } from '../../record/text.ts'
import type { BuiltTable, JoinCounts } from './built.ts'
import { TableReader } from './table-file.ts'

const CLOSE = 0x7d

/** Where a record, or a row that was joined to it, has a part of a key. */
interface Path {
  readonly keys: readonly Key[]
  readonly names: readonly string[]
}

interface Side {
  readonly table: SideTable
  readonly member: Key
  /** What comes before the row: `,"joined_user":`. */
  readonly opening: Buffer
  readonly paths: ReadonlyArray<readonly Path[]>
  readonly reader: TableReader
  counts: JoinCounts
}

/** Joins the rows of side tables to records. Not reentrant: what it returns is void after the next call. */
export class Joiner {
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #sides: readonly Side[]

  constructor(tables: readonly SideTable[], built: readonly BuiltTable[]) {
    this.#sides = tables.flatMap((table) => {
      const file = built.find(({ name }) => name === table.name)?.file
      if (file === undefined) return []
      return {
        table,
        member: keyOf(table.as),
        opening: Buffer.from(`,${JSON.stringify(table.as)}:`),
        paths: Object.values(table.on).map((paths) => paths.map(pathOf)),
        reader: new TableReader(file),
        counts: { found: 0, missing: 0 },
      }
    })
  }

  /** The record with its rows as members; undefined when it has none, and for a line that is no record. */
  join(line: Buffer, start: number, end: number): Buffer | undefined {
    if (!this.#scanner.scan(line, start, end)) return undefined
    const pieces: Buffer[] = []
    const rows = new Map<string, string>()
    for (const side of this.#sides) {
      if (this.#at([side.member]) >= 0) continue
      const key = this.#keyOf(side, line, rows)
      if (key === undefined) continue
      const row = side.reader.row(key)
      if (row === undefined) side.counts.missing++
      else {
        side.counts.found++
        rows.set(side.table.as, row)
        pieces.push(side.opening, Buffer.from(row))
      }
    }
    if (pieces.length === 0) return undefined
    const close = line.lastIndexOf(CLOSE, end - 1)
    // It has members before these: the keys came from them.
    return Buffer.concat([line.subarray(start, close), ...pieces, line.subarray(close, end)])
  }

  /** How many records had rows since the last call, by table. */
  takeCounts(): Record<string, JoinCounts> {
    const taken = Object.fromEntries(this.#sides.map(({ table, counts }) => [table.name, counts]))
    for (const side of this.#sides) side.counts = { found: 0, missing: 0 }
    return taken
  }

  close(): void {
    for (const { reader } of this.#sides) reader.close()
  }

  #keyOf({ paths }: Side, line: Buffer, rows: ReadonlyMap<string, string>): string | undefined {
    const parts: string[] = []
    for (const alternatives of paths) {
      const part = this.#firstOf(alternatives, line, rows)
      if (part === undefined) return undefined
      parts.push(part)
    }
    return keyText(parts)
  }

  #firstOf(
    alternatives: readonly Path[],
    line: Buffer,
    rows: ReadonlyMap<string, string>,
  ): string | undefined {
    for (const { keys, names } of alternatives) {
      const row = rows.get(names[0]!)
      const text = row === undefined ? this.#text(line, keys) : columnText(row, names[1])
      if (text !== undefined && text !== '' && !isNullWord(text)) return text
    }
    return undefined
  }

  #text(line: Buffer, path: readonly Key[]): string | undefined {
    const at = this.#at(path)
    return at < 0 ? undefined : valueText(this.#tape, line, at)
  }

  /** Place of a member on the tape, the last of one name; -1 for none and for null. */
  #at(path: readonly Key[]): number {
    const tape = this.#tape
    let [from, to] = [0, tape.count]
    let found = -1
    for (const key of path) {
      found = -1
      for (let i = from; i < to; i = tape.next(i)) if (tape.key(i) === key) found = i
      if (found < 0 || tape.kind(found) === KIND.null) return -1
      ;[from, to] = [found + 1, tape.next(found)]
    }
    return found
  }
}

function pathOf(path: string): Path {
  const names = path.split('.')
  return { names, keys: names.map(keyOf) }
}

/** A column of a joined row as text; undefined for a container and for none. */
function columnText(row: string, column: string | undefined): string | undefined {
  return scalarText(members(row).findLast(([name]) => name === column)?.[1])
}
