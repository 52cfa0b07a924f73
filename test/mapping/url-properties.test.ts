import { describe, expect, test } from 'vitest'
import { type Address, countryCode, countryName, cutAddress, Derived } from '../../src/mapping/derived.ts'
import { EventDraft } from '../../src/mapping/draft.ts'
import { EmptyValues } from '../../src/mapping/empty-values.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { MemberCounts } from '../../src/mapping/member-counts.ts'
import { readsOf, SlotView } from '../../src/mapping/slot-view.ts'
import { events } from '../../src/presets/events.ts'
import { keys } from '../../src/record/keys.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { Tape } from '../../src/record/tape.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { propertiesOf } from '../presets/map-one.ts'

function derived(
  given: Readonly<Record<string, unknown>>,
  mapping: Partial<Mapping> = {},
): Record<string, unknown> {
  const tape = new Tape()
  const view = new SlotView({ slots: new Map(), labels: new Map() }, tape, emptyNotes())
  const draft = new EventDraft({
    preset: { vendor: 'plain', empty: [] },
    mapping: { ...NO_MAPPING, ...mapping },
    tape,
    view,
    reads: readsOf(view),
    emptyValues: new EmptyValues(tape, []),
    notes: emptyNotes(),
    counts: new MemberCounts(view, 'set'),
  })
  draft.begin()
  for (const [name, value] of Object.entries(given)) draft.property(name, JSON.stringify(value))
  new Derived(draft).add()
  const found: Record<string, unknown> = {}
  draft.properties.visit((key, value, start, end) => {
    const name = keys.text(key)
    const read: unknown = JSON.parse(value.toString('utf8', start, end))
    if (Object.hasOwn(given, name)) expect([name, read]).toEqual([name, given[name]])
    else found[name] = read
  })
  return found
}

test.each<[url: string, expected: Record<string, string>]>([
  ['https://www.example.com/a/B?x=1#y', { $host: 'www.example.com', $pathname: '/a/B' }],
  ['https://WWW.Example.com:8080', { $host: 'www.example.com:8080', $pathname: '/' }],
  ['https://user:pw@example.com/a', { $host: 'example.com', $pathname: '/a' }],
  ['android-app://com.example/a', { $host: 'com.example', $pathname: '/a' }],
  ['file:///a/b', { $pathname: '/a/b' }],
  ['/only/a/path', {}],
  ['mailto:a@example.org', {}],
  ['', {}],
  [
    'https://example.com/?utm_source=news&utm_medium=e%20mail&utm_campaign=&utm_term=a+b&utm_content=%C3%A9',
    {
      $host: 'example.com',
      $pathname: '/',
      utm_source: 'news',
      utm_medium: 'e mail',
      utm_term: 'a b',
      utm_content: 'é',
    },
  ],
  // A name that is spelled with escapes counts where the address has anything of a campaign.
  [
    'https://example.com/utm_x?%75tm_source=g',
    { $host: 'example.com', $pathname: '/utm_x', utm_source: 'g' },
  ],
  ['https://example.com/a#?utm_source=no', { $host: 'example.com', $pathname: '/a' }],
  [
    'https://example.com/?utm_source=%ff&utm_source=b',
    { $host: 'example.com', $pathname: '/', utm_source: '\ufffd' },
  ],
])('from the address %s', (url, expected) => expect(derived({ $current_url: url })).toEqual(expected))

test.each<[referrer: unknown, expected: Record<string, string>]>([
  ['https://search.example.org/?q=1', { $referring_domain: 'search.example.org' }],
  ['$direct', { $referring_domain: '$direct' }],
  ['nonsense', {}],
  [5, {}],
])('from the referrer %s', (referrer, expected) => expect(derived({ $referrer: referrer })).toEqual(expected))

test('what the source sent stays', () => {
  const given = {
    $current_url: 'https://example.com/a?utm_source=url',
    $host: 'sent',
    $pathname: '/sent',
    utm_source: 'sent',
    $referrer: 'https://example.org/',
    $referring_domain: 'sent',
  }
  expect(derived(given)).toEqual({})
})

test('names that the mapping file took or dropped stay so', () => {
  const properties = { rename: { $host: 'host' }, drop: ['$pathname'], set: {} }
  expect(derived({ $current_url: 'https://example.com/a' }, { properties })).toEqual({ host: 'example.com' })
})

const CODES = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((a, _, all) => all.map((b) => a + b))

test('each country has one name and one code', () => {
  const known = CODES.filter((code) => countryName(code) !== undefined)
  expect(known).toHaveLength(250)
  expect(known.map((code) => countryCode(countryName(code)!))).toEqual(known)
})

test.each(['XX', 'ZZ', 'T1', 'A1', 'A2', 'O1', 'EU', 'AP', 'UN', '', 'D', 'DEU', 'constructor', '__proto__'])(
  '%s is the code of no country',
  (code) => expect(countryName(code)).toBeUndefined(),
)

test.each(['', 'Atlantis', 'Europe', 'DE', '(not set)', 'Congo', 'Korea', 'constructor'])(
  '%s names no country',
  (name) => expect(countryCode(name)).toBeUndefined(),
)

test('a code in small letters becomes the service’s', () => {
  const { $geoip_country_code, $geoip_country_name } = propertiesOf(events, {
    ...{ event: 'e', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z' },
    properties: { $geoip_country_code: 'de' },
  })
  expect([$geoip_country_code, $geoip_country_name]).toEqual(['DE', 'Germany'])
})

describe('names as vendors write them', () => {
  test.each([
    ['Germany', 'DE'],
    ['germany ', 'DE'],
    ['Türkiye', 'TR'],
    ['Turkey', 'TR'],
    ['Côte d’Ivoire', 'CI'],
    ['Bosnia & Herzegovina', 'BA'],
    ['St. Kitts & Nevis', 'KN'],
    ['Netherlands', 'NL'],
    ['Czech Republic', 'CZ'],
    ['Myanmar (Burma)', 'MM'],
    ['Congo - Kinshasa', 'CD'],
    ['United States', 'US'],
    ['The Bahamas', 'BS'],
  ])('%s is %s', (name, code) => expect(countryCode(name)).toBe(code))

  test.each([
    ['de', 'Germany'],
    ['HK', 'Hong Kong'],
    ['NL', 'The Netherlands'],
    ['XK', 'Kosovo'],
  ])('%s is %s', (code, name) => expect(countryName(code)).toBe(name))

  // Names that the platform knows, whatever its version: another source than our table.
  test('all names of the platform are known', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const unknown = CODES.filter(
      (code) => countryName(code) !== undefined && names.of(code) !== undefined,
    ).filter((code) => countryCode(names.of(code)!) !== code)
    expect(unknown).toEqual([])
  })
})

/** The same as one expression, which is slower. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i
const PIECES = [
  ...['a', 'Z', '0', '+', '-', '.', ':', '/', '//', '://', '?', '#', '@', 'é', '%', ' ', '_', '\u0080'],
  '`',
]

function cut(text: string): string[] | undefined {
  const bytes = Buffer.from(`<${text}>`)
  const end = bytes.length - 1
  const address: Address = { hostStart: 0, hostEnd: 0, pathEnd: 0, searchEnd: 0 }
  if (!cutAddress(bytes, 1, end, address)) return undefined
  const { hostStart, hostEnd, pathEnd, searchEnd } = address
  const parts = [
    [hostStart, hostEnd],
    [hostEnd, pathEnd],
    [pathEnd, searchEnd],
  ]
  return parts.map(([from, to]) => bytes.toString('utf8', from, to))
}

test.each<[text: string, parts: string[] | undefined]>([
  ['https://me:pw@Example.com:8080/a/b?x=/?#y?z', ['Example.com:8080', '/a/b', '?x=/?']],
  ['https://example.com#/a?b', ['example.com', '', '']],
  ['https://a@b@c/d', ['b@c', '/d', '']],
  ['file:///a', ['', '/a', '']],
  ['a://', ['', '', '']],
  ['1a://b', undefined],
  ['://b', undefined],
  ['a:/b', undefined],
  ['a', undefined],
  ['', undefined],
])('cuts %s', (text, parts) => expect(cut(text)).toEqual(parts))

test('cuts any text as the expression does', () => {
  const random = seeded(seedOf('addresses'))
  for (let i = 0; i < 20_000; i++) {
    const length = Math.floor(random() * 12)
    const text = Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]!).join('')
    const match = ADDRESS.exec(text)
    const expected = match ? [match[1], match[2], match[3] ?? ''] : undefined
    const found = cut(text)
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, text).toEqual(expected)
  }
})
