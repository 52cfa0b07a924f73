import { isS3 } from '../store/s3-location.ts'
import type { ByteRange } from '../store/store.ts'
import { KIB } from '../text/units.ts'
import type { InputFile } from './input-file.ts'
import { isSplittable } from './read.ts'

/** A part of an input to read records from. */
export interface SpreadPiece {
  /** Index of the input. */
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
export function planPieces(inputs: readonly InputFile[], maxBytes: number): SpreadPiece[] {
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

/** Places at even distances over all bytes of all inputs. */
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
