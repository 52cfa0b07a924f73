import { PosthaulError } from '../errors.ts'

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
