import { ByteMemo } from '../record/byte-memo.ts'
import { keyOf } from '../record/keys.ts'
import { spelledText } from '../record/text.ts'
import { DerivedProperty } from './derived-property.ts'
import type { EventDraft } from './draft.ts'
import { type Spelling, spell } from './spelling.ts'

const CURRENT_URL = keyOf('$current_url')
const REFERRER = keyOf('$referrer')
const HOST = keyOf('$host')
const PATHNAME = keyOf('$pathname')
const REFERRING_DOMAIN = keyOf('$referring_domain')
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

/** Fills in properties that a URL tells when the source sent only the URL. Properties that are there stay. */
export class UrlProperties {
  readonly #draft: EventDraft
  readonly #host: DerivedProperty
  readonly #pathname: DerivedProperty
  readonly #referringDomain: DerivedProperty
  readonly #campaign: readonly DerivedProperty[]

  constructor(draft: EventDraft) {
    this.#draft = draft
    this.#host = new DerivedProperty(draft, '$host')
    this.#pathname = new DerivedProperty(draft, '$pathname')
    this.#referringDomain = new DerivedProperty(draft, '$referring_domain')
    this.#campaign = CAMPAIGN.map((name) => new DerivedProperty(draft, name))
  }

  derive(): void {
    const { properties } = this.#draft
    const url = properties.recall(CURRENT_URL, ADDRESSES)
    if (url) {
      if (url.host && !properties.has(HOST)) this.#host.add(url.host)
      if (!properties.has(PATHNAME)) this.#pathname.add(url.pathname)
      for (const [index, value] of url.campaign) this.#campaign[index]!.add(value)
    }
    if (properties.has(REFERRING_DOMAIN)) return
    const referrer = properties.recall(REFERRER, REFERRERS)
    if (referrer) this.#referringDomain.add(referrer)
  }
}

/** What an address says of a campaign: indexes in CAMPAIGN, each with its value. */
type Campaign = ReadonlyArray<readonly [index: number, value: Spelling]>

interface Address {
  readonly host: Spelling | undefined
  readonly pathname: Spelling
  readonly campaign: Campaign
}

// The address as it was sent, not as a browser would write it: no added slash, no changed case in the path.
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i

/** Pages are few and recur. */
const REMEMBERED = { slots: 2048, longest: 200 }

/** The parts of an address; undefined for other text. */
const ADDRESSES = new ByteMemo((bytes, start, end): Address | undefined => {
  const text = spelledText(bytes, start, end)
  const match = ADDRESS.exec(text)
  if (!match) return undefined
  return {
    host: hostOf(match[1]!),
    pathname: spell(match[2] || '/'),
    campaign: campaignOf(text, match[3] ?? ''),
  }
}, REMEMBERED)

/** The host of a referrer; the service has a word for none. */
const REFERRERS = new ByteMemo((bytes, start, end): Spelling | undefined => {
  const text = spelledText(bytes, start, end)
  return text === '$direct' ? spell(text) : hostOf(ADDRESS.exec(text)?.[1] ?? '')
}, REMEMBERED)

function hostOf(text: string): Spelling | undefined {
  return text === '' ? undefined : spell(text.toLowerCase())
}

function campaignOf(address: string, search: string): Campaign {
  if (!address.includes('utm_')) return []
  // The platform's parser takes longer than the rest of an event, and most addresses have nothing to decode.
  const query = /[%+]/.test(search) ? new URLSearchParams(search) : plainQuery(search)
  return CAMPAIGN.flatMap((name, index) => {
    const value = query.get(name)
    return value ? [[index, spell(value)] as const] : []
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
