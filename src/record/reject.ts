import { keyOf } from './keys.ts'
import { Scanner } from './scan.ts'
import { Tape } from './tape.ts'

/** A record that cannot be sent, and why. */
export interface Reject {
  /** The line's number in its input, from 1. */
  readonly line: number
  /** Byte offset of the line in that input; in the unpacked text, when the input is packed. */
  readonly offset: number
  /** One word in snake_case, to count by. */
  readonly reason: string
  /** What is wrong, in a sentence; for a refusal of the service its own words. */
  readonly message: string
  /** The original line; null when it was too long to be held. */
  readonly record: string | null
  /** The line's bytes in base64, when they aren't UTF-8 and `record` can only show them. */
  readonly bytes?: string | undefined
  /** True for a row of a table whose `record` has the text of its cells: they get their columns' types when it runs again. */
  readonly cells?: boolean | undefined
  readonly file?: string
  /** Its place in the record, from 1, when the line's record becomes several events: see mapping/explode.ts. */
  readonly child?: number | undefined
}

const FIRST_KEY = Buffer.from('"line":')
const OPEN = 0x7b
const BLANK = 0x20

/** One line of a rejects file, with its line end. */
export function formatReject(reject: Reject): string {
  const { line, offset, reason, message, record, bytes, cells, file, child } = reject
  return `${JSON.stringify({ line, offset, reason, message, record, bytes, cells, file, child })}\n`
}

/** A line as a reject keeps it: its text, and its bytes where the text can't give them back. */
export function recordOf(bytes: Buffer, start = 0, end = bytes.length): Pick<Reject, 'record' | 'bytes'> {
  const line = bytes.subarray(start, end)
  const record = line.toString()
  return Buffer.from(record).equals(line) ? { record } : { record, bytes: line.toString('base64') }
}

/**
 * The line of a reject to read again; undefined when it was not held. One that isn't UTF-8 comes back as it was until its
 * text is mended: the text has signs of replacement in it, and would become an event.
 */
export function lineOf({ record, bytes }: Pick<Reject, 'record' | 'bytes'>): Buffer | undefined {
  const kept = bytes === undefined ? undefined : Buffer.from(bytes, 'base64')
  if (kept?.toString() === record) return kept
  return record === null ? undefined : Buffer.from(record)
}

/**
 * Reads a line of a rejects file; undefined for any other line, which costs a look at a few bytes. A tool that mended
 * the record may have left it as an object, or with blanks around it: its text is taken as it is.
 */
export function parseReject(bytes: Buffer, start: number, end: number): Reject | undefined {
  if (bytes[start] !== OPEN) return
  let key = start + 1
  while (bytes[key] === BLANK) key++
  const keyEnd = key + FIRST_KEY.length
  if (keyEnd >= end || bytes.compare(FIRST_KEY, 0, FIRST_KEY.length, key, keyEnd) !== 0) return
  try {
    const value = JSON.parse(bytes.toString('utf8', start, end)) as { record?: unknown }
    if (typeof value.record === 'object' && value.record !== null) {
      value.record = memberText(bytes, start, end, 'record')
    }
    return isReject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The text of a member of the top level as written: parsing and printing it again would change numbers. */
function memberText(bytes: Buffer, start: number, end: number, name: string): string | undefined {
  const tape = new Tape()
  if (!new Scanner(tape).scan(bytes, start, end)) return undefined
  let text: string | undefined
  for (let i = 0; i < tape.count; i = tape.next(i)) {
    if (tape.key(i) !== keyOf(name)) continue
    text = bytes.toString('utf8', tape.start(i), tape.end(i))
  }
  return text
}

function isReject(value: unknown): value is Reject {
  const reject = value as Partial<Record<keyof Reject, unknown>>
  return (
    Number.isSafeInteger(reject.line) &&
    Number.isSafeInteger(reject.offset) &&
    typeof reject.reason === 'string' &&
    typeof reject.message === 'string' &&
    (typeof reject.record === 'string' || reject.record === null) &&
    (reject.bytes === undefined || typeof reject.bytes === 'string') &&
    (reject.cells === undefined || typeof reject.cells === 'boolean') &&
    (reject.file === undefined || typeof reject.file === 'string')
  )
}
