import { createHash } from 'node:crypto'
import { eachItem } from '../record/items.ts'
import { Scanner } from '../record/scan.ts'
import { Tape } from '../record/tape.ts'
import { keyText } from '../record/text.ts'

/** A span of an answer's bytes. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A list answer cut into its rows, each still the bytes the service sent. */
export interface Page {
  readonly bytes: Buffer
  readonly rows: readonly Span[]
  /** Where the next page is, as the service puts it; undefined on the last. */
  readonly next: string | undefined
  /** The same for two pages of the same rows. */
  readonly fingerprint: string
}

const tape = new Tape()
const scanner = new Scanner(tape)

/** Cuts `{"results": […], "next": …}`. Throws a RangeError that says what is wrong. */
export function cutPage(bytes: Buffer): Page {
  const members = membersOf(bytes, { start: 0, end: bytes.length })
  const results = members.get('results')
  if (!results || bytes[results.start] !== 0x5b) throw new RangeError('results: expected an array')
  const rows: Span[] = []
  eachItem(bytes, results.start, results.end, (start, end) => rows.push({ start, end }))
  const next = members.get('next')
  const value: unknown = next && JSON.parse(bytes.toString('utf8', next.start, next.end))
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw new RangeError('next: expected a string or null')
  }
  const hash = createHash('sha256').update(bytes.subarray(results.start, results.end))
  return { bytes, rows, next: value || undefined, fingerprint: hash.digest('base64url').slice(0, 22) }
}

/** The members of the object at a span, by key; of a key that stands twice, the last. */
export function membersOf(bytes: Buffer, { start, end }: Span): Map<string, Span> {
  if (!scanner.scan(bytes, start, end)) {
    const { reason, at } = scanner.failure
    throw new RangeError(`${reason.replaceAll('_', ' ')} at byte ${at - start}`)
  }
  const members = new Map<string, Span>()
  for (let i = 0; i < tape.count; i = tape.next(i)) {
    members.set(keyText(tape, bytes, i), { start: tape.start(i), end: tape.end(i) })
  }
  return members
}
