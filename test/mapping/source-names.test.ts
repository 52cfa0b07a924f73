import { expect, test } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { SourceNames } from '../../src/mapping/source-names.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'

const mapped = (text: string) => new SourceNames(mixpanel, parseMapping(text, 'm.yaml').mapping)

test('events are renamed by the preset, then by the file, and left out by either name', () => {
  expect(new SourceNames(mixpanel, NO_MAPPING).event('$mp_web_page_view')).toBe('$pageview')
  const names = mapped('events: { rename: { $pageview: page }, drop: [page2, Old], keep: [page, Own, Old] }')
  expect(['$mp_web_page_view', 'Own', 'Old', 'Other'].map((name) => names.event(name))).toEqual([
    'page',
    'Own',
    undefined,
    undefined,
  ])
})

test('a filter of times says nothing against a name', () => {
  expect(mapped('filter: { from: 2024-03-01, to: 2024-03-02 }').event('Own')).toBe('Own')
})

test.each([
  ['properties', '$city', '$geoip_city_name'],
  ['properties', 'title', 'title'],
  ['properties', 'a.b', 'a.b'],
  ['properties', 'Plan', 'plan'],
  [undefined, 'Plan', 'plan'],
  ['properties', 'gone', undefined],
] as const)('the member %s %s becomes %s', (parent, name, final) => {
  const names = mapped('properties: { rename: { Plan: plan }, drop: [gone] }')
  expect(names.property(parent, name)).toBe(final)
})
