import { expect, test } from 'vitest'
import { mixpanel } from '../../../src/mapping/presets/mixpanel.ts'
import { mapOne } from './map-one.ts'

const IOS = '4F3C2B1A-9D8E-4C7B-A6F5-1E2D3C4B5A69'

test.each([
  // properties: distinct_id, anonymous id to link
  [{ distinct_id: 'u' }, 'u', undefined],
  [{ distinct_id: '$device:d' }, 'd', undefined],
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
  expect(mapped).toMatchObject({ status: 'event', distinctId, anonymousId })
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

test.each([['["a"]'], ['["a",""]'], ['["a",7]'], ['"a"'], ['{}']])('$merge of %s is refused', (ids) => {
  const record = `{"event":"$merge","properties":{"time":1709300000,"distinct_id":"a","$distinct_ids":${ids}}}`
  const { mapped } = mapOne(mixpanel, record, { switches: ['merge-dangerously'] })
  expect(mapped).toMatchObject({ status: 'rejected', reason: 'distinct_id_missing' })
})
