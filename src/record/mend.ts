import { ByteWriter } from './byte-writer.ts'
import { hex4, isBigInteger, isHuge, isRoundedDecimal, stringEnd } from './bytes.ts'

/** How often a line was changed because the service would refuse it, or round it, as it is. */
export type Mends = ReturnType<typeof noMends>

export function noMends() {
  return {
    lone_surrogate: 0,
    huge_number: 0,
    /** Integers over 2^53, and decimals of more digits than a double holds. */
    big_integer: 0,
    /** Event names of more than 200 bytes. */
    event_name_cut: 0,
    /** Ids with blanks around them: distinct_id, and the id that an identity event links to it. */
    id_trimmed: 0,
    /** NaN and infinities, read as null: of Parquet and Avro, and of Python's JSON where the mapping file asks for it. */
    not_finite: 0,
    /** Arrays nested deeper than the service can query, as their own JSON text where the mapping file asks for it. */
    deep_array: 0,
    /** Times in an hour that the clocks of the zone had twice, of which the first is taken, and in one that they skipped. */
    clock_twice: 0,
    clock_skipped: 0,
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Copies valid JSON, changing what the service would refuse with the whole batch: an unpaired surrogate escape becomes
 * U+FFFD, a number beyond the double range becomes a string of its digits; and, where asked, numbers that the service
 * rounds become strings too. Everything else stays byte for byte. Changes are counted in `mends`.
 */
export function mend(
  bytes: Buffer,
  start: number,
  end: number,
  { bigIntegers = false, mends }: { readonly bigIntegers?: boolean; readonly mends: Mends },
): Buffer {
  const writer = new ByteWriter(end - start + 64)
  let i = start
  while (i < end) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = mendString(bytes, i, writer, mends)
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const after = numberEnd(bytes, i, end)
      const huge = isHuge(bytes, i, after)
      const big = !huge && bigIntegers && isRounded(bytes, i, after)
      if (huge) mends.huge_number++
      if (big) mends.big_integer++
      if (huge || big) writer.byte(QUOTE)
      writer.copy(bytes, i, after)
      if (huge || big) writer.byte(QUOTE)
      i = after
    } else {
      writer.byte(byte)
      i++
    }
  }
  return writer.bytes.subarray(0, writer.length)
}

/** True when the JSON value holds a number anywhere that the service rounds: an integer over 2^53, or a long decimal. */
export function holdsBigInteger(bytes: Buffer, start: number, end: number): boolean {
  let i = start
  while (i < end) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = stringEnd(bytes, i)
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const after = numberEnd(bytes, i, end)
      if (isRounded(bytes, i, after)) return true
      i = after
    } else i++
  }
  return false
}

function isRounded(bytes: Buffer, start: number, end: number): boolean {
  const digits = bytes[start] === 0x2d ? start + 1 : start
  for (let i = digits; i < end; i++)
    if (bytes[i]! < 0x30 || bytes[i]! > 0x39) return isRoundedDecimal(bytes, start, end)
  return isBigInteger(bytes, digits, end)
}

function numberEnd(bytes: Buffer, at: number, end: number): number {
  let i = at + 1
  while (i < end) {
    const byte = bytes[i]!
    const inside =
      (byte >= 0x30 && byte <= 0x39) ||
      byte === 0x2e ||
      (byte | 0x20) === 0x65 ||
      byte === 0x2b ||
      byte === 0x2d
    if (!inside) break
    i++
  }
  return i
}

function mendString(bytes: Buffer, at: number, writer: ByteWriter, mends: Mends): number {
  const end = stringEnd(bytes, at)
  let i = at
  while (i < end) {
    if (bytes[i] !== BACKSLASH) {
      writer.byte(bytes[i++]!)
      continue
    }
    const unit = bytes[i + 1] === 0x75 ? hex4(bytes, i + 2, end) : -1
    if (unit < 0xd800 || unit > 0xdfff) {
      writer.copy(bytes, i, i + 2)
      i += 2
      continue
    }
    const low =
      unit <= 0xdbff && bytes[i + 6] === BACKSLASH && bytes[i + 7] === 0x75 ? hex4(bytes, i + 8, end) : -1
    if (low >= 0xdc00 && low <= 0xdfff) {
      writer.copy(bytes, i, i + 12)
      i += 12
    } else {
      writer.ascii('\\ufffd')
      mends.lone_surrogate++
      i += 6
    }
  }
  return end
}
