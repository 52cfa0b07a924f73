import type { ColumnMapping } from '../mapping/columns.ts'
import { countOne } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import { KIB, MIB } from '../text/units.ts'
import type { InputFile } from './input-file.ts'
import type { ByteProgress } from './open-bytes.ts'
import { isSplittable, readRecords } from './read.ts'
import { AsRead, type RecordSink } from './record-sink.ts'
import { evenly, Thinned } from './thinned.ts'

/** Bytes of records that are read when no other limit is given. */
export const SPREAD_BYTES = 64 * MIB
/** Refused records that are shown; all are counted. */
const MOST_REFUSED = 200
/** How many records of each table are kept in any case: few, because they weigh more than others in what is counted by day. */
const FIRST_OF_TABLE = 10

/** A record of the sample: one line of JSON. */
export interface SpreadRecord {
  readonly bytes: Buffer
  readonly input: InputFile
  /** As `readRecords` tells it: in the unpacked file; of Parquet, the row. */
  readonly offset: number
  /** Line, element or row, from 1, in its file; undefined where only a part from its middle was read. */
  readonly number: number | undefined
  /** The record as its file has it, where column types made others of its cells: see AsRead. */
  readonly row: string | undefined
}

/** A record that its reader could not turn into a line. The record is null when it was too long to be held. */
export type SpreadRefused = Pick<SpreadRecord, 'input' | 'number'> &
  Pick<Reject, 'reason' | 'message' | 'record'>

/** A sample of records spread over the whole of some inputs. */
export type Spread = Readonly<Awaited<ReturnType<typeof readPieces>>>

interface SpreadOptions {
  /** Records that are wanted; fewer come only when fewer were read, or when they are very long. */
  readonly records: number
  /** Bytes of records that are read at most, about; 64 MiB when not given. Inputs that have no more are read whole. */
  readonly maxBytes?: number
  readonly columns?: ColumnMapping
  readonly withTable?: boolean
  /** Called with the bytes of the files, as they are stored, read since the last call. */
  readonly progress?: ByteProgress
  /** Throws its reason. */
  readonly stop: AbortSignal
}

/**
 * Reads a sample of records spread over the whole of any inputs, in flat memory and bounded time. Small inputs are read
 * whole. Of large ones some 64 pieces are read: of plain lines in the middle of files too, of other files the beginnings. The
 * first records, and some of each table, are always in it. The same inputs give the same sample. Errors: those of
 * `readRecords`.
 */
export async function readSpread(inputs: readonly InputFile[], options: SpreadOptions): Promise<Spread> {
  const maxBytes = options.maxBytes ?? SPREAD_BYTES
  const bytes = inputs.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= maxBytes) {
    // Packed files may hold a thousand times what their size says.
    const pieces = inputs.map((_, input) => ({ input, range: undefined, most: maxBytes }))
    const all = await readPieces(inputs, options, pieces, maxBytes)
    if (all.whole) return all
  }
  return readPieces(inputs, options, planPieces(inputs, maxBytes), Number.POSITIVE_INFINITY)
}

/** Reads pieces until the bytes of records are more than `limit`. */
async function readPieces(
  inputs: readonly InputFile[],
  options: SpreadOptions,
  pieces: readonly SpreadPiece[],
  limit: number,
) {
  const { records: wanted, columns, withTable, stop } = options
  const tables = new Map<string | undefined, number>()
  const tableCount = new Set(inputs.map(({ table }) => table)).size
  const firstOfTable = Math.min(FIRST_OF_TABLE, Math.floor(wanted / 4 / tableCount))
  const thinned = new Thinned<SpreadRecord>(wanted)
  const refused: SpreadRefused[] = []
  const refusedFor: Record<string, number> = {}
  let [refusedCount, read, recordBytes, bytesRead] = [0, 0, 0, 0]

  /** True for the first record of all, and the first ones of each table. */
  const isFirst = ({ table }: InputFile): boolean => {
    const before = tables.get(table) ?? 0
    tables.set(table, before + 1)
    return before < firstOfTable || read <= 1
  }

  const readPiece = async (piece: SpreadPiece): Promise<boolean> => {
    const input = inputs[piece.input]!
    const enough = new AbortController()
    let taken = 0
    const isTaken = (bytes: number): boolean => {
      if (enough.signal.aborted) return false
      taken += bytes
      recordBytes += bytes
      if (taken > piece.most || recordBytes > limit) enough.abort()
      read++
      return true
    }
    const place = (number: number) => (piece.range === undefined ? number : undefined)
    const refuse = ({ line, reason, message, record }: Omit<Reject, 'offset'>) => {
      refusedCount++
      countOne(refusedFor, reason)
      if (refused.length >= MOST_REFUSED) return
      refused.push({ input, number: place(line), reason, message, record })
    }
    const asRead = new AsRead()
    const sink: RecordSink = {
      line: (bytes, start, end, offset, number) => {
        if (!isTaken(end - start)) return
        thinned.add(end - start, isFirst(input), () => {
          const copy = Buffer.from(bytes.subarray(start, end))
          return { bytes: copy, input, offset, number: place(number), row: asRead.row?.().toString() }
        })
      },
      tooLong: (_offset, length, line) => {
        if (!isTaken(length)) return
        refuse({ line, reason: 'line_too_long', message: 'a line is longer than can be read', record: null })
      },
      reject: (reject) => {
        if (isTaken(reject.record?.length ?? 0)) refuse(reject)
      },
      unusable() {},
    }
    const progress = (bytes: number) => {
      bytesRead += bytes
      options.progress?.(bytes)
    }
    await readRecords(input, sink, {
      ...(columns && { columns }),
      ...(withTable && { withTable }),
      range: piece.range,
      asRead,
      progress,
      stop: AbortSignal.any([enough.signal, stop]),
    })
    stop.throwIfAborted()
    return !enough.signal.aborted
  }

  let whole = limit < Number.POSITIVE_INFINITY
  for (const piece of pieces) {
    stop.throwIfAborted()
    const ended = await readPiece(piece)
    whole &&= ended
    if (recordBytes > limit) break
  }
  const { always, even } = thinned.kept
  const kept = [...always, ...evenly(even, Math.max(0, wanted - always.length))]
  return {
    /** In the inputs' order. */
    records: kept.sort((a, b) => a.place - b.place).map(({ item }) => item),
    /** The first 200 of those refused, all of which are in `read` too; of the bytes read, Parquet has an estimate. */
    ...{ refused, refusedCount, refusedFor, read, bytesRead, whole },
    files: inputs.length,
    filesRead: new Set(pieces.map(({ input }) => input)).size,
    /** Of all inputs, as they are stored. */
    bytes: inputs.reduce((sum, { size }) => sum + size, 0),
  }
}

interface SpreadPiece {
  readonly input: number
  /** The bytes whose lines are read; undefined: from the beginning, as far as `most` goes. */
  readonly range: ByteRange | undefined
  /** Bytes of records after which the reading of this piece ends. */
  readonly most: number
}

/** Places in the whole input: each costs a seek, or a request to a bucket. */
const PLACES = 64
const MIN_PIECE_BYTES = 64 * KIB

/**
 * Chooses where to read when there is more than `maxBytes`: the head of the first input, the head of a file of each table,
 * and places at even distances over all bytes. A file that only can be read from its beginning gives its head, a longer one
 * the more places fell into it. A function of the inputs alone. In the inputs' order.
 */
function planPieces(inputs: readonly InputFile[], maxBytes: number): SpreadPiece[] {
  const length = Math.max(MIN_PIECE_BYTES, Math.floor(maxBytes / PLACES))
  const places = Math.max(1, Math.min(PLACES, Math.floor(maxBytes / length)))
  const offsets = new Map<number, number[]>()
  const add = (input: number, offset: number) => {
    offsets.set(input, [...(offsets.get(input) ?? []), offset])
  }
  for (const input of firstOfTables(inputs, places)) add(input, 0)
  for (const { input, offset } of evenPlaces(inputs, places)) {
    if (offset > 0 || !offsets.has(input)) add(input, offset)
  }
  const chosen = [...offsets].sort(([a], [b]) => a - b)
  return affordable(inputs, chosen, maxBytes).flatMap(([input, at]) => piecesOf(inputs, input, at, length))
}

/** The first input of each table, at most `most` of them; the first of all among them. */
function firstOfTables(inputs: readonly InputFile[], most: number): number[] {
  const first = new Map<string | undefined, number>()
  inputs.forEach(({ table, size }, index) => {
    if (size > 0 && !first.has(table) && first.size < most) first.set(table, index)
  })
  return [...first.values()]
}

function evenPlaces(inputs: readonly InputFile[], places: number): Array<{ input: number; offset: number }> {
  const total = inputs.reduce((sum, { size }) => sum + size, 0)
  const found: Array<{ input: number; offset: number }> = []
  let before = 0
  let input = 0
  for (let place = 0; place < places; place++) {
    const at = Math.floor((total * place) / places)
    while (input < inputs.length - 1 && at >= before + inputs[input]!.size) before += inputs[input++]!.size
    found.push({ input, offset: at - before })
  }
  return found
}

/** Files that are copied here as a whole before a row can be read are left out once they cost more than may be read. */
function affordable<T extends readonly [number, unknown]>(
  inputs: readonly InputFile[],
  chosen: readonly T[],
  maxBytes: number,
): T[] {
  let copied = 0
  return chosen.filter(([index]) => {
    const input = inputs[index]!
    if (!isCopiedFirst(input)) return true
    if (copied > 0 && copied + input.size > maxBytes) return false
    copied += input.size
    return true
  })
}

/** True for Parquet that is packed or in a bucket: see parquet.ts. */
function isCopiedFirst({ format, path, member, compression }: InputFile): boolean {
  return format === 'parquet' && (isS3(path) || member !== undefined || compression !== 'none')
}

function piecesOf(
  inputs: readonly InputFile[],
  index: number,
  offsets: readonly number[],
  length: number,
): SpreadPiece[] {
  const input = inputs[index]!
  const all = length * offsets.length
  if (!isSplittable(input) || input.rejects || input.size <= all) {
    return [{ input: index, range: undefined, most: all }]
  }
  return offsets.map((start, i) => {
    // The head has no range: looking for the end of its last line could take the whole file.
    if (start === 0)
      return { input: index, range: undefined, most: Math.min(length, offsets[i + 1] ?? length) }
    const end = Math.min(start + length, offsets[i + 1] ?? input.size, input.size)
    return { input: index, range: { start, end }, most: length }
  })
}
