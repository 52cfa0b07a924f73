import { expect, test } from 'vitest'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { mapOne } from './map-one.ts'

const IOS = '4F3C2B1A-9D8E-4C7B-A6F5-1E2D3C4B5A69'

test.each([
  // properties: distinct_id, anonymous id to link
  [{ distinct_id: 'u' }, 'u', undefined],
  [{ distinct_id: '$device:d' }, 'd', undefined],
  [{ distinct_id: '$device:$device:d', $device_id: '$device:d' }, 'd', undefined],
  [{ distinct_id: 'u', $device_id: '$device:$device:d' }, 'u', 'd'],
  [{ distinct_id: '$device:d', $device_id: 'd' }, 'd', undefined],
  [{ distinct_id: 'u', $device_id: '$device:d' }, 'u', 'd'],
  [{ distinct_id: '$device:d', $distinct_id_before_identity: 'u', $device_id: 'd' }, 'u', 'd'],
  [{ distinct_id: IOS, $distinct_id_before_identity: 'u' }, 'u', undefined],
  [{ distinct_id: IOS, $distinct_id_before_identity: '$device:u' }, 'u', undefined],
  [{ distinct_id: IOS }, IOS, undefined],
  [{ distinct_id: IOS.toLowerCase(), $distinct_id_before_identity: 'u' }, IOS.toLowerCase(), undefined],
  [{ distinct_id: 'Order-7', $distinct_id_before_identity: 'u' }, 'Order-7', undefined],
  [{ distinct_id: '2024-03-01', $distinct_id_before_identity: 'u' }, '2024-03-01', undefined],
  [{ distinct_id: '', $distinct_id_before_identity: 'u', $user_id: 'v' }, 'u', undefined],
  [{ distinct_id: null, $user_id: 'v', $device_id: 'd' }, 'v', 'd'],
  [{ $device_id: 'd' }, 'd', undefined],
  [{ distinct_id: 12 }, '12', undefined],
])('%j is %s, linked to %s', (properties, distinctId, anonymousId) => {
  const { mapped } = mapOne(mixpanel, { event: 'E', properties: { time: 1709300000, ...properties } })
  const link = anonymousId === undefined ? undefined : { anonymous: { text: anonymousId } }
  expect(mapped).toMatchObject({ status: 'event', distinctId, link })
})

const GENERATED = '18f0a1b2c3d4e5-0a1b2c3d4e5f60-26031e51-1fa400-18f0a1b2c3e7f8'

test.each([
  // event, properties: the user and the anonymous id that are linked
  ['E', { distinct_id: '$device:d', $device_id: 'd', $user_id: 'u' }, ['u', 'd']],
  ['E', { $device_id: 'd', $user_id: 'd' }, undefined],
  ['E', { $device_id: 'd', $user_id: '$device:d' }, undefined],
  ['E', { distinct_id: '$device:d', $device_id: 'd', $user_id: '$device:$device:e' }, ['e', 'd']],
  ['E', { distinct_id: 'd', $device_id: 'd', $user_id: 'null' }, undefined],
  ['E', { distinct_id: 'd', $device_id: 'd', $user_id: ' ' }, undefined],
  ['E', { distinct_id: 'u', $device_id: 'v', $had_persisted_distinct_id: true }, undefined],
  ['E', { distinct_id: 'u', $device_id: 'v', $had_persisted_distinct_id: false }, ['u', 'v']],
  ['E', { distinct_id: 'u', $device_id: GENERATED, $had_persisted_distinct_id: true }, ['u', GENERATED]],
  ['E', { distinct_id: 'u', $device_id: IOS, $had_persisted_distinct_id: 'true' }, ['u', IOS]],
  ['E', { distinct_id: '$device:d', $distinct_id_before_identity: 'u' }, ['u', 'd']],
  ['E', { distinct_id: 'u', $distinct_id_before_identity: '$device:d' }, ['u', 'd']],
  ['E', { distinct_id: '$device:d', $distinct_id_before_identity: '$device:e' }, undefined],
  // The service's importer reads text only.
  ['E', { distinct_id: '$device:d', $distinct_id_before_identity: 12, $device_id: 'd' }, undefined],
  ['$identify', { distinct_id: 'u', $anon_distinct_id: 'd' }, ['u', 'd']],
  ['$identify', { distinct_id: 'u', $anon_distinct_id: '$device:d', $device_id: 'e' }, ['u', 'd']],
  ['$identify', { distinct_id: 'u', $anon_distinct_id: GENERATED, $device_id: 'e' }, ['u', GENERATED]],
  // Another user of the same browser.
  ['$identify', { distinct_id: 'u', $anon_distinct_id: 'v', $device_id: 'e' }, ['u', 'e']],
  ['$identify', { distinct_id: 'u', $anon_id: 'd', $anon_distinct_id: 'e' }, ['u', 'd']],
  ['$identify', { $identified_id: '$device:$device:e', $anon_id: '$device:d' }, ['e', 'd']],
  ['E', { distinct_id: 'u', $anon_distinct_id: 'd' }, undefined],
])('%s of %j links %j', (event, properties, expected) => {
  const record = { event, properties: { time: 1709300000, $os: 'Linux', ...properties } }
  const { mapped } = mapOne(mixpanel, record)
  if (mapped.status !== 'event') throw new Error(JSON.stringify(mapped))
  const { link } = mapped
  expect(link && [link.user.text, link.anonymous.text]).toEqual(expected)
})

test.each([
  [{}, undefined],
  [{ $device_id: 'd' }, ['u', 'd', 1709300000_000000]],
])('$identify of %j sets nothing and is left out, and links %j', (properties, expected) => {
  const record = { event: '$identify', properties: { time: 1709300000, distinct_id: 'u', ...properties } }
  const { mapped } = mapOne(mixpanel, record)
  if (mapped.status !== 'filtered') throw new Error(JSON.stringify(mapped))
  const { link, reason, distinctId } = mapped
  expect([reason, distinctId]).toEqual(['nothing_to_set', 'u'])
  expect(link && [link.user.text, link.anonymous.text, link.instant]).toEqual(expected)
})

test.each([
  [87.5, 0.875],
  ['33', 0.33],
  [0, 0],
  ['most', undefined],
  [null, undefined],
])('a page read to %j percent was read to %j of it', (percent, share) => {
  const properties = { time: 1709300000, distinct_id: 'u', $max_scroll_percentage: percent }
  const { event } = mapOne(mixpanel, { event: '$mp_page_leave', properties })
  expect(event?.properties.$prev_pageview_max_scroll_percentage).toBe(share)
})

test.each([
  [1709295296, undefined, '2024-03-01T12:14:56.000000Z'],
  ['1709295296', undefined, '2024-03-01T12:14:56.000000Z'],
  [1709295296.5, undefined, '2024-03-01T12:14:56.500000Z'],
  [1709295296789, undefined, '2024-03-01T12:14:56.789000Z'],
  [1709295296789.25, undefined, '2024-03-01T12:14:56.789250Z'],
  ['2024-03-01 12:14:56', undefined, '2024-03-01T12:14:56.000000Z'],
  // A wall clock in the zone, and one that says its offset.
  [1709295296, 'Asia/Kolkata', '2024-03-01T06:44:56.000000Z'],
  ['2024-03-01 12:14:56', 'Asia/Kolkata', '2024-03-01T06:44:56.000000Z'],
  ['2024-03-01T12:14:56+01:00', 'Asia/Kolkata', '2024-03-01T11:14:56.000000Z'],
])('time %s in %s is %s', (time, sourceTimezone, expected) => {
  const { event } = mapOne(
    mixpanel,
    { event: 'E', properties: { time, distinct_id: 'u' } },
    { sourceTimezone },
  )
  expect(event?.timestamp).toBe(expected)
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'an event called %s is an event',
  (event) => {
    const { event: mapped } = mapOne(mixpanel, { event, properties: { time: 1709300000, distinct_id: 'u' } })
    expect(mapped?.event).toBe(event)
    expect(mapped?.properties).not.toHaveProperty('$event_type')
  },
)

test.each([
  [{ $distinct_id: '$device:d' }, 'd'],
  [{ $distinct_id: '$device:$device:d' }, 'd'],
  [{ $distinct_id: 'u' }, 'u'],
  // A group's key is no id.
  [{ $distinct_id: '$device:d', $group_type: 'tablet' }, '$tablet_$device:d'],
])('the profile %j is of %s', (profile, distinctId) => {
  const { event } = mapOne(mixpanel, { ...profile, $properties: { $last_seen: '2024-03-01T10:00:00', a: 1 } })
  expect(event?.distinct_id).toBe(distinctId)
})

test.each([['["a"]'], ['["a",""]'], ['["a",7]'], ['"a"'], ['{}']])('$merge of %s is refused', (ids) => {
  const record = `{"event":"$merge","properties":{"time":1709300000,"distinct_id":"a","$distinct_ids":${ids}}}`
  const { mapped } = mapOne(mixpanel, record, { switches: ['merge-dangerously'] })
  expect(mapped).toMatchObject({ status: 'rejected', reason: 'distinct_id_missing' })
})
