import { assertGoing } from '../../errors.ts'
import { type Clock, RateLimiter } from '../../http/index.ts'
import { MS_PER_HOUR, plural } from '../../text/index.ts'
import type { ExportOrder, ExportPiece, Memory, PieceCall, Source } from '../source.ts'
import { cutShort } from '../vendor-client.ts'
import { windowsOf } from '../window.ts'
import type { Database } from './database.ts'
import { type LineOptions, ndjsonWriter } from './row-lines.ts'
import { type NamedSlice, whereWords } from './slices.ts'

/** An export of rows, before anything is read. */
export interface SqlOrder extends Pick<ExportOrder, 'preset' | 'identity'> {
  readonly database: Database
  readonly slices: readonly NamedSlice[]
  /** Left out where windows are as long as they were asked for, however many rows they have. */
  readonly sizing?: WindowSizing
  /** How long after its end a window gets rows, in milliseconds. */
  readonly overlapMs: number
  readonly lines: LineOptions
  readonly rowsPerSecond: number | undefined
  readonly clock: Clock
}

/** An export of a database: a part for each window, range of a key, or whole table. */
export function sqlOrder(order: SqlOrder): ExportOrder {
  const { preset, identity, slices, sizing } = order
  return {
    ...{ preset, identity },
    ...(sizing && { prepare: (memory) => decideCuts(slices, sizing, memory) }),
    open: (memory) => open(order, memory),
  }
}

function open(order: SqlOrder, memory: Memory): Source {
  const { database, sizing, overlapMs, clock } = order
  const slices = sizing ? order.slices.flatMap((one) => cutParts(one, memory)) : order.slices
  const paced = rowPace(order.rowsPerSecond, clock)
  const pieces = slices.map(
    ({ name, slice, over }): ExportPiece => ({
      name,
      asks: `SELECT ${name}: ${whereWords(slice.where)}`,
      finalAt: over === undefined ? 0 : over + overlapMs,
      fetch: (call) => rowsOf(order, { name, slice, over }, { call, paced }),
    }),
  )
  const limiter = new RateLimiter({ limits: [], clock })
  return {
    pieces,
    limiter,
    renews: overlapMs > 0,
    recount: {
      by: database.engine,
      async count(piece, { signal }) {
        const named = slices.find(({ name }) => name === piece)
        return named && { records: await database.count(named.slice, signal), isSame: true }
      },
    },
    close: async () => undefined,
  }
}

/** The rows of a slice as lines. Throws unless they are as many as the server counts. */
async function* rowsOf(
  { database, lines: options }: SqlOrder,
  { name, slice }: NamedSlice,
  { call, paced }: { readonly call: PieceCall; readonly paced: ReturnType<typeof rowPace> },
): AsyncGenerator<Buffer> {
  let linesOf: ReturnType<typeof ndjsonWriter> | undefined
  let rows = 0
  const counts: number[] = []
  const notFinite = new Map<string, number>()
  const notText = new Map<string, number>()
  const batches = database.read(slice, {
    signal: call.signal,
    columns: (names) => {
      linesOf = ndjsonWriter(names, options)
    },
    counted: (count) => void counts.push(count),
    notFinite: (column) => void notFinite.set(column, (notFinite.get(column) ?? 0) + 1),
    notText: (column) => void notText.set(column, (notText.get(column) ?? 0) + 1),
  })
  for await (const batch of batches) {
    if (linesOf === undefined) throw new RangeError('rows came before their columns')
    rows += batch.length
    yield linesOf(batch)
    await paced(batch.length, call.signal)
  }
  if (counts.length === 0) throw new RangeError('a slice was read and not counted')
  const other = counts.find((count) => count !== rows)
  if (other !== undefined) {
    throw cutShort(`${database.engine} counts ${plural(other, 'row')} in ${name} and gave ${rows}`)
  }
  for (const [column, count] of notFinite) {
    const were = count === 1 ? 'was NaN or infinite: it is null' : 'were NaN or infinite: they are null'
    call.note(`${name}: ${plural(count, 'value')} of ${column} ${were}`)
  }
  for (const [column, count] of notText) {
    const were = count === 1 ? 'was not UTF-8: it is written' : 'were not UTF-8: they are written'
    call.note(`${name}: ${plural(count, 'text')} of ${column} ${were} as base64: and the bytes`)
  }
}

/** Keeps rows to so many a second, over all slices: waits after some that came. */
function rowPace(perSecond: number | undefined, clock: Clock) {
  /** When the next rows may come, by the clock that never goes back. */
  let next = Number.NEGATIVE_INFINITY
  return async (rows: number, signal: AbortSignal): Promise<void> => {
    if (perSecond === undefined) return
    const now = clock.now()
    next = Math.max(next, now) + (rows * 1000) / perSecond
    assertGoing(signal)
    await clock.sleep(next - now, signal)
  }
}

/** How windows are cut by the number of their rows. */
interface WindowSizing {
  /** The most rows of a part, as far as hours allow. */
  readonly mostRows: number
  count(named: NamedSlice): Promise<number>
}

/**
 * Decides into how many equal parts of whole hours each window is cut that is new. It is decided once and remembered: rows
 * that come later must not change what the parts are.
 */
export async function decideCuts(
  slices: readonly NamedSlice[],
  { mostRows, count }: WindowSizing,
  memory: Pick<Memory, 'cut' | 'keepCut'>,
): Promise<void> {
  for (const named of slices) {
    const hours = hoursOf(named)
    if (hours <= 1 || memory.cut(named.name) !== undefined) continue
    memory.keepCut(named.name, partsFor(hours, (await count(named)) / mostRows))
  }
}

/** The parts of a window as it was decided. */
export function cutParts(named: NamedSlice, { cut }: Pick<Memory, 'cut'>): readonly NamedSlice[] {
  const { name, slice, over } = named
  const { where } = slice
  const parts = cut(name) ?? 1
  if (parts === 1 || (where.by !== 'time' && where.by !== 'ends')) return [named]
  const { start, end } = where.span
  const table = name.slice(0, name.lastIndexOf('.'))
  return windowsOf(start, end, (end - start) / parts).map((span) => ({
    name: `${table}.${span.name}`,
    slice: { ...slice, where: { ...where, span } },
    over: over === undefined ? undefined : span.end,
  }))
}

/** The whole hours of a window; 1 for what can't be cut by them. */
function hoursOf({ slice: { where } }: NamedSlice): number {
  const isTimed = where.by === 'ends' || (where.by === 'time' && where.column.time !== 'date')
  return isTimed ? (where.span.end - where.span.start) / MS_PER_HOUR : 1
}

/** The least number of equal parts of whole hours that is not less than what is wanted. */
function partsFor(hours: number, wanted: number): number {
  for (let parts = 1; parts < hours; parts++) if (hours % parts === 0 && parts >= wanted) return parts
  return hours
}
