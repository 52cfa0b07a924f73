import { PosthaulError } from '../../errors.ts'
import { type Clock, RateLimiter } from '../../http/index.ts'
import { plural } from '../../text/index.ts'
import type { ExportOrder, ExportPiece, Memory, PieceCall, Source } from '../source.ts'
import { cutShort } from '../vendor-client.ts'
import type { Database } from './database.ts'
import { type LineOptions, ndjsonWriter } from './row-lines.ts'
import { cutParts, decideCuts, type WindowSizing } from './sized-windows.ts'
import { type NamedSlice, whereWords } from './slices.ts'

/** An export of rows, before anything is read. */
export interface SqlOrder {
  /** The engine's command. */
  readonly vendor: string
  readonly preset: string | undefined
  readonly identity: Readonly<Record<string, string>>
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
  const { vendor, preset, identity } = order
  const { slices, sizing } = order
  return {
    ...{ vendor, preset, identity },
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
        return named && (await database.count(named.slice, signal))
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
    if (signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
    await clock.sleep(next - now, signal)
  }
}
