import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
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
