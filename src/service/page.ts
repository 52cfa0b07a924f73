import { createHash } from 'node:crypto'
import { utf8Text } from '../http/index.ts'
import { elements, members } from '../record/index.ts'

/** A row of a list answer. */
export interface PageRow {
  /** The row as the service wrote it, byte for byte: numbers keep their digits. */
  readonly text: string
  /** The row parsed: whole numbers beyond 2^53 are rounded. */
  readonly value: unknown
}

/** A list answer cut into its rows. */
export interface Page {
  readonly rows: readonly PageRow[]
  /** The service's link to the next page; undefined on the last page. */
  readonly next: string | undefined
  /** A hash of the rows: two pages of the same rows have the same. */
  readonly fingerprint: string
}

/** Cuts `{"results": […], "next": …}` into a page. Throws a RangeError that says what is wrong. */
export function cutPage(bytes: Buffer): Page {
  const { text, value } = decode(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError('the top level: expected an object')
  }
  const { results, next } = value as { readonly results?: unknown; readonly next?: unknown }
  if (!Array.isArray(results)) throw new RangeError('results: expected an array')
  if (next !== undefined && next !== null && typeof next !== 'string') {
    throw new RangeError('next: expected a string or null')
  }
  const parts = members(text)
  // Which of two is meant, nobody knows.
  if (new Set(parts.map(([name]) => name)).size < parts.length)
    throw new RangeError('the top level: a name is there twice')
  const cut = parts.find(([name]) => name === 'results')![1]
  const rows = elements(cut).map((row, i) => ({ text: row, value: results[i] as unknown }))
  const fingerprint = createHash('sha256').update(cut).digest('base64url').slice(0, 22)
  return { rows, next: next || undefined, fingerprint }
}

function decode(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = utf8Text(bytes)
    return { text, value: JSON.parse(text) }
  } catch (cause) {
    throw cause instanceof SyntaxError ? new RangeError(cause.message, { cause }) : cause
  }
}
