import { expect, test } from 'vitest'
import { segment } from '../../src/presets/segment.ts'
import { segmentWarehouse } from '../../src/presets/segment-warehouse.ts'
import { mapOne } from './map-one.ts'

const CALL = {
  type: 'track',
  messageId: '022bb90c-bbac-11e4-8dfc-aa07a5b093db',
  event: 'Order Completed',
  userId: 'user-42',
  anonymousId: 'a-1',
  timestamp: '2024-06-01T08:22:03.456Z',
  properties: { total: 49.9, url: 'https://shop.example.com/done' },
  context: {
    ip: '203.0.113.7',
    page: { path: '/done' },
    traits: { plan: 'team' },
    groupId: 'acme',
    constructor: 'x',
  },
}

const ROW = {
  id: '022bb90c-bbac-11e4-8dfc-aa07a5b093db',
  uuid: 17,
  event: 'order_completed',
  event_text: 'Order Completed',
  user_id: 'user-42',
  anonymous_id: 'a-1',
  timestamp: '2024-06-01 08:22:03.456+00',
  total: 49.9,
  url: 'https://shop.example.com/done',
  context_ip: '203.0.113.7',
  context_page_path: '/done',
  context_traits_plan: 'team',
  context_group_id: 'acme',
  context_constructor: 'x',
}

test('a row is the event that the call is, with the uuid that the service’s destination gave it', () => {
  const [call, row] = [mapOne(segment, CALL).event!, mapOne(segmentWarehouse, ROW).event!]
  expect(row.uuid).toBe('38c091ab-1857-58c9-bf58-b98a022f95dd')
  const { analytics_source: _, ...properties } = row.properties
  expect({ ...row, properties }).toEqual({ ...call, properties: expect.objectContaining(properties) })
  expect(Object.keys(call.properties)).toHaveLength(Object.keys(row.properties).length)
})

test('a row of tracks gives way to the one of the event’s own table, and no other row does', () => {
  const { total, url, ...poor } = ROW
  const givesWay = (record: object) => {
    const { mapped } = mapOne(segmentWarehouse, record)
    return mapped.status === 'event' && mapped.givesWay
  }
  expect(givesWay(poor)).toBe(true)
  expect(givesWay(ROW)).toBe(false)
  expect(givesWay({ $table: 'pages', ...poor, event: null, event_text: null })).toBe(false)
})

test('the state of a user is one event in any order of columns, and out of CSV', () => {
  const user = {
    $table: 'users',
    id: 'u-1',
    email: 'a@example.com',
    seats: 3,
    received_at: '2024-06-01T08:00:00Z',
  }
  const uuid = mapOne(segmentWarehouse, user).event!.uuid
  const { $table, ...rest } = user
  const csv = { ...Object.fromEntries(Object.entries(rest).reverse()), seats: '3', $table }
  expect(mapOne(segmentWarehouse, csv).event!.uuid).toBe(uuid)
  expect(mapOne(segmentWarehouse, { ...user, seats: 4 }).event!.uuid).not.toBe(uuid)
})
