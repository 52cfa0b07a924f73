import { createHash, timingSafeEqual } from 'node:crypto'

/** What of a request tells who makes it. */
export interface Caller {
  readonly method: string
  /** As it was sent, still encoded. */
  readonly path: string
  header(name: string): string | undefined
}

/** Where the studio listens, and the secret of its address. */
export interface Place {
  readonly port: number
  readonly token: string
}

/**
 * Why a request is refused; undefined for one that may pass. Whoever has the token may look; a change must come from the
 * studio's own page besides, as browsers say it:
 *
 * - `Host` names this machine: a name of somebody's own that resolves to it (DNS rebinding) would make their page ours.
 * - The token is in the path. It is compared in a time that does not tell how much of it is right.
 * - `Origin` and `Sec-Fetch-Site` of a change are the page's own: a form of another page sends its own.
 */
export function refusalOf({ method, path, header }: Caller, { port, token }: Place): string | undefined {
  const host = header('host')
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return 'the request names another host than this machine'
  const given = path.split('/')[1] ?? ''
  if (!isEqual(given, token)) return 'the address lacks the token: open the one that posthaul studio printed'
  const site = header('sec-fetch-site')
  const isOwnSite = site === undefined || site === 'same-origin'
  if (method === 'GET' || method === 'HEAD') {
    const isOpened = site === 'none' || header('sec-fetch-mode') === 'navigate'
    return isOwnSite || isOpened ? undefined : 'the request comes from another page'
  }
  if (!isOwnSite || header('origin') !== `http://${host}`) return 'the request comes from another page'
  return undefined
}

/** Digests are of one length, as the comparison needs it. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
