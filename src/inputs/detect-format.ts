import { HEADERLESS } from '../presets/recognise.ts'
import type { Content } from './input-file.ts'

const QUOTE = 0x22
const LF = 0x0a
const CANDIDATES = [',', '\t', ';', '|'] as const

/** Why a file can't be read: what it is instead, and what to do. */
export interface UnreadableInput {
  readonly what: string
  readonly hint: string
}

const JSON_LINES: Content = { format: 'ndjson', delimiter: undefined, rejects: false }
const PARQUET: Content = { format: 'parquet', delimiter: undefined, rejects: false }
const AVRO: Content = { format: 'avro', delimiter: undefined, rejects: false }
const REJECT = /^\s*\[?\s*\{\s*"line":\s*\d+,\s*"offset":\s*\d+,\s*"reason":\s*"/

// Formats told by their first bytes. The bytes are latin1.
const FOREIGN: ReadonlyArray<readonly [magic: string, what: string, hint: string]> = [
  ['PK\x03\x04', 'a zip archive in another archive', 'unpack it, and name the folder'],
  ['\x1f\x8b', 'packed with gzip twice', 'unpack it once: gunzip'],
  ['\x28\xb5\x2f\xfd', 'packed with zstd', 'unpack it: zstd -d'],
  ['BZh', 'packed with bzip2', 'unpack it: bunzip2'],
  ['\xfd7zXZ', 'packed with xz', 'unpack it: unxz'],
  ['ORC', 'an ORC file', 'write it as NDJSON or CSV first'],
]

/** Tells a file's format by its first bytes, unpacked; its name decides only when the bytes don't. */
export function recogniseFormat(head: Buffer, name: string): Content | UnreadableInput {
  const text = head.toString('latin1', head.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0)
  if (text.startsWith('PAR1')) return PARQUET
  if (text.startsWith('Obj\x01')) return AVRO
  const foreign = FOREIGN.find(([magic]) => text.startsWith(magic))
  if (foreign) return { what: `is ${foreign[1]}`, hint: foreign[2] }
  if (text.trim() === '') return JSON_LINES
  const rejects = REJECT.test(text)
  // An empty array before lines of objects: read as JSON, one torn line would spoil the lines after it.
  if (/^\s*\[[ \t]*\][ \t\r]*\n\s*\{/.test(text)) return JSON_LINES
  if (/^\s*\[\s*([[{\]"]|$)/.test(text)) return { format: 'json', delimiter: undefined, rejects }
  if (/^\s*\{\s*(["}]|$)/.test(text)) {
    // A brace alone on its line begins an object over many lines: JSON values in a row, not NDJSON.
    const spread = /^\s*\{[ \t\r]*\n/.test(text)
    return { format: spread ? 'json' : 'ndjson', delimiter: undefined, rejects }
  }
  return recogniseText(text, head, name)
}

function recogniseText(text: string, head: Buffer, name: string): Content | UnreadableInput {
  const [, extension = ''] = /\.(\w+)(?:\.gz)?$/i.exec(name.toLowerCase()) ?? []
  if (text.includes('\0')) return unknown('is not text')
  const rows = HEADERLESS.find(({ row, columns }) => row.test(text) && !isHeader(text, columns))
  if (rows) return { format: 'tsv', delimiter: '\t', rejects: false, headerless: rows.preset }
  // Damaged JSON lines are still NDJSON: every bad line becomes a reject that says why.
  if (['ndjson', 'jsonl', 'json'].includes(extension)) return JSON_LINES
  const division = findDelimiter(head)
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

/** How a table is divided. */
interface Division {
  readonly delimiter: string
  /** True when several rows have the header's number of fields: that makes a table whatever the file's name. */
  readonly regular: boolean
}

/** The delimiter that occurs most in the header, outside quotes; undefined when none does. */
function findDelimiter(head: Buffer): Division | undefined {
  const counts = CANDIDATES.map((delimiter) => ({
    delimiter,
    rows: countInRows(head, delimiter.charCodeAt(0)),
  }))
  const best = counts.reduce((most, next) => ((next.rows[0] ?? 0) > (most.rows[0] ?? 0) ? next : most))
  const [header = 0, ...others] = best.rows
  if (header === 0) return undefined
  return {
    delimiter: best.delimiter,
    regular: others.length > 0 && others.every((count) => count === header),
  }
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
