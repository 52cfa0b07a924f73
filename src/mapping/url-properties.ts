import { keyOf } from '../record/keys.ts'
import type { EventDraft } from './draft.ts'
import { memoize } from './memoize.ts'

const CURRENT_URL = keyOf('$current_url')
const REFERRER = keyOf('$referrer')
const HOST = keyOf('$host')
const PATHNAME = keyOf('$pathname')
const REFERRING_DOMAIN = keyOf('$referring_domain')
const UTM = Buffer.from('utm_')
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

/** Fills in properties that a URL tells when the source sent only the URL. Properties that are there stay. */
export function deriveFromUrls(draft: EventDraft): void {
  const { properties } = draft
  const [noHost, noPath] = [!properties.has(HOST), !properties.has(PATHNAME)]
  // A look at the bytes: most addresses tell nothing new, and need not be decoded.
  if (noHost || noPath || properties.mayHold(CURRENT_URL, UTM)) {
    const currentUrl = properties.text(CURRENT_URL)
    const url = currentUrl === undefined ? null : addressOf(currentUrl)
    if (url) {
      if (noHost && url.host !== '' && !draft.has('$host')) draft.text('$host', url.host)
      if (noPath && !draft.has('$pathname')) draft.text('$pathname', url.pathname)
      for (const [name, value] of url.campaign) if (!draft.has(name)) draft.text(name, value)
    }
  }
  if (properties.has(REFERRING_DOMAIN)) return
  const referrer = properties.text(REFERRER)
  if (referrer === undefined) return
  const host = referrer === '$direct' ? '$direct' : addressOf(referrer)?.host
  if (host && !draft.has('$referring_domain')) draft.text('$referring_domain', host)
}

function campaignOf(address: string, search: string): ReadonlyArray<readonly [name: string, value: string]> {
  if (!address.includes('utm_')) return []
  // The platform's parser takes longer than the rest of an event, and most addresses have nothing to decode.
  const query = /[%+]/.test(search) ? new URLSearchParams(search) : plainQuery(search)
  return CAMPAIGN.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as const] : []
  })
}

/** The parameters of a query; the first of two with one name. */
function plainQuery(search: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  for (const pair of search.slice(1).split('&')) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    if (!query.has(name)) query.set(name, equals === -1 ? '' : pair.slice(equals + 1))
  }
  return query
}

// The address as it was sent, not as a browser would write it: no added slash, no changed case in the path.
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i

/** The parts of an address; null for other text. Memoized: pages are few and recur. */
const addressOf = memoize((text: string) => {
  const match = ADDRESS.exec(text)
  if (!match) return null
  return {
    host: match[1]!.toLowerCase(),
    pathname: match[2] || '/',
    campaign: campaignOf(text, match[3] ?? ''),
  }
})
