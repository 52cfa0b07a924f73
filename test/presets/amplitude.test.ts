import { describe, expect, test } from 'vitest'
import { amplitude } from '../../src/presets/amplitude.ts'
import { mapOne, propertiesOf } from './map-one.ts'

const base = {
  event_type: 'E',
  event_time: '2024-03-01 12:00:00.000000',
  device_id: 'd',
  uuid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
}

describe('the browser and the system', () => {
  test.each([
    // platform, os_name, device_family, device_type: what they become
    [
      'Web',
      'Chrome',
      'Mac OS X',
      'Mac OS X',
      { $browser: 'Chrome', $os: 'Mac OS X', $device_type: 'Desktop' },
    ],
    ['Web', 'Chrome', null, 'Windows', { $browser: 'Chrome', $os: 'Windows', $device_type: 'Desktop' }],
    ['web', 'Edge', 'Linux', null, { $browser: 'Microsoft Edge', $os: 'Linux', $device_type: 'Desktop' }],
    [
      'Mobile Web',
      'Safari',
      'iOS',
      'Apple iPad',
      { $browser: 'Mobile Safari', $os: 'iOS', $device: 'Apple iPad', $device_type: 'Tablet' },
    ],
    ['iOS', 'ios', null, 'Apple iPhone', { $os: 'iOS', $device: 'Apple iPhone', $device_type: 'Mobile' }],
    [
      'Android',
      'android',
      'Samsung Galaxy Phone',
      'SM-G991B',
      {
        $os: 'Android',
        $device: 'SM-G991B',
        $amplitude_device_family: 'Samsung Galaxy Phone',
        $device_type: 'Mobile',
      },
    ],
    ['Android', 'android', null, null, { $os: 'Android', $device_type: 'Mobile' }],
    ['tvOS', 'tvos', null, 'Apple TV', { $os: 'tvos', $device: 'Apple TV' }],
    [null, 'linux', null, null, { $os: 'Linux' }],
    [null, null, null, null, {}],
  ])('%s %s %s %s', (platform, os_name, device_family, device_type, expected) => {
    const properties = propertiesOf(amplitude, { ...base, platform, os_name, device_family, device_type })
    const { $browser, $os, $device, $device_type, $amplitude_device_family: family } = properties
    const told = { $browser, $os, $device, $device_type, $amplitude_device_family: family }
    expect(JSON.parse(JSON.stringify(told))).toEqual(expected)
  })

  test.each([
    ['amplitude-js/8.21.9', true],
    ['amplitude-ts/2.11.0', true],
    ['amplitude-node-ts/1.3.5', false],
    ['amplitude-react-native-ts/1.4.11', false],
    ['amplitude-python/1.1.4', false],
    [null, false],
  ])('without a platform, %s runs in a browser: %s', (library, isWeb) => {
    const properties = propertiesOf(amplitude, { ...base, library, os_name: 'Chrome', os_version: '122' })
    expect(properties.$browser === 'Chrome').toBe(isWeb)
    expect(properties.$os_version === '122').toBe(!isWeb)
  })
})

test.each([
  ['1709290000123', '018df99f-8efb-7'],
  // Longer ago than 24 hours: the last of these before the event.
  ['999999999999', '018df7b1-2bff-7'],
  ['-1', undefined],
  ['0', undefined],
  ['77', undefined],
  ['17092900001234', undefined],
])('session %s', (session_id, start) => {
  const properties = propertiesOf(amplitude, { ...base, session_id: Number(session_id) })
  const id = properties.$session_id
  expect(start === undefined ? id : String(id).slice(0, 15)).toBe(start)
  expect(properties.$amplitude_session_id).toBe(Number(session_id) > 0 ? Number(session_id) : undefined)
})

test('a session of another device is another session', () => {
  const [one, other] = ['d', 'e'].map(
    (device_id) => propertiesOf(amplitude, { ...base, device_id, session_id: 1709290000123 }).$session_id,
  )
  expect(String(one).slice(0, 14)).toBe(String(other).slice(0, 14))
  expect(one).not.toBe(other)
})

test.each([
  [{ org: ['a', 'b'] }, { org: 'a' }],
  [{ org: 'a', plan: [] }, { org: 'a' }],
  [
    { org: [12], plan: [null, '', 'pro'] },
    { org: '12', plan: 'pro' },
  ],
  [{ org: [{ deep: 1 }] }, undefined],
  ['nonsense', undefined],
])('groups %j: member of %j', (groups, expected) => {
  expect(propertiesOf(amplitude, { ...base, groups }).$groups).toEqual(expected)
})

test.each([
  ['{"acme":{"seats":5}}', undefined],
  ['{"acme":null}', undefined],
  ['{"acme":5}', 'group_properties_not_an_object'],
  ['{"acme":{},"name":"Acme"}', 'group_properties_not_an_object'],
])('properties of groups %s: a reject for %s', (company, reason) => {
  const group_properties = { company: JSON.parse(company) }
  for (const event_type of ['a', '$groupidentify']) {
    const { mapped } = mapOne(amplitude, {
      ...base,
      event_type,
      groups: { company: 'acme' },
      group_properties,
    })
    expect(mapped).toMatchObject(reason === undefined ? { status: 'event' } : { status: 'rejected', reason })
  }
})
