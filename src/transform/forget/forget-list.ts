import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { TextDecoder } from 'node:util'
import { PosthaulError } from '../../errors.ts'
import { decoded } from '../../inputs/decode.ts'
import { isNullWord } from '../../record/nobody.ts'
import { cleanDistinctId } from '../../record/rules.ts'
import { fileError } from '../../store/file-error.ts'
import { gunzip, isGzip } from '../../store/gunzip.ts'
import { parsedOrNone } from '../../text/json.ts'
import { MIB } from '../../text/units.ts'

/** A list of ids to forget, as a run was begun with it. */
export interface ForgetList {
  readonly path: string
  readonly sha256: string
  readonly ids: number
  /** True where each id must be found in the records. */
  readonly all?: boolean | undefined
}

/** Who is told of a list's entries: the forms in which records may name one person, and the line that names them. */
type EachEntry = (forms: readonly string[], line: number) => void

/** Mixpanel's devices have it; events of them don't. */
const DEVICE_PREFIX = '$device:'

/** No id is so long. A file without line ends would be held in memory, and searched again with each piece. */
const LONGEST_LINE = MIB

/** Lines that are looked at before it is said what the list is: ids, or a table with columns. */
const LOOKED_AT = 200
const SEPARATORS = [',', ';', '\t'] as const
/** Columns that hold ids of people. */
const ID_COLUMN =
  /^(?:\$?(?:distinct|user|anonymous|device|customer|person|client|visitor|profile|external|canonical)[ _-]?id|id|uid|uuid|identifier)$/i

/**
 * Reads a list of ids, and tells `each` of every form in which records may name one. It is one id a line, ids between commas, or a
 * table with a column called distinct_id, user_id or the like; in quotes or not, in UTF-8 or UTF-16, plain or gzip. Memory
 * stays flat. Code `config` for what is no such list: a device may have no end, a pipe can't be read a second time, and
 * of a table without a header nobody knows which cells are ids.
 */
export async function readForgetList(path: string, each: EachEntry = () => {}): Promise<ForgetList> {
  const sum = createHash('sha256')
  let [ids, number] = [0, 0]
  const take = (entries: readonly Entry[]) => {
    number++
    for (const entry of entries) {
      const named = [...new Set(entry)].map(cleanDistinctId).filter(isNamed)
      if (named.length === 0) continue
      ids++
      each(named.flatMap(formsOf), number)
    }
  }
  const head: string[] = []
  let entriesOf: ((line: string) => readonly Entry[]) | undefined
  const begin = () => {
    entriesOf = readingOf(head, path)
    for (const line of head) take(entriesOf(line))
  }
  try {
    for await (const line of linesOf(path, (bytes) => sum.update(bytes))) {
      if (entriesOf) take(entriesOf(line))
      else if (head.push(line) === LOOKED_AT) begin()
    }
    if (!entriesOf) begin()
  } catch (error) {
    if (error instanceof PosthaulError) throw error
    const told = fileError(error, 'read the list of ids to forget', path)
    if (!(told instanceof PosthaulError)) throw told
    throw new PosthaulError(told.message, {
      code: 'config',
      hint: 'forget: is a path from where the mapping file is',
      cause: error,
    })
  }
  if (ids === 0) {
    throw new PosthaulError(`${path} holds no id to forget`, {
      code: 'config',
      hint: 'write one id a line, or take forget: out of the mapping file',
    })
  }
  return { path, sha256: sum.digest('hex'), ids }
}

/** The texts that name one person, any of which may be an id. */
type Entry = readonly string[]

/** A database writes \N or NULL for a row without an id: no person has it. */
function isNamed(id: ReturnType<typeof cleanDistinctId>): id is string {
  return typeof id === 'string' && !isNullWord(id)
}

function formsOf(id: string): string[] {
  return id.startsWith(DEVICE_PREFIX) ? [id, id.slice(DEVICE_PREFIX.length)] : [id]
}

/**
 * What a list's lines name, by its first lines. A table's row is one person's. Of another line the whole may be an id, or each
 * part is one.
 */
function readingOf(head: readonly string[], path: string): (line: string) => readonly Entry[] {
  const filled = head.filter((line) => line.trim() !== '')
  if (filled.some(isJson)) throw unusable(`${path} is JSON, no list of ids`)
  const [first = ''] = filled
  for (const separator of SEPARATORS) {
    const columns = cellsOf(first, separator).flatMap((name, at) => (ID_COLUMN.test(name) ? [at] : []))
    if (columns.length > 0) {
      return (line) => {
        const cells = cellsOf(line, separator)
        return line === first ? [] : [columns.map((at) => cells[at] ?? '')]
      }
    }
    const widths = new Set(filled.map((line) => cellsOf(line, separator).length))
    if (filled.length > 1 && widths.size === 1 && !widths.has(1))
      throw unusable(`${path} has several columns, and none of them is called distinct_id, user_id or id`)
  }
  return (line) => {
    const parts = SEPARATORS.flatMap((separator) => cellsOf(line, separator))
    const [whole] = parts
    if (parts.length === SEPARATORS.length && whole === line.trim()) return [[line]]
    return [...new Set(parts)].filter((part) => part !== line.trim()).map((part) => [part, line])
  }
}

function isJson(line: string): boolean {
  return /^\s*[[{]/.test(line) && parsedOrNone(line) !== undefined
}

/** The cells of a line, without their quotes. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^\s*(["'])((?:(?!\1).|\1\1)*)\1\s*(?=$|[,;\t])/s.exec(rest)
    const end = quoted ? quoted[0].length : rest.indexOf(separator)
    if (quoted && end < rest.length && rest[end] !== separator) return [line.trim()]
    const cell = end === -1 ? rest : rest.slice(0, end)
    cells.push(quoted ? quoted[2]!.replaceAll(quoted[1]!.repeat(2), quoted[1]!) : cell.trim())
    if (end === -1 || end === rest.length) return cells
    rest = rest.slice(end + 1)
  }
}

/** The lines of a list, unpacked and as text. `read` is told of its bytes as they are stored. */
async function* linesOf(path: string, read: (bytes: Buffer) => void): AsyncGenerator<string> {
  const file = await openOrdinary(path)
  const stored = tapped(file.createReadStream() as AsyncIterable<Buffer>, read)
  const bytes = await peeked(stored)
  const text = isGzip(bytes.head) ? await peeked(gunzip(bytes.all)) : bytes
  const encoding = wideOf(text.head)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of encoding ? decoded(text.all, encoding, path) : text.all) {
    const lines = (rest + textOf(chunk, decoder, path)).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) throw unusable(`${path} is no list of ids: a line is longer than 1 MiB`)
    yield* lines
  }
  yield rest + textOf(Buffer.alloc(0), decoder, path, true)
}

function textOf(chunk: Buffer, decoder: TextDecoder, path: string, isLast = false): string {
  try {
    if (chunk.includes(0)) throw new RangeError('a NUL')
    return decoder.decode(chunk, { stream: !isLast })
  } catch (cause) {
    throw unusable(`${path} is no text in UTF-8 or UTF-16`, cause)
  }
}

async function* tapped(bytes: AsyncIterable<Buffer>, read: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    read(chunk)
    yield chunk
  }
}

/** The first chunk of a stream, and all of it. */
async function peeked(bytes: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  const head = first.done ? Buffer.alloc(0) : first.value
  async function* all() {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { head, all: all() }
}

/** UTF-16 has a byte order mark, or a NUL beside each letter of ASCII. */
function wideOf(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [a, b] = head
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (head.length < 2 || (a === 0) === (b === 0)) return undefined
  return a === 0 ? 'utf-16be' : 'utf-16le'
}

/** It does not wait for a writer of a pipe. A folder is told of by the first read. */
async function openOrdinary(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stats = await file.stat()
  if (stats.isFile() || stats.isDirectory()) return file
  await file.close()
  throw unusable(`${path} is no ordinary file`)
}

function unusable(message: string, cause?: unknown): PosthaulError {
  return new PosthaulError(message, {
    code: 'config',
    hint: 'forget: is the path of an ordinary file with one id a line, or of a CSV with a column distinct_id',
    cause,
  })
}
