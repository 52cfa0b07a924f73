import { isAscii } from 'node:buffer'
import { PosthaulError } from '../errors.ts'
import type { Encoding } from '../mapping/columns.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { utf8Length } from '../record/bytes.ts'

/** Encodings that are turned into UTF-8 before anything reads them. */
export type Foreign = Exclude<Encoding, 'utf-8'>

/**
 * Bytes that no UTF-8 text holds. They stand in decoded text before what can't be read for certain, so that its record
 * becomes a reject whatever reader cuts it out: see record-sink.ts.
 */
export const MARK = {
  /** What follows is UTF-8 already, in a file that is said to be in another encoding. */
  utf8: 0xff,
  /** What follows was made of bytes that are no character of the encoding. */
  unknown: 0xfe,
} as const

/** Longest UTF-8 sequence, twice: what is looked at to tell UTF-8 from single bytes. */
const LOOK_BYTES = 8
/** Longest form of a byte of a single-byte encoding in UTF-8, with its mark. */
const MOST_BYTES = 4

// 0x80 to 0x9F of Windows-1252; a blank is a byte that has no character.
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ ž\u0178'

/** The character of a byte from 0x80 on in Windows-1252; undefined where it has none. */
export function characterOf(byte: number): string | undefined {
  const character = byte < 0xa0 ? WINDOWS_1252[byte - 0x80]! : String.fromCharCode(byte)
  return character === ' ' ? undefined : character
}

/** What Western text holds in UTF-8 where it would be one byte in Windows-1252. */
const WESTERN = new Set(Array.from({ length: 0x80 }, (_, i) => characterOf(0x80 + i)?.codePointAt(0)))

/** The text of the next bytes in UTF-8. `last`: no more bytes come. */
type Decoder = (bytes: Buffer, last: boolean) => Buffer

/** An input's text in UTF-8, without its byte order mark, in flat memory. Code `input` for text that is cut in a character. */
export async function* decoded(
  bytes: AsyncIterable<Buffer>,
  encoding: Foreign,
  path: string,
): AsyncGenerator<Buffer> {
  const decode = decoderOf(encoding, path)
  for await (const chunk of bytes) {
    const text = decode(chunk, false)
    if (text.length > 0) yield text
  }
  const rest = decode(Buffer.alloc(0), true)
  if (rest.length > 0) yield rest
}

/** The beginning of a text in UTF-8; a character that it ends in is left out. */
export function decodedHead(head: Buffer, encoding: Foreign): Buffer {
  return decoderOf(encoding, '')(head, false)
}

/** All of a text in Windows-1252 in UTF-8. */
export function decodedWhole(text: Buffer): Buffer {
  return singleByteDecoder()(text, true)
}

function decoderOf(encoding: Foreign, path: string): Decoder {
  return encoding === 'windows-1252' ? singleByteDecoder() : wideDecoder(encoding, path)
}

/**
 * Reads Windows-1252, one character for each byte. The table is its own: a TextDecoder reads bytes that have no character as
 * controls, so that a file of another encoding looks sound. The one of Node 20 even reads € as a control.
 */
function singleByteDecoder(): Decoder {
  const table = Array.from({ length: 0x80 }, (_, i) => {
    const character = characterOf(0x80 + i)
    if (character !== undefined) return Buffer.from(character)
    return Buffer.concat([Buffer.of(MARK.unknown), Buffer.from(String.fromCharCode(0x80 + i))])
  })
  const out = new ByteWriter()
  let held: Buffer = Buffer.alloc(0)
  /** True after a sequence of UTF-8: one that follows it at once is of the same word. */
  let inUtf8 = false

  /** Writes what begins at a byte over 0x7F; returns its length. */
  const writeAt = (bytes: Buffer, at: number): number => {
    const length = utf8At(bytes, at, inUtf8)
    inUtf8 = length > 0
    if (length > 0) {
      out.bytes[out.length++] = MARK.utf8
      out.copy(bytes, at, at + length)
      return length
    }
    const character = table[bytes[at]! - 0x80]!
    out.copy(character, 0, character.length)
    return 1
  }

  return (chunk, last) => {
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
    held = held.subarray(0, 0)
    if (isAscii(bytes)) {
      inUtf8 &&= bytes.length === 0
      return bytes
    }
    out.length = 0
    out.ensure(bytes.length * MOST_BYTES)
    let at = 0
    while (at < bytes.length) {
      const byte = bytes[at]!
      if (byte < 0x80) {
        out.bytes[out.length++] = byte
        inUtf8 = false
        at++
      } else if (!last && at + LOOK_BYTES > bytes.length) {
        // Copied: what was read is gone with the next chunk.
        held = Buffer.from(bytes.subarray(at))
        break
      } else at += writeAt(bytes, at)
    }
    return Buffer.from(out.bytes.subarray(0, out.length))
  }
}

/**
 * The length of a character in UTF-8; 0 where the bytes are as likely characters of their own. É and ™ together are
 * UTF-8 for a letter that Western text doesn't have, so one sequence is believed only of a Western character, others in a row.
 */
function utf8At(bytes: Buffer, at: number, inUtf8: boolean): number {
  const length = utf8Length(bytes, at, bytes.length)
  if (length === 0 || length === 4 || inUtf8) return length
  if (WESTERN.has(bytes.toString('utf8', at, at + length).codePointAt(0))) return length
  const next = at + length
  return next < bytes.length && utf8Length(bytes, next, bytes.length) > 0 ? length : 0
}

/** Reads UTF-16. Half of a surrogate pair is marked. */
function wideDecoder(encoding: 'utf-16le' | 'utf-16be', path: string): Decoder {
  const isSwapped = encoding === 'utf-16be'
  let held: Buffer = Buffer.alloc(0)
  let begun = false
  return (chunk, last) => {
    const bytes = Buffer.concat([held, chunk])
    let end = bytes.length - (bytes.length % 2)
    if (last && end < bytes.length) {
      throw new PosthaulError(
        `${path} is read as ${encoding} and ends in the middle of a character: it is cut short, or in another encoding`,
        {
          code: 'input',
          hint: 'fetch or copy the file again, or mend encoding: in the mapping file; files in two encodings want two transforms. Nothing was made from it',
        },
      )
    }
    const wide = bytes.subarray(0, end)
    if (isSwapped) wide.swap16()
    // The first half of a pair waits for the other.
    if (!last && end >= 2 && (wide[end - 1]! & 0xfc) === 0xd8) end -= 2
    held = Buffer.from(bytes.subarray(end))
    if (isSwapped) held.subarray(0, wide.length - end).swap16()
    const text = wide.toString('utf16le', 0, end)
    const isMarked = !begun && text.charCodeAt(0) === 0xfeff
    begun ||= text !== ''
    return withMarks(isMarked ? text.slice(1) : text)
  }
}

/** The text in UTF-8, each half of a surrogate pair marked. */
function withMarks(text: string): Buffer {
  const pieces = text.split(/\p{Cs}/u)
  if (pieces.length === 1) return Buffer.from(text)
  const half = Buffer.concat([Buffer.of(MARK.unknown), Buffer.from('\uFFFD')])
  return Buffer.concat(
    pieces.flatMap((piece, i) => (i === 0 ? [Buffer.from(piece)] : [half, Buffer.from(piece)])),
  )
}
