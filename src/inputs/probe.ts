import { basename } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { HEADERLESS } from '../presets/recognise.ts'
import { gunzipHead, isGzip } from '../store/gunzip.ts'
import { KIB } from '../text/units.ts'
import { ROW_LINES } from './compact-rows.ts'
import { decodedHead } from './decode.ts'
import { atPlace, type Compression, type Content, type InputFile, SEP_LINE } from './input-file.ts'
import type { FileStat } from './locate.ts'
import type { OnRemark } from './manifests/remark.ts'
import { archiveSource, gzipError, headOf, type Stored } from './open-bytes.ts'

const HEAD_BYTES = 64 * KIB
/** A packed head is shorter, since it may unpack to a thousand times its size. */
const PACKED_HEAD_BYTES = 16 * KIB

/** A file found but not read yet. */
interface UnreadFile extends FileStat {
  readonly path: string
  readonly name: string
  /** See `InputFile.table`. Of an archive's file the path in it says more. */
  readonly table?: string | undefined
}

/** Tells what a file is by its content: one input, or each file of a zip archive. Code `input` for other content. */
export async function probeInput(found: UnreadFile, remark: OnRemark = () => {}): Promise<InputFile[]> {
  const head = await headOf(found, HEAD_BYTES)
  if (head.toString('latin1', 0, 4) !== 'PK\x03\x04') return [await tell(found, head)]
  // Loaded only for archives: see open-bytes.ts.
  const { zipMembers } = await import('./zip.ts')
  const inputs: InputFile[] = []
  const skipped: string[] = []
  const members = await zipMembers(archiveSource(found, found.size))
  const names = members.map(({ name }) => name)
  refuseDocument(found.path, names)
  for (const one of members) {
    if (isBesides(one.name)) continue
    if (PAPER.test(one.name)) {
      skipped.push(one.name)
      continue
    }
    const member = { ...one, archiveBytes: found.size }
    const name = `${found.name}/${one.name}`
    const table = tableOf(`${basename(found.name)}/${one.name}`.replace(/\.zip\//i, '/'))
    const packed = { ...found, name, table, size: one.packedBytes, member }
    inputs.push(await tell(packed, await headOf(packed, HEAD_BYTES)))
  }
  if (inputs.length > 0) {
    if (skipped.length > 0) remark({ what: 'papers', vendor: found.name, names: skipped })
    return inputs
  }
  throw new PosthaulError(`${found.path} is a zip archive with no files in it`, {
    code: 'input',
    hint: 'check that it was downloaded whole',
  })
}

async function tell(found: UnreadFile & Pick<InputFile, 'member'>, start: Buffer): Promise<InputFile> {
  const { compression, head } = await unpackedHead(found, start)
  refuseWide(head, found.path)
  const { text, ...spelled } = inUtf8(head)
  const content = recogniseFormat(text, found.name)
  if ('what' in content) {
    const where = found.member ? `${found.path}: ${found.member.name}` : found.path
    throw new PosthaulError(`${where} ${content.what}`, { code: 'input', hint: content.hint })
  }
  // The records of a rejects file bring the table of the file that they came from.
  const { name, table, size, mtimeMs, etag, member } = found
  const named = table !== undefined && !content.rejects && { table }
  // By name: of "the rest" the engine makes a class for each object, which took 320 bytes a file, more than the file's own.
  return atPlace(found, {
    name,
    size,
    mtimeMs,
    ...(etag !== undefined && { etag }),
    ...(member && { member }),
    ...named,
    ...spelled,
    compression,
    ...content,
  })
}

/** Pairs of a NUL and a Western character: in fewer of all, it is no text in UTF-16, or one of a script without blanks. */
const FEWEST_PAIRS = 0.1

/**
 * The head of a file in UTF-8, and what it was in. A byte order mark says so. Without one it is told by NUL in every other
 * place, which no other text has; blanks and digits have it in any language.
 */
function inUtf8(head: Buffer): { readonly text: Buffer } & Pick<InputFile, 'encoding' | 'isMarked'> {
  const start = head.toString('latin1', 0, 3)
  if (start === '\xef\xbb\xbf') return { text: head, isMarked: true }
  const marked = start.startsWith('\xff\xfe')
    ? 'utf-16le'
    : start.startsWith('\xfe\xff')
      ? 'utf-16be'
      : undefined
  const isBinary = start === 'PAR' || start === 'Obj'
  const encoding = marked ?? (isBinary ? undefined : wideEncoding(head))
  if (!encoding) return { text: head }
  return { text: decodedHead(head, encoding), encoding, ...(marked && { isMarked: true }) }
}

function wideEncoding(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const nul = [0, 0]
  for (let at = 0; at < head.length - 1; at++) {
    if (head[at] !== 0) continue
    if (!/[\t\r\n -~\u00a0-\u00ff]/.test(String.fromCharCode(head[at ^ 1]!))) return undefined
    nul[at % 2]!++
  }
  const [even, odd] = nul as [number, number]
  if (even + odd === 0) return undefined
  if (2 * (even + odd) < FEWEST_PAIRS * head.length || (even > 0 && odd > 0)) return undefined
  return odd > 0 ? 'utf-16le' : 'utf-16be'
}

async function unpackedHead(
  found: Stored & Pick<UnreadFile, 'name'>,
  start: Buffer,
): Promise<{ readonly compression: Compression; readonly head: Buffer }> {
  if (isGzip(start) || (start.length === 0 && found.name.endsWith('.gz'))) {
    try {
      return { compression: 'gzip', head: gunzipHead(start.subarray(0, PACKED_HEAD_BYTES)) }
    } catch (error) {
      throw gzipError(error, found.path)
    }
  }
  // Only the name can say so: brotli data has no mark.
  if (!found.name.endsWith('.br')) return { compression: 'none', head: start }
  return { compression: 'brotli', head: await headOf({ ...found, compression: 'brotli' }, HEAD_BYTES) }
}

/** True for what archivers add to the files: resource forks of a Mac, hidden files. */
function isBesides(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(?:^|\/)\.[^./]/.test(name)
}

const QUOTE = 0x22
const LF = 0x0a
const TAB = 0x09
const CR = 0x0d
const ESCAPE = 0x1b
/** What Hive writes between cells, and the elements in them. */
const HIVE = [1, 2, 3]
/** One byte in so many that no text has, at most. */
const MOST_CONTROLS = 200
const CANDIDATES = [',', '\t', ';', '|'] as const

const JSON_LINES: Content = { format: 'ndjson', delimiter: undefined, rejects: false }
const PARQUET: Content = { format: 'parquet', delimiter: undefined, rejects: false }
const AVRO: Content = { format: 'avro', delimiter: undefined, rejects: false }
const REJECT = /^\s*\[?\s*\{\s*"line":\s*\d+,\s*"offset":\s*\d+,\s*"reason":\s*"/

/**
 * An object over many lines, which is no NDJSON: its first line is a brace alone, or opens what the next one begins, or ends before the next
 * member. A line of NDJSON that was cut has whole ones behind it.
 */
const SPREAD = /^\s*\{(?:[^\n]*[[{])?[ \t\r]*\n(?!\s*\{[^\n]*\}[ \t\r]*\n\s*\{)|^\s*\{[^\n]*,[ \t\r]*\n\s*"/

const JOINED: UnreadableInput = {
  what: 'has objects of JSON without line ends between them, as Kinesis Firehose writes them',
  hint: 'jq -c . FILE > FILE.ndjson gives each a line',
}

/** True for one line of several objects. */
function areJoined(text: string): boolean {
  if (!/\}[ \t]*\{/.test(text) || /\n\s*\S/.test(text)) return false
  const structure = text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '')
  let depth = 0
  for (const [at, letter] of [...structure].entries()) {
    if (letter === '{' || letter === '[') depth++
    else if ((letter === '}' || letter === ']') && --depth === 0)
      return /^[ \t]*\{/.test(structure.slice(at + 1))
  }
  return false
}

/** Tells a file's format by its first bytes, unpacked; its name decides only when the bytes don't. */
export function recogniseFormat(head: Buffer, name: string): Content | UnreadableInput {
  const text = head.toString('latin1', head.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0)
  if (text.startsWith('PAR1')) return PARQUET
  if (text.startsWith('Obj\x01')) return AVRO
  const foreign = foreignContent(text)
  if (foreign) return foreign
  if (text.trim() === '') return JSON_LINES
  const rejects = REJECT.test(text)
  // An empty array before lines of objects: read as JSON, one torn line would spoil the lines after it.
  if (/^\s*\[[ \t]*\][ \t\r]*\n\s*\{/.test(text)) return JSON_LINES
  if (ROW_LINES.test(text)) return { format: 'json', delimiter: undefined, rejects: false, rows: true }
  if (/^\s*\[\s*([[{\]"]|$)/.test(text)) return { format: 'json', delimiter: undefined, rejects }
  // In single quotes, each line is a reject that says why.
  if (/^\s*\{\s*(["'}]|$)/.test(text)) {
    if (areJoined(text)) return JOINED
    return { format: SPREAD.test(text) ? 'json' : 'ndjson', delimiter: undefined, rejects }
  }
  return recogniseText(text, head, name)
}

function recogniseText(text: string, head: Buffer, name: string): Content | UnreadableInput {
  const [, extension = ''] = /\.(\w+)(?:\.gz)?$/i.exec(name.toLowerCase()) ?? []
  // A stray NUL in a cell is carried, here as further down; data that is no text is full of such bytes.
  if (
    head.filter((byte) => !HIVE.includes(byte) && (byte < TAB || (byte > CR && byte < ESCAPE))).length >
    1 + head.length / MOST_CONTROLS
  )
    return unknown('is not text')
  const rows = HEADERLESS.find(({ row, columns }) => row.test(text) && !isHeader(text, columns))
  if (rows) return { format: 'tsv', delimiter: '\t', rejects: false, headerless: rows.preset }
  // Damaged JSON lines are still NDJSON: every bad line becomes a reject that says why.
  if (['ndjson', 'jsonl', 'json'].includes(extension)) return JSON_LINES
  const division = saidDelimiter(text) ?? findDelimiter(head)
  const table = ['csv', 'tsv', 'tab', 'psv'].includes(extension)
  if (table || division?.regular) {
    const delimiter = division?.delimiter ?? (extension === 'csv' ? ',' : '\t')
    return { format: delimiter === '\t' ? 'tsv' : 'csv', delimiter, rejects: false }
  }
  if (/^\s*\{"/m.test(text)) return JSON_LINES
  return unknown('is neither JSON nor a table')
}

/** True if the first line names columns: rows with a header are a table like any other. */
function isHeader(text: string, columns: readonly string[]): boolean {
  const cells = text.slice(0, text.indexOf('\n')).split('\t')
  return cells.filter((cell) => columns.includes(cell.trim())).length > 2
}

function unknown(what: string): UnreadableInput {
  return {
    what,
    hint: 'inputs are NDJSON, JSON arrays, CSV, TSV, Parquet and Avro, plain, .gz or .br; leave other files out',
  }
}

interface Division {
  readonly delimiter: string
  /** True when several rows have the header's number of fields: that makes a table whatever the file's name. */
  readonly regular: boolean
}

/** The delimiter that a line above the header names, as Excel reads it. */
function saidDelimiter(text: string): Division | undefined {
  const [, delimiter] = SEP_LINE.exec(text.slice(0, text.indexOf('\n'))) ?? []
  return delimiter === undefined ? undefined : { delimiter, regular: true }
}

/**
 * The delimiter that occurs most in the header, outside quotes; undefined when none does. Tabs that are as many in every row divide it,
 * however many commas the JSON behind a key has.
 */
function findDelimiter(head: Buffer): Division | undefined {
  const found = CANDIDATES.map((delimiter) => {
    const [header = 0, ...others] = countInRows(head, delimiter.charCodeAt(0))
    return { delimiter, header, regular: others.length > 0 && others.every((count) => count === header) }
  }).filter(({ header }) => header > 0)
  const best = found.toSorted((one, other) => other.header - one.header)[0]
  return found.find(({ delimiter, regular }) => delimiter === '\t' && regular) ?? best
}

/** How often a byte occurs outside quotes in each whole row of the head. */
function countInRows(head: Buffer, byte: number): number[] {
  const rows: number[] = []
  let count = 0
  let start = 0
  let quoted = false
  for (let i = 0; i < head.length; i++) {
    if (head[i] === QUOTE) quoted = !quoted
    else if (quoted) continue
    else if (head[i] === byte) count++
    else if (head[i] === LF) {
      if (i - start > 1) rows.push(count)
      count = 0
      start = i + 1
    }
  }
  // A file of one line that has no end yet still has a header.
  return rows.length === 0 ? [count] : rows
}

/** Why a file can't be read: what it is instead, and what to do. */
interface UnreadableInput {
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
function foreignContent(text: string): UnreadableInput | undefined {
  const foreign = FOREIGN.find(([magic]) => text.startsWith(magic))
  if (foreign) return { what: `is ${foreign[1]}`, hint: foreign[2] }
  if (text.startsWith('ustar', TAR_MARK)) return { what: 'is a tar archive', hint: 'unpack it: tar -xf' }
  const markup = MARKUP.find(([begins]) => begins.test(text))
  const hint = 'look into it: it may say why, then fetch the data again as JSON or CSV'
  return markup && { what: markup[1], hint }
}

/** Throws for text in UTF-32. */
function refuseWide(head: Buffer, path: string): void {
  if (!UTF_32.includes(head.toString('latin1', 0, 4))) return
  const hint = 'convert it to UTF-8: iconv -f UTF-32 -t UTF-8'
  throw new PosthaulError(`${path} is text in UTF-32`, { code: 'input', hint })
}

/** Pages for people beside the data in an archive. */
const PAPER =
  /(?:^|\/)(?:(?:read[-_ ]?me|licen[cs]e|notice|changelog|copying)(?:[-_.][^/]*)?|thumbs\.db|desktop\.ini|_success|[^/]+\.(?:md|pdf|docx?|html?|png|jpe?g|gif|svg))$/i

/** By a member's path: documents of office programs, which are archives too. */
const DOCUMENTS: ReadonlyArray<readonly [member: RegExp, what: string]> = [
  [/^xl\//, 'an Excel workbook'],
  [/^(?:word|ppt)\//, 'an Office document'],
  [/^content\.xml$/, 'an OpenDocument file'],
  [/^Index\/.*\.iwa$/, 'a document of Numbers or Pages'],
]

/** Throws for a document of an office program. */
function refuseDocument(path: string, names: readonly string[]): void {
  const found = DOCUMENTS.find(([member]) => names.some((name) => member.test(name)))
  if (!found) return
  throw new PosthaulError(`${path} is ${found[1]}`, { code: 'input', hint: 'save it as CSV, a file a sheet' })
}

const UUID = '[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}'
const DATE = String.raw`(?:19|20)\d\d([-_]?)[01]\d\1[0-3]\d(?:[-_T]?\d{2}[-_:]?\d{2}(?:[-_:]?\d{2})?Z?)?`

/** What packers and writers add to a name: `.csv.gz`, `.snappy.parquet`, `-c000.avro`. */
const ENDING =
  /(?:\.(?:gz|br|zip|csv|tsv|tab|psv|txt|json|jsonl|ndjson|avro|parquet|snappy|deflate|zstd?)|[-.]c\d{3})$/i

/** What numbers the files of one table: `-000`, `_0001_part_00`, `-000000000003`, `_20240601`, a uuid. */
const NUMBERING = new RegExp(
  String.raw`(?:[-_.]?\d*_part_\d+|[-_.]${UUID}|[-_.]${DATE}|[-.]\d{3,}|_0\d{2,}|_\d{10,})$`,
  'i',
)

/** A name that only numbers or dates what it holds: the table is named further up. */
const NUMBERED = new RegExp(
  String.raw`^(?:[\d._TZ:-]*|${UUID}|\d*_?part[-_.]?\d.*|(?:part|chunk|shard|split|file|data|run|sync|batch|export|dump)s?(?:[-_.]?\d[\d_.-]*)?(?:[-_.]?${UUID})?|[^=]+=.*)$`,
  'i',
)

/** A folder that says what kind of events it holds, as Braze Currents writes it. */
const STATED = /^event_type=(.+)$/

/** True for a folder whose name is read: it names the table. */
export function isStated(folder: string): boolean {
  return STATED.test(folder)
}

const NO_TABLE = /^(?:raw|in|inputs?|out|outputs?|tmp|temp|downloads?|desktop|tables?|\.\.?|~)$/i

/**
 * The table that a path names: of numbered parts the folder, else the file without endings and numbering.
 * `sync_12/checkout_click_buy/part-00000-….avro` is of checkout_click_buy, `pages-000.csv.gz` of pages. Undefined where
 * nothing names one. Hand it no more folders than the user spoke of: those above them are named for other reasons.
 */
export function tableOf(path: string): string | undefined {
  const [file = '', ...folders] = path.split('/').filter(Boolean).reverse()
  const stated = folders.map((name) => STATED.exec(name)?.[1]).find(Boolean)
  if (stated !== undefined) return stated
  for (const name of [strip(strip(file, ENDING), NUMBERING), ...folders]) {
    if (NUMBERED.test(name)) continue
    return NO_TABLE.test(name) ? undefined : name
  }
  return undefined
}

/** Takes a pattern off the end as often as it is there; what would leave nothing stays. */
function strip(name: string, pattern: RegExp): string {
  const shorter = name.replace(pattern, '')
  return shorter === name || shorter === '' ? name : strip(shorter, pattern)
}
