import { isAscii, isUtf8 } from 'node:buffer'
import type { Encoding } from '../mapping/encoding.ts'
import { KIB, MIB } from '../units.ts'
import { characterOf, decodedWhole, MARK } from './decode.ts'
import type { InputFile } from './input-file.ts'
import { headOf, readRange } from './open-bytes.ts'
import { isSplittable } from './read.ts'
import { evenly } from './thinned.ts'

/** What the text of some inputs is in, by samples of their bytes. */
export interface FoundEncoding {
  /** What to say in the mapping file; undefined when UTF-8 or byte order marks are enough, and when nothing fits. */
  readonly encoding: Encoding | undefined
  /** A word with a character that is not ASCII, as that encoding has it. */
  readonly example: string | undefined
  /** Names of files that hold UTF-8, where others don't, and of those that hold both. */
  readonly utf8: readonly string[]
  /** Names of files that are not UTF-8, and no text in Windows-1252. */
  readonly unknown: readonly string[]
}

const MOST_FILES = 64
const HEAD_BYTES = 1 * MIB
const PLACES = 16
const PLACE_BYTES = 64 * KIB
const LF = 0x0a
/** Of the characters beyond ASCII so many may stand where no word has them. */
const MOST_ODD = 0.05

/**
 * A capital after a small letter, a sign between two letters, four accents in a row: what Windows-1252 makes of text in
 * Cyrillic, of a Mac or of DOS.
 */
const ODD =
  /(?<=\p{Ll})(?!\p{ASCII})\p{Lu}|(?<=\p{L})(?![’‘·ªº–—\u00ad\u00a0])[^\p{ASCII}\p{L}](?=\p{L})|[\u00c0-\u00ff]{4,}/gu

/** Looks at the heads of inputs, and into the middle of large ones. Text without a byte order mark is told by its bytes. */
export async function findEncoding(inputs: readonly InputFile[]): Promise<FoundEncoding> {
  const wide = inputs.find(({ encoding, isMarked }) => encoding?.startsWith('utf-16') && !isMarked)
  const found = { single: [] as string[], utf8: [] as string[], unknown: [] as string[] }
  const texts = inputs.filter(
    ({ format, rejects, isMarked, encoding }) =>
      !rejects && !isMarked && !encoding?.startsWith('utf-16') && format !== 'parquet' && format !== 'avro',
  )
  for (const input of evenly(texts, MOST_FILES)) {
    const kind = kindOf(await sampleOf(input))
    if (kind === 'utf8' || kind === 'both') found.utf8.push(input.name)
    else if (kind === 'unknown') found.unknown.push(input.name)
    if (typeof kind === 'object' || kind === 'both')
      found.single.push(typeof kind === 'object' ? kind.text : '')
  }
  const text = found.single.join('\n')
  const isSingle = found.single.length > 0 && found.unknown.length === 0
  return {
    encoding: wide ? wide.encoding : isSingle ? (hasEuro(text) ? 'iso-8859-15' : 'windows-1252') : undefined,
    example: /[\p{L}\p{M}]*(?!\p{ASCII})\p{L}[\p{L}\p{M}]*/u.exec(text)?.[0],
    utf8: isSingle || wide ? found.utf8 : [],
    unknown: found.unknown,
  }
}

/** Whole lines of an input, as they are stored. */
async function sampleOf(input: InputFile): Promise<Buffer> {
  const { encoding: _, ...stored } = input
  const head = await headOf(stored, HEAD_BYTES)
  if (head.length < HEAD_BYTES) return head
  const pieces = [head.subarray(0, head.lastIndexOf(LF) + 1)]
  if (isSplittable(stored) || (input.compression === 'none' && input.member === undefined)) {
    for (let place = 1; place < PLACES; place++) {
      const start = Math.floor((input.size * place) / PLACES)
      const chunks: Buffer[] = []
      for await (const chunk of readRange(input, { start, end: Math.min(start + PLACE_BYTES, input.size) })) {
        chunks.push(chunk)
      }
      const piece = Buffer.concat(chunks)
      pieces.push(piece.subarray(piece.indexOf(LF) + 1, piece.lastIndexOf(LF) + 1))
    }
  }
  return Buffer.concat(pieces)
}

/** `both`: in Windows-1252, with UTF-8 in it. */
function kindOf(bytes: Buffer): 'ascii' | 'utf8' | 'both' | 'unknown' | { readonly text: string } {
  if (isAscii(bytes)) return 'ascii'
  if (isUtf8(bytes)) return 'utf8'
  const decoded = decodedWhole(bytes, 'windows-1252')
  if (decoded.includes(MARK.unknown)) return 'unknown'
  const hasUtf8 = decoded.includes(MARK.utf8)
  const text = hasUtf8
    ? Buffer.from(decoded.filter((byte) => byte !== MARK.utf8)).toString()
    : decoded.toString()
  const odd = [...text.matchAll(ODD)].reduce((sum, [match]) => sum + match.length, 0)
  const beyond = [...text.matchAll(/\P{ASCII}/gu)].length
  if (odd > MOST_ODD * beyond) return 'unknown'
  return hasUtf8 ? 'both' : { text }
}

const WINDOWS_ALONE = Array.from(
  { length: 0x20 },
  (_, i) => characterOf(0x80 + i, 'windows-1252') ?? '',
).join('')

/** The sign of a currency that nobody uses is the euro in ISO 8859-15, which has no character of Windows-1252's own. */
function hasEuro(text: string): boolean {
  return text.includes('¤') && ![...WINDOWS_ALONE].some((character) => text.includes(character))
}
