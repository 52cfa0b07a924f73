import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { utf8Text } from '../http/network-error.ts'
import { elements, members } from '../record/json-values.ts'
import type { Api } from './api.ts'
import { type AskedOf, shapeError } from './errors.ts'

/** A list, page by page, each row read with `schema`. It ends where a page names one that was read. */
export async function* listPages<T>(
  api: Api,
  first: string,
  schema: z.ZodType<T>,
  subject: AskedOf,
): AsyncGenerator<T[]> {
  const page = z.object({ next: z.string().nullish(), results: z.array(schema) })
  const seen = new Set<string>()
  let path = first
  let before: readonly T[] = []
  while (!seen.has(path)) {
    seen.add(path)
    const { next, results } = api.read(await api.get(path, subject), page, subject.what)
    if (results.length > 0 && isDeepStrictEqual(results, before))
      throw shapeError(api.origin, subject.what, 'the page before came again')
    yield results
    before = results
    if (next) path = nextPath(next, api.origin, path)
  }
}

/** The path of the next page. `next` is a link of the same origin, a path, a query or a bare cursor. */
export function nextPath(next: string, origin: string, currentPath: string): string {
  if (!/^(?:[a-z][a-z\d+.-]*:|[/?])/i.test(next)) {
    const url = new URL(currentPath, origin)
    url.searchParams.set('cursor', next)
    return url.pathname + url.search
  }
  let url: URL
  try {
    url = new URL(next, origin + currentPath)
  } catch (cause) {
    throw new PosthaulError(`${origin}: the link to the next page is not an address`, {
      code: 'unavailable',
      cause,
    })
  }
  if (url.origin !== origin) {
    throw new PosthaulError(
      `${origin}: the next page is said to be at ${url.origin}; keys are not sent there`,
      {
        code: 'config',
        hint: 'if that is the same server, use its name as the host; a self-hosted one may have the wrong SITE_URL',
      },
    )
  }
  return url.pathname + url.search
}

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
