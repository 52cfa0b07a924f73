import { isAscii, isUtf8 } from 'node:buffer'
import type { Encoding } from '../mapping/columns.ts'
import { MIB } from '../text/units.ts'
import { decodedWhole, MARK } from './decode.ts'
import type { InputFile } from './input-file.ts'
import { headOf } from './open-bytes.ts'
import { evenly } from './thinned.ts'

/** What the text of some inputs is in, by samples of their bytes. */
export interface FoundEncoding {
  /** What to say in the mapping file; undefined when most text is UTF-8 or has byte order marks, and when nothing fits. */
  readonly encoding: Encoding | undefined
  /** The encoding of rows that are not UTF-8, also where they are the fewer. */
  readonly other: Encoding | undefined
  readonly example: string | undefined
  /** Names of files with rows that the mapping file can't have read as they are: in UTF-8, or in the other encoding. */
  readonly mixed: readonly string[]
  /** Names of files that are not UTF-8, and no text in Windows-1252. */
  readonly unknown: readonly string[]
}

const MOST_FILES = 64
const HEAD_BYTES = 1 * MIB
const LF = 0x0a
const LINE_END = Buffer.of(LF)
/** The sign of a currency that nobody uses: the euro of ISO 8859-15 is at its place. */
const EURO = '¤'
/** Of the characters beyond ASCII so many may stand where no word has them. */
const MOST_ODD = 0.05

/**
 * A capital after a small letter, a sign between two letters or after a small one, a sign before an accent, four accents in a
 * row: what Windows-1252 makes of text in Cyrillic, Polish, Lithuanian, Japanese, of a Mac or of DOS.
 */
const ODD =
  /(?<=\p{Ll})(?!\p{ASCII})\p{Lu}|(?<=\p{L})(?![’‘·ªº–—\u00ad\u00a0])[^\p{ASCII}\p{L}](?=\p{L})|(?<=\p{Ll})[±¶¼¾¬¯¦]|[¤¥¦§¨¬®¯±´¶¸][\u00a1-\u00ff]|[\u00c0-\u00ff]{4,}/gu

/** Letters of Icelandic, which Turkish and Baltic encodings have others for; Icelandic is not written without the second ones. */
const NORTHERN = /[þðýÞÐÝ]/g
const ICELANDIC = /[áéíóúæÁÉÍÓÚÆ]/

/** Looks at the heads of inputs. Text without a byte order mark is told by its bytes. */
export async function findEncoding(inputs: readonly InputFile[]): Promise<FoundEncoding> {
  const wide = inputs.find(({ encoding, isMarked }) => encoding?.startsWith('utf-16') && !isMarked)
  const texts = inputs.filter(
    ({ format, rejects, isMarked, encoding }) =>
      !rejects && !isMarked && !encoding?.startsWith('utf-16') && format !== 'parquet' && format !== 'avro',
  )
  const seen: Array<{ readonly name: string } & Look> = []
  for (const input of evenly(texts, MOST_FILES))
    seen.push({ name: input.name, ...lookAt(await sampleOf(input)) })
  const unknown = seen.filter((one) => one.isUnknown).map(({ name }) => name)
  const text = seen.map((one) => one.text).join('\n')
  const [utf8, single] = [sumOf(seen, 'utf8'), sumOf(seen, 'single')]
  const isOther = single > 0 && unknown.length === 0
  const other = wide?.encoding ?? (isOther ? 'windows-1252' : undefined)
  const encoding = wide || single > utf8 ? other : undefined
  const fewer = encoding === undefined ? 'single' : 'utf8'
  return {
    encoding,
    other,
    example: /[\p{L}\p{M}]*(?!\p{ASCII})\p{L}[\p{L}\p{M}]*/u.exec(text)?.[0],
    mixed: other === undefined ? [] : seen.filter((one) => one[fewer] > 0).map(({ name }) => name),
    unknown,
  }
}

function sumOf(seen: readonly Look[], kind: 'utf8' | 'single'): number {
  return seen.reduce((sum, one) => sum + one[kind], 0)
}

/** Whole lines of an input's head, as they are stored. */
async function sampleOf(input: InputFile): Promise<Buffer> {
  const { encoding: _, ...stored } = input
  const head = await headOf(stored, HEAD_BYTES)
  return head.length < HEAD_BYTES ? head : head.subarray(0, head.lastIndexOf(LF) + 1)
}

interface Look {
  /** Lines that are UTF-8 and not ASCII, and lines that are not UTF-8. */
  readonly utf8: number
  readonly single: number
  /** The latter in Windows-1252. */
  readonly text: string
  /** True if that makes no words. */
  readonly isUnknown: boolean
}

function lookAt(bytes: Buffer): Look {
  if (isAscii(bytes)) return { utf8: 0, single: 0, text: '', isUnknown: false }
  const beyond = linesOf(bytes).filter((line) => !isAscii(line))
  const others = beyond.filter((line) => !isUtf8(line))
  const decoded = decodedWhole(Buffer.concat(others.flatMap((line) => [line, LINE_END])))
  const text = Buffer.from(decoded.filter((byte) => byte !== MARK.utf8 && byte !== MARK.unknown)).toString()
  const northern = ICELANDIC.test(text) ? 0 : [...text.matchAll(NORTHERN)].length
  const odd = [...text.matchAll(ODD)].reduce((sum, [match]) => sum + match.length, northern)
  const isUnknown =
    decoded.includes(MARK.unknown) ||
    text.includes(EURO) ||
    odd > MOST_ODD * [...text.matchAll(/\P{ASCII}/gu)].length
  return { utf8: beyond.length - others.length, single: others.length, text, isUnknown }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start)
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end))
    start = end === -1 ? bytes.length : end + 1
  }
  return lines
}
