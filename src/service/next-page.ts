import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { utf8Text } from '../http/network-error.ts'
import type { Answer } from '../http/transport.ts'
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

const pageSchema = z.object({ results: z.array(z.unknown()), next: z.string().nullish() })

/** Cuts `{"results": […], "next": …}` into a page. */
export function cutPage(api: Api, answer: Answer, what: string): Page {
  const { results, next } = api.read(answer, pageSchema, what)
  const cut = members(utf8Text(answer.bytes)).find(([name]) => name === 'results')![1]
  const rows = elements(cut).map((text, i) => ({ text, value: results[i] }))
  const fingerprint = createHash('sha256').update(cut).digest('base64url').slice(0, 22)
  return { rows, next: next || undefined, fingerprint }
}
