import { PosthaulError } from '../errors.ts'

/** Why a file can't be read: what it is instead, and what to do. */
export interface UnreadableInput {
  readonly what: string
  readonly hint: string
}

// Formats told by their first bytes. The bytes are latin1.
const FOREIGN: ReadonlyArray<readonly [magic: string, what: string, hint: string]> = [
  ['PK\x03\x04', 'a zip archive in another archive', 'unpack it, and name the folder'],
  ['\x1f\x8b', 'packed with gzip twice', 'unpack it once: gunzip'],
  ['\x28\xb5\x2f\xfd', 'packed with zstd', 'unpack it: zstd -d'],
  ['BZh', 'packed with bzip2', 'unpack it: bunzip2'],
  ['\xfd7zXZ', 'packed with xz', 'unpack it: unxz'],
  ['ORC', 'an ORC file', 'write it as NDJSON or CSV first'],
  ['\x04"M\x18', 'packed with lz4', 'unpack it: lz4 -d'],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', 'unpack it: 7z x'],
  ['Rar!\x1a\x07', 'a RAR archive', 'unpack it: unrar x'],
  ['\x1f\x9d', 'packed with compress', 'unpack it: uncompress'],
  ['\xff\x06\0\0sNaPpY', 'packed with snappy', 'unpack it first'],
  ['LZIP', 'packed with lzip', 'unpack it: lzip -d'],
  ['\x78\x01', 'packed with zlib', 'unpack it: zlib-flate -uncompress, or Python’s zlib'],
  ['\x78\x9c', 'packed with zlib', 'unpack it: zlib-flate -uncompress, or Python’s zlib'],
  ['\x78\xda', 'packed with zlib', 'unpack it: zlib-flate -uncompress, or Python’s zlib'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook, or another old Office file', 'save it as CSV, a file a sheet'],
  ['SQLite format 3\0', 'a SQLite database', 'write its tables as CSV: sqlite3 -header -csv'],
  ['%PDF-', 'a PDF', 'ask for the data as CSV or JSON'],
  ['version https://git-lfs', 'a pointer of Git LFS, not the file', 'fetch the file: git lfs pull'],
  ['+/', 'text in UTF-7', 'convert it to UTF-8: iconv -f UTF-7 -t UTF-8'],
]
/** Byte order marks of UTF-32, whose first begins as that of UTF-16 does. */
const UTF_32 = ['\xff\xfe\0\0', '\0\0\xfe\xff']
const TAR_MARK = 257
/** Pages that come in place of the data: of a sign-in, a proxy, a bucket. */
const MARKUP: ReadonlyArray<readonly [begins: RegExp, what: string]> = [
  [/^\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head)\b/is, 'is an HTML page, such as one to sign in'],
  [/^\s*(?:<\?xml|<[A-Za-z][\w:]*[\s>])/, 'is XML'],
]

/** What a text of other content is, by how it begins; undefined for what may be records. The bytes are latin1. */
export function foreignContent(text: string): UnreadableInput | undefined {
  const foreign = FOREIGN.find(([magic]) => text.startsWith(magic))
  if (foreign) return { what: `is ${foreign[1]}`, hint: foreign[2] }
  if (text.startsWith('ustar', TAR_MARK)) return { what: 'is a tar archive', hint: 'unpack it: tar -xf' }
  const markup = MARKUP.find(([begins]) => begins.test(text))
  const hint = 'look into it: it may say why, then fetch the data again as JSON or CSV'
  return markup && { what: markup[1], hint }
}

/** Throws for text in UTF-32. */
export function refuseWide(head: Buffer, path: string): void {
  if (!UTF_32.includes(head.toString('latin1', 0, 4))) return
  const hint = 'convert it to UTF-8: iconv -f UTF-32 -t UTF-8'
  throw new PosthaulError(`${path} is text in UTF-32`, { code: 'input', hint })
}

/** Pages for people beside the data in an archive. */
const PAPER =
  /(?:^|\/)(?:(?:read[-_ ]?me|licen[cs]e|notice|changelog|copying)(?:[-_.][^/]*)?|thumbs\.db|desktop\.ini|_success|[^/]+\.(?:md|pdf|docx?|html?|png|jpe?g|gif|svg))$/i

export function isPaper(name: string): boolean {
  return PAPER.test(name)
}

/** Throws for a document of an office program, which is an archive too. */
export function refuseDocument(path: string, names: readonly string[]): void {
  const is = (part: string) => names.some((name) => name.startsWith(part))
  const what = is('xl/')
    ? 'an Excel workbook'
    : is('word/') || is('ppt/')
      ? 'an Office document'
      : is('content.xml') && is('mimetype')
        ? 'an OpenDocument file'
        : is('Index/') && names.some((name) => name.endsWith('.iwa'))
          ? 'a document of Numbers or Pages'
          : undefined
  if (what === undefined) return
  throw new PosthaulError(`${path} is ${what}`, { code: 'input', hint: 'save it as CSV, a file a sheet' })
}
