import type { Draft } from './preset.ts'

const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

/** Fills in what a URL says when the source sent only the URL. Nothing that is there is touched. */
export function deriveFromUrls(
  draft: Draft,
  currentUrl: string | undefined,
  referrer: string | undefined,
): void {
  if (currentUrl !== undefined) {
    const url = parse(currentUrl)
    if (url) {
      if (!draft.has('$host') && url.host !== '') draft.text('$host', url.host)
      if (!draft.has('$pathname') && url.pathname !== '') draft.text('$pathname', url.pathname)
      if (url.search !== '') deriveCampaign(draft, url.search)
    }
  }
  if (referrer !== undefined && !draft.has('$referring_domain')) {
    const url = parse(referrer)
    if (url && url.host !== '') draft.text('$referring_domain', url.host)
    else if (referrer === '$direct') draft.text('$referring_domain', '$direct')
  }
}

function deriveCampaign(draft: Draft, search: string): void {
  if (!search.includes('utm_')) return
  const query = new URLSearchParams(search)
  for (const name of CAMPAIGN) {
    const value = query.get(name)
    if (value && !draft.has(name)) draft.text(name, value)
  }
}

// The address as it was sent, not as a browser would write it: no added slash, no changed case in the path.
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i

function parse(text: string): { host: string; pathname: string; search: string } | undefined {
  const match = ADDRESS.exec(text)
  if (!match) return undefined
  return { host: match[1]!.toLowerCase(), pathname: match[2] || '/', search: match[3] ?? '' }
}
