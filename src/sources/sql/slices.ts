import { PosthaulError } from '../../errors.ts'
import { MS_PER_DAY, nearest } from '../../text/index.ts'
import { formatUtc, type Window } from '../window.ts'
import type { Only, Slice, TableColumn, Where } from './database.ts'
import { hasEnds } from './query-ends.ts'
import type { ShapeCall, SqlReading } from './sql-shape.ts'

/** The rows of one part. */
export interface NamedSlice {
  /** `events.2024-03-01`; `events.000` for rows without a time; `users.000002` for the third range of a key; `users`. */
  readonly name: string
  readonly slice: Slice
  /** When no more rows come to it but late ones, in ms since the epoch; undefined where nothing tells. */
  readonly over: number | undefined
}

/** Values of a key in a part, where nobody says how many. */
export const VALUES_IN_RANGE = 1_000_000

/** More files than this make all that follows slow. */
const MOST_RANGES = 20_000

/** Cuts what is read into the rows of parts, in the order of time or of the key. Code `config` for a column that does not serve. */
export async function slicesOf(
  reading: SqlReading,
  call: Omit<ShapeCall, 'schema'>,
): Promise<readonly NamedSlice[]> {
  const { relation, table } = reading
  const { database, only, signal } = call
  const sliced = (name: string, where: Where, over?: number): NamedSlice => {
    return { name, slice: { relation, where, only }, over }
  }
  if (relation.kind === 'query' && hasEnds(relation.text, database.ends)) {
    return windowsOf(call).map((span) => sliced(`${table}.${span.name}`, { by: 'ends', span }, span.end))
  }
  const { holds } = reading
  if (holds) return [sliced(`${table}.${holds.name}`, { by: 'all' }, holds.end)]
  const columns = await database.columns(relation, signal)
  for (const one of only) assertOnly(one, columns, table)
  if (reading.time !== undefined) {
    const column = columnNamed(reading.time, columns, table)
    return timeSlices(column, windowsOf(call, column)).map(([name, where, over]) =>
      sliced(`${table}.${name}`, where, over),
    )
  }
  if (reading.key === undefined) return [sliced(table, { by: 'all' })]
  const column = columnNamed(reading.key, columns, table)
  const ordered = sliced(table, { by: 'all', order: column })
  // Nobody knows whether a query gives NULL there, which no range has.
  if (relation.kind === 'query') return [ordered]
  if (column.nullable) throw wrong(`${table}.${column.name} can be NULL: a key that cuts a table must not be`)
  if (!column.integer) return [ordered]
  const ends = await database.span(relation, column, signal)
  if (ends === undefined) return [sliced(table, { by: 'all' })]
  return keyRanges(column, {
    least: BigInt(ends[0]),
    most: BigInt(ends[1]),
    size: BigInt(call.rowsPerPart ?? VALUES_IN_RANGE),
  }).map(([name, where]) => sliced(`${table}.${name}`, where))
}

function windowsOf({ windows }: Pick<ShapeCall, 'windows'>, column?: TableColumn): readonly Window[] {
  if (windows === undefined) {
    throw new PosthaulError('--from is missing: windows go by time', {
      code: 'usage',
      hint: 'give the first day: --from 2024-03-01',
    })
  }
  const inside = windows.find(({ start, end }) => start % MS_PER_DAY !== 0 || end % MS_PER_DAY !== 0)
  if (column?.time === 'date' && inside !== undefined) {
    throw wrong(`${column.name} has days and no times: windows of hours can't go by it`, '--window 24h')
  }
  return windows
}

type TimeSlice = readonly [name: string, where: Where, over: number | undefined]

function timeSlices(column: TableColumn, windows: readonly Window[]): readonly TimeSlice[] {
  if (column.time === undefined) {
    throw wrong(
      `${column.name} is of the type ${column.type}, which tells no time`,
      'name another column, or make a time of it in a query: --query',
    )
  }
  const dated = windows.map((span): TimeSlice => [span.name, { by: 'time', column, span }, span.end])
  if (!column.nullable && !column.timeless) return dated
  return [['000', { by: 'no time', column }, undefined], ...dated]
}

/** Ranges of a whole number that are the same on every run, whatever rows come. */
function keyRanges(
  column: TableColumn,
  { least, most, size }: { readonly least: bigint; readonly most: bigint; readonly size: bigint },
): (readonly [name: string, where: Where])[] {
  const place = (value: bigint) => (value >= 0n ? value : value - size + 1n) / size
  const [first, last] = [place(least), place(most)]
  if (last - first >= BigInt(MOST_RANGES)) {
    throw wrong(
      `${column.name} goes from ${least} to ${most}: that is over ${MOST_RANGES} parts of ${size}`,
      'give a larger --rows-per-part',
    )
  }
  const ranges: (readonly [string, Where])[] = []
  for (let at = first; at <= last; at++) {
    const number = `${at < 0n ? '0-' : ''}${String(at < 0n ? -at : at).padStart(6, '0')}`
    ranges.push([number, { by: 'key', column, from: at * size, to: (at + 1n) * size }])
  }
  return ranges
}

/** Servers that take any text for a number would take one that is none for 0. */
function assertOnly({ column, value }: Only, columns: readonly TableColumn[], table: string): void {
  const { name, type, integer } = columnNamed(column, columns, table)
  if (!integer || /^-?\d+$/.test(value)) return
  throw wrong(`--only ${column}=${value}: ${table}.${name} is of the type ${type}`, 'give a whole number')
}

/** A table's column by its name, as it is written or else whatever its case. */
export function columnNamed(name: string, columns: readonly TableColumn[], table: string): TableColumn {
  const found =
    columns.find((one) => one.name === name) ??
    columns.find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (found) return found
  const names = columns.map((one) => one.name)
  const meant = nearest(name, names)
  throw wrong(
    `${table} has no column ${JSON.stringify(name)}`,
    meant === undefined ? `it has ${names.slice(0, 20).join(', ')}` : `did you mean ${meant}?`,
  )
}

function wrong(message: string, hint?: string): PosthaulError {
  return new PosthaulError(message, { code: 'config', ...(hint !== undefined && { hint }) })
}

/** A window in a sentence: `created_at from 2024-03-01 to 2024-03-02`. */
export function whereWords(where: Where): string {
  switch (where.by) {
    case 'time':
      return `${where.column.name} from ${formatUtc(where.span.start)} to ${formatUtc(where.span.end)}`
    case 'no time':
      return `${where.column.name} is NULL or no time`
    case 'key':
      return `${where.column.name} from ${where.from} to ${where.to}`
    case 'ends':
      return `from ${formatUtc(where.span.start)} to ${formatUtc(where.span.end)}`
    case 'all':
      return 'all rows'
  }
}
