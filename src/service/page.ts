import { createHash } from 'node:crypto'
import { elements, members } from '../record/cut.ts'

/** A row of a list answer. */
export interface PageRow {
  /** As the service wrote it, byte for byte: numbers keep their digits here. */
  readonly text: string
  /** Parsed: whole numbers beyond 2^53 are rounded here. */
  readonly value: unknown
}

/** A list answer cut into its rows. */
export interface Page {
  readonly rows: readonly PageRow[]
  /** Where the next page is, as the service puts it; undefined on the last. */
  readonly next: string | undefined
  /** The same for two pages of the same rows. */
  readonly fingerprint: string
}

/** Cuts `{"results": […], "next": …}`. Throws a RangeError that says what is wrong. */
export function cutPage(bytes: Buffer): Page {
  const { text, value } = decode(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError('the whole: expected an object')
  }
  const { results, next } = value as { readonly results?: unknown; readonly next?: unknown }
  if (!Array.isArray(results)) throw new RangeError('results: expected an array')
  if (next !== undefined && next !== null && typeof next !== 'string') {
    throw new RangeError('next: expected a string or null')
  }
  // Of a member that stands twice the last one counts, as in JSON.parse.
  const cut = members(text).findLast(([name]) => name === 'results')![1]
  const rows = elements(cut).map((row, i) => ({ text: row, value: results[i] as unknown }))
  const fingerprint = createHash('sha256').update(cut).digest('base64url').slice(0, 22)
  return { rows, next: next || undefined, fingerprint }
}

function decode(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch (cause) {
    throw new RangeError(cause instanceof SyntaxError ? cause.message : 'not valid UTF-8', { cause })
  }
}
