import { expect, test } from 'vitest'
import {
  finalEvents,
  finalProperties,
  namingOf,
  wholeDescription,
} from '../../../src/jobs/around/final-rows.ts'
import { parseMapping, SourceNames } from '../../../src/mapping/index.ts'
import { amplitude } from '../../../src/presets/amplitude.ts'
import { mixpanel } from '../../../src/presets/mixpanel.ts'

const mapping = parseMapping(
  `
events: { rename: { Bought: order paid, $pageview: page seen }, drop: [Heartbeat] }
properties: { rename: { Plan: plan }, drop: [password] }`,
  'mapping.yaml',
).mapping

const naming = namingOf('mixpanel', new SourceNames(mixpanel, mapping))

test('events have the names that a transform gives them; those that it drops are named', () => {
  const rows = [{ name: 'Bought' }, { name: '$mp_web_page_view' }, { name: 'Heartbeat' }, { name: 'Own' }]
  const { rows: final, skipped } = finalEvents(rows, naming)
  expect(final.map(({ name }) => name)).toEqual(['order paid', 'page seen', 'Own'])
  const why = 'the mapping leaves it out'
  expect(skipped).toEqual([{ kind: 'events', name: 'Heartbeat', state: 'skipped', fields: [], why }])
})

test.each([
  ['event', '$city', '$geoip_city_name'],
  ['event', 'Plan', 'plan'],
  ['event', 'Amount.total', 'Amount.total'],
  ['event', 'password', undefined],
  ['person', '$email', 'email'],
  ['person', 'Plan', 'Plan'],
  ['person', 'password', 'password'],
  ['person', '__proto__', '__proto__'],
  ['person', 'constructor', 'constructor'],
  ['group', 'Plan', 'Plan'],
  ['group', '$name', 'name'],
] as const)('the %s property %s becomes %s', (of, name, final) => {
  expect(naming.property(of, name)).toBe(final)
})

test("a member has the id that the transform gives a vendor's device", () => {
  const own = namingOf(undefined, undefined)
  const ids = ['$device:4b-1', 'ada', 'x$device:4b']
  expect(ids.map((id) => naming.member(id))).toEqual(['4b-1', 'ada', 'x$device:4b'])
  expect(ids.map((id) => own.member(id))).toEqual(ids)
})

test("Amplitude's properties of users are found by their own rules", () => {
  const { property } = namingOf('amplitude', new SourceNames(amplitude, mapping))
  expect([property('person', 'initial_referrer'), property('event', 'Plan')]).toEqual([
    '$initial_referrer',
    'plan',
  ])
})

test('names that become one are one definition, with what the first says and the tags of all', () => {
  const rows = [
    { name: '$order', of: 'event' as const, tags: ['a'] },
    { name: 'Plan', of: 'event' as const, tags: ['b'], description: 'second' },
    { name: 'plan', of: 'event' as const, tags: ['c'], description: 'third' },
    { name: 'plan', of: 'person' as const },
  ]
  const { rows: final } = finalProperties(rows, naming)
  expect(final.map(({ of, name, tags, description }) => [of, name, tags, description])).toEqual([
    ['event', '$order', ['a'], undefined],
    ['event', 'plan', ['b', 'c'], 'second'],
    ['person', 'plan', undefined, undefined],
  ])
})

test('without a mapping file names are final, and a display name goes before the description', () => {
  expect(namingOf(undefined, undefined).event('Bought')).toBe('Bought')
  const words = (display_name: string, description?: string) =>
    wholeDescription({ name: 'buy', display_name, ...(description && { description }) })
  expect([words('Buy', 'x'), words('Buy'), words('buy', 'x')]).toEqual(['Buy: x', 'Buy', 'x'])
})
