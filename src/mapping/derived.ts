import { holds } from '../record/bytes.ts'
import { type Key, keyOf } from '../record/keys.ts'
import type { Members, Span } from '../record/members.ts'
import { ByteMemo, spelledText } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import { type Spelling, spell } from './scratch.ts'

/**
 * Codes of ISO 3166 and, after each, the country's English name as the service's own GeoIP database writes it. A table of
 * ours: the names of the platform differ from one version of Node to the next.
 */
const NAMES = `
AD Andorra; AE United Arab Emirates; AF Afghanistan; AG Antigua and Barbuda; AI Anguilla; AL Albania;
AM Armenia; AO Angola; AQ Antarctica; AR Argentina; AS American Samoa; AT Austria; AU Australia;
AW Aruba; AX Åland Islands; AZ Azerbaijan; BA Bosnia and Herzegovina; BB Barbados; BD Bangladesh;
BE Belgium; BF Burkina Faso; BG Bulgaria; BH Bahrain; BI Burundi; BJ Benin; BL Saint Barthélemy;
BM Bermuda; BN Brunei; BO Bolivia; BQ Bonaire, Sint Eustatius, and Saba; BR Brazil; BS Bahamas;
BT Bhutan; BV Bouvet Island; BW Botswana; BY Belarus; BZ Belize; CA Canada; CC Cocos (Keeling) Islands;
CD DR Congo; CF Central African Republic; CG Congo Republic; CH Switzerland; CI Ivory Coast;
CK Cook Islands; CL Chile; CM Cameroon; CN China; CO Colombia; CR Costa Rica; CU Cuba; CV Cabo Verde;
CW Curaçao; CX Christmas Island; CY Cyprus; CZ Czechia; DE Germany; DJ Djibouti; DK Denmark; DM Dominica;
DO Dominican Republic; DZ Algeria; EC Ecuador; EE Estonia; EG Egypt; EH Western Sahara; ER Eritrea;
ES Spain; ET Ethiopia; FI Finland; FJ Fiji; FK Falkland Islands; FM Federated States of Micronesia;
FO Faroe Islands; FR France; GA Gabon; GB United Kingdom; GD Grenada; GE Georgia; GF French Guiana;
GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland; GM Gambia; GN Guinea; GP Guadeloupe;
GQ Equatorial Guinea; GR Greece; GS South Georgia and the South Sandwich Islands; GT Guatemala; GU Guam;
GW Guinea-Bissau; GY Guyana; HK Hong Kong; HM Heard and McDonald Islands; HN Honduras; HR Croatia;
HT Haiti; HU Hungary; ID Indonesia; IE Ireland; IL Israel; IM Isle of Man; IN India;
IO British Indian Ocean Territory; IQ Iraq; IR Iran; IS Iceland; IT Italy; JE Jersey; JM Jamaica;
JO Jordan; JP Japan; KE Kenya; KG Kyrgyzstan; KH Cambodia; KI Kiribati; KM Comoros;
KN St Kitts and Nevis; KP North Korea; KR South Korea; KW Kuwait; KY Cayman Islands; KZ Kazakhstan;
LA Laos; LB Lebanon; LC Saint Lucia; LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho;
LT Lithuania; LU Luxembourg; LV Latvia; LY Libya; MA Morocco; MC Monaco; MD Moldova; ME Montenegro;
MF Saint Martin; MG Madagascar; MH Marshall Islands; MK North Macedonia; ML Mali; MM Myanmar;
MN Mongolia; MO Macao; MP Northern Mariana Islands; MQ Martinique; MR Mauritania; MS Montserrat;
MT Malta; MU Mauritius; MV Maldives; MW Malawi; MX Mexico; MY Malaysia; MZ Mozambique; NA Namibia;
NC New Caledonia; NE Niger; NF Norfolk Island; NG Nigeria; NI Nicaragua; NL The Netherlands; NO Norway;
NP Nepal; NR Nauru; NU Niue; NZ New Zealand; OM Oman; PA Panama; PE Peru; PF French Polynesia;
PG Papua New Guinea; PH Philippines; PK Pakistan; PL Poland; PM Saint Pierre and Miquelon;
PN Pitcairn Islands; PR Puerto Rico; PS Palestine; PT Portugal; PW Palau; PY Paraguay; QA Qatar;
RE Réunion; RO Romania; RS Serbia; RU Russia; RW Rwanda; SA Saudi Arabia; SB Solomon Islands;
SC Seychelles; SD Sudan; SE Sweden; SG Singapore; SH Saint Helena; SI Slovenia;
SJ Svalbard and Jan Mayen; SK Slovakia; SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia;
SR Suriname; SS South Sudan; ST São Tomé and Príncipe; SV El Salvador; SX Sint Maarten; SY Syria;
SZ Eswatini; TC Turks and Caicos Islands; TD Chad; TF French Southern Territories; TG Togo; TH Thailand;
TJ Tajikistan; TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia; TO Tonga; TR Türkiye;
TT Trinidad and Tobago; TV Tuvalu; TW Taiwan; TZ Tanzania; UA Ukraine; UG Uganda;
UM U.S. Outlying Islands; US United States; UY Uruguay; UZ Uzbekistan; VA Vatican City;
VC St Vincent and Grenadines; VE Venezuela; VG British Virgin Islands; VI U.S. Virgin Islands;
VN Vietnam; VU Vanuatu; WF Wallis and Futuna; WS Samoa; XK Kosovo; YE Yemen; YT Mayotte; ZA South Africa;
ZM Zambia; ZW Zimbabwe`

/** Other names of the same countries, as vendors write them. */
const OTHER_NAMES = `
BQ Caribbean Netherlands; CD Congo - Kinshasa; CD Democratic Republic of the Congo;
CD Congo, Democratic Republic of the; CG Congo - Brazzaville; CG Republic of the Congo;
CI Côte d'Ivoire; CV Cape Verde; FM Micronesia; HK Hong Kong SAR China; MM Myanmar (Burma); MM Burma;
MO Macao SAR China; MO Macau; PS Palestinian Territories; PS Palestinian Territory;
PS State of Palestine; TR Turkey; CZ Czech Republic; MK Macedonia; MK Macedonia (FYROM); SZ Swaziland;
RU Russian Federation; KR Republic of Korea; KR Korea, Republic of;
KP Democratic People's Republic of Korea; VN Viet Nam; IR Islamic Republic of Iran;
IR Iran, Islamic Republic of; US USA; US United States of America; GB UK; GB Great Britain; VA Holy See;
VA Vatican; TL East Timor; MD Republic of Moldova; SY Syrian Arab Republic;
LA Lao People's Democratic Republic; BN Brunei Darussalam; TZ United Republic of Tanzania;
BO Plurinational State of Bolivia; VE Bolivarian Republic of Venezuela; JO Hashemite Kingdom of Jordan;
TW Taiwan, Province of China; AX Aland`

/** Each country: its code, its name. */
export const COUNTRIES = pairs(NAMES)
const byCode = new Map(COUNTRIES)
/** Folded name -> code. */
const byName = new Map([...pairs(OTHER_NAMES), ...COUNTRIES].map(([code, name]) => [folded(name), code]))

/** The country's name; undefined for what is no code of a country (XX, T1, EU). */
export function countryName(code: string): string | undefined {
  return byCode.get(code.toUpperCase())
}

/** The country's code, two capital letters; undefined for a name that is not known. */
export function countryCode(name: string): string | undefined {
  return byName.get(folded(name))
}

function pairs(table: string): (readonly [code: string, name: string])[] {
  return table
    .trim()
    .split(/;\s/)
    .map((row) => [row.slice(0, 2), row.slice(3)] as const)
}

/** Without accents, case, articles and marks: "St. Kitts & Nevis" and "saint kitts and nevis" are one. */
function folded(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\bst\b/g, 'saint')
    .replace(/\bthe\b/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim()
}

/** A property that is told by others: events that have it keep theirs. */
class DerivedProperty {
  readonly #draft: EventDraft
  readonly #name: string
  /** Undefined for a name that the mapping file drops, or makes the distinct_id. */
  readonly #key: Key | undefined

  constructor(draft: EventDraft, name: string) {
    this.#draft = draft
    this.#name = name
    this.#key = draft.finalKey(name)
  }

  add(value: Spelling): void {
    const draft = this.#draft
    if (this.#key !== undefined) {
      if (!draft.properties.has(this.#key)) draft.spelled(this.#key, value)
    } else if (!draft.has(this.#name)) draft.text(this.#name, value.text)
  }

  /** The same of text at [start, end) that JSON spells as it is. */
  addPlain(bytes: Buffer, start: number, end: number): void {
    const draft = this.#draft
    if (this.#key === undefined) this.add(spell(bytes.toString('utf8', start, end)))
    else if (!draft.properties.has(this.#key)) draft.plain(this.#key, bytes, start, end)
  }
}

const [HASH, SLASH, COLON, QUESTION, AT] = [0x23, 0x2f, 0x3a, 0x3f, 0x40]

/** Where the parts of an address are. The search begins with its question mark; a part that is not there is empty. */
export interface Address {
  hostStart: number
  hostEnd: number
  /** Up to the search. */
  pathEnd: number
  searchEnd: number
}

/**
 * Cuts `scheme://user@host/path?search#rest`, which stands at [start, end) in UTF-8, into `address`; false for other text.
 * As it was sent, not as a browser would write it: no added slash, no changed case.
 */
export function cutAddress(bytes: Buffer, start: number, end: number, address: Address): boolean {
  let i = start
  while (i < end && isOfScheme(bytes[i]!, i === start)) i++
  if (i === start || i + 3 > end) return false
  if (bytes[i] !== COLON || bytes[i + 1] !== SLASH || bytes[i + 2] !== SLASH) return false
  i += 3
  address.hostStart = i
  let isNamed = false
  for (; i < end; i++) {
    const byte = bytes[i]!
    if (byte === SLASH || byte === QUESTION || byte === HASH) break
    // Whom it is for stands before the host.
    if (byte === AT && !isNamed) {
      isNamed = true
      address.hostStart = i + 1
    }
  }
  address.hostEnd = i
  while (i < end && bytes[i] !== QUESTION && bytes[i] !== HASH) i++
  address.pathEnd = i
  while (i < end && bytes[i] !== HASH) i++
  address.searchEnd = i
  return true
}

function isOfScheme(byte: number, isFirst: boolean): boolean {
  const small = byte | 0x20
  if (small >= 0x61 && small <= 0x7a) return true
  // Digits, and + - .
  return !isFirst && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e)
}

const CURRENT_URL = keyOf('$current_url')
const REFERRER = keyOf('$referrer')
const HOST = keyOf('$host')
const PATHNAME = keyOf('$pathname')
const REFERRING_DOMAIN = keyOf('$referring_domain')
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']
const CAMPAIGN_MARK = Buffer.from('utm_')

const BACKSLASH = 0x5c

const ROOT = spell('/')
/** The service's word for no referrer. */
const DIRECT = spell('$direct')

/**
 * Adds to a draft what the properties that are there tell, as the service's own libraries would have sent it: what a URL says,
 * and both the code and the name of the country of an event and its person. Properties that are there stay.
 */
export class Derived {
  readonly #draft: EventDraft
  readonly #host: DerivedProperty
  readonly #pathname: DerivedProperty
  readonly #referringDomain: DerivedProperty
  readonly #campaign: readonly DerivedProperty[]
  readonly #code: DerivedProperty
  readonly #name: DerivedProperty
  readonly #address: Address = { hostStart: 0, hostEnd: 0, pathEnd: 0, searchEnd: 0 }

  constructor(draft: EventDraft) {
    this.#draft = draft
    this.#host = new DerivedProperty(draft, '$host')
    this.#pathname = new DerivedProperty(draft, '$pathname')
    this.#referringDomain = new DerivedProperty(draft, '$referring_domain')
    this.#campaign = CAMPAIGN.map((name) => new DerivedProperty(draft, name))
    this.#code = new DerivedProperty(draft, CODE_NAME)
    this.#name = new DerivedProperty(draft, NAME_NAME)
  }

  add(): void {
    const { properties } = this.#draft
    const url = properties.string(CURRENT_URL)
    if (url) this.#tell(url)
    const referrer = properties.has(REFERRING_DOMAIN) ? undefined : properties.string(REFERRER)
    if (referrer) this.#refer(referrer)
    this.#completeCountries()
  }

  #tell(url: Span): void {
    const { bytes, start, end } = unescaped(url)
    // The next look at a property changes the span.
    const isAsWritten = bytes === url.bytes
    const { properties } = this.#draft
    const address = this.#address
    if (!cutAddress(bytes, start, end, address)) return
    const { hostStart, hostEnd, pathEnd, searchEnd } = address
    if (hostEnd > hostStart && !properties.has(HOST)) this.#host.add(HOSTS.of(bytes, hostStart, hostEnd))
    if (!properties.has(PATHNAME)) {
      if (pathEnd === hostEnd) this.#pathname.add(ROOT)
      else if (isAsWritten) this.#pathname.addPlain(bytes, hostEnd, pathEnd)
      else this.#pathname.add(spell(bytes.toString('utf8', hostEnd, pathEnd)))
    }
    if (searchEnd === pathEnd || !holds(bytes, start, end, CAMPAIGN_MARK)) return
    for (const [index, value] of CAMPAIGNS.of(bytes, pathEnd, searchEnd)) this.#campaign[index]!.add(value)
  }

  #refer(referrer: Span): void {
    const { bytes, start, end } = unescaped(referrer)
    const address = this.#address
    if (cutAddress(bytes, start, end, address)) {
      const { hostStart, hostEnd } = address
      if (hostEnd > hostStart) this.#referringDomain.add(HOSTS.of(bytes, hostStart, hostEnd))
    } else if (end - start === DIRECT.text.length && bytes.toString('latin1', start, end) === DIRECT.text)
      this.#referringDomain.add(DIRECT)
  }

  #completeCountries(): void {
    const { properties, toSet, toSetOnce } = this.#draft
    const [hasCode, hasName] = [properties.has(CODE), properties.has(NAME)]
    if (hasCode && !hasName) {
      const country = recalled(properties, CODE, OF_CODE)
      if (country) this.#name.add(country.name)
      if (country?.capital) this.#draft.text(CODE_NAME, country.capital)
    } else if (hasName && !hasCode) {
      const code = recalled(properties, NAME, CODE_OF_NAME)
      if (code) this.#code.add(code)
    }
    if (toSet.count > 0) completePerson(toSet)
    if (toSetOnce.count > 0) completePerson(toSetOnce)
  }
}

/** Hosts are few and recur. */
const HOSTS = new ByteMemo((bytes, start, end) => spell(bytes.toString('utf8', start, end).toLowerCase()), {
  slots: 512,
  longest: 100,
})

/** What a query says of a campaign: indexes in CAMPAIGN, each with its value. */
const CAMPAIGNS = new ByteMemo(
  (bytes, start, end): ReadonlyArray<readonly [index: number, value: Spelling]> => {
    const search = bytes.toString('utf8', start, end)
    // The platform's parser takes longer than the rest of an event, and most addresses have nothing to decode.
    const query = /[%+]/.test(search) ? new URLSearchParams(search) : plainQuery(search)
    return CAMPAIGN.flatMap((name, index) => {
      const value = query.get(name)
      return value ? [[index, spell(value)] as const] : []
    })
  },
  { slots: 1024, longest: 200 },
)

/** The text itself of a string that is spelled with escapes, in bytes of its own. */
function unescaped(span: Span): Span {
  const { bytes, start, end } = span
  let at = start
  while (at < end && bytes[at] !== BACKSLASH) at++
  if (at === end) return span
  const text = Buffer.from(spelledText(bytes, start, end))
  return { bytes: text, start: 0, end: text.length }
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

const [CODE_NAME, NAME_NAME] = ['$geoip_country_code', '$geoip_country_name']
const [CODE, NAME] = [keyOf(CODE_NAME), keyOf(NAME_NAME)]

const SPELLED = new Map(COUNTRIES.flat().map((text) => [text, spell(text)]))

/** Countries are few and recur. */
const REMEMBERED = { slots: 256, longest: 64 }

/** A country's name, and its code in capital letters where it is not. Both memos have undefined where the table has none. */
const OF_CODE = new ByteMemo((bytes, start, end) => {
  const code = spelledText(bytes, start, end)
  const name = SPELLED.get(countryName(code) ?? '')
  const capital = code.toUpperCase()
  return name && { name, capital: capital === code ? undefined : capital }
}, REMEMBERED)

const CODE_OF_NAME = new ByteMemo(
  (bytes, start, end) => SPELLED.get(countryCode(spelledText(bytes, start, end)) ?? ''),
  REMEMBERED,
)

function completePerson(person: Members): void {
  const [hasCode, hasName] = [person.has(CODE), person.has(NAME)]
  if (hasCode === hasName) return
  const told = hasCode ? recalled(person, CODE, OF_CODE)?.name : recalled(person, NAME, CODE_OF_NAME)
  if (told) person.put(hasCode ? NAME : CODE, told.bytes, told.start, told.end)
}

/** What a memo holds of a member's text; undefined where that is no string. */
function recalled<Result>(members: Members, key: Key, memo: ByteMemo<Result>): Result | undefined {
  const text = members.string(key)
  return text && memo.of(text.bytes, text.start, text.end)
}
