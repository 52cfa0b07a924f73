import { expect, test } from 'vitest'
import { UrlProperties } from '../../src/mapping/derived.ts'
import { EventDraft } from '../../src/mapping/draft.ts'
import { EmptyValues } from '../../src/mapping/empty-values.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { MemberCounts } from '../../src/mapping/member-counts.ts'
import { readsOf, SlotView } from '../../src/mapping/slot-view.ts'
import { keys } from '../../src/record/keys.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { Tape } from '../../src/record/tape.ts'

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
  new UrlProperties(draft).derive()
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
