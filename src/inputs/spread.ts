import type { ColumnMapping } from '../mapping/columns.ts'
import { countOne } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { MIB } from '../text/units.ts'
import type { InputFile } from './input-file.ts'
import type { ByteProgress } from './open-bytes.ts'
import { readRecords } from './read.ts'
import { AsRead, type RecordSink } from './record-sink.ts'
import { planPieces, type SpreadPiece } from './spread-plan.ts'
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

/** A record that its reader could not turn into a line. */
export interface SpreadRefused {
  readonly input: InputFile
  readonly number: number | undefined
  readonly reason: string
  readonly message: string
  /** Null when it was too long to be held. */
  readonly record: string | null
}

/** A sample of records spread over the whole of some inputs. */
export interface Spread {
  /** In the inputs' order. */
  readonly records: readonly SpreadRecord[]
  /** The first 200. */
  readonly refused: readonly SpreadRefused[]
  readonly refusedCount: number
  /** All of them, by reason. */
  readonly refusedFor: Readonly<Record<string, number>>
  /** Records that were read, those refused among them. */
  readonly read: number
  readonly files: number
  readonly filesRead: number
  /** Of all inputs, as they are stored. */
  readonly bytes: number
  /** Of these, read: an estimate for Parquet. */
  readonly bytesRead: number
  /** True when every record was read. */
  readonly whole: boolean
}

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
): Promise<Spread> {
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

  /** Resolves to true when the piece was read to its end. */
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
    records: kept.sort((a, b) => a.place - b.place).map(({ item }) => item),
    ...{ refused, refusedCount, refusedFor, read, bytesRead, whole },
    files: inputs.length,
    filesRead: new Set(pieces.map(({ input }) => input)).size,
    bytes: inputs.reduce((sum, { size }) => sum + size, 0),
  }
}
