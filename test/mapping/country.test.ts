import { describe, expect, test } from 'vitest'
import { countryCode, countryName } from '../../src/mapping/derived.ts'
import { events } from '../../src/presets/events.ts'
import { propertiesOf } from '../presets/map-one.ts'

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
