import { expect, test } from 'vitest'
import { heap } from '../../src/presets/heap.ts'
import { mapOne, propertiesOf } from './map-one.ts'

const click = {
  $table: 'checkout_click_buy',
  event_id: 3105879132479205,
  user_id: 5,
  session_id: 9,
  time: '2024-06-01 08:22:03.456000',
  type: 'click',
}
const labels = { switches: ['labels'] }

test.each([
  ['a number', click],
  ['text, as in CSV', { ...click, event_id: '3105879132479205', time: '2024-06-01 08:22:03.456000 UTC' }],
  ['a migrated user', { ...click, user_id: 6, joined_migration: { from_user_id: 6, to_user_id: 7 } }],
  ['a table with its schema', { ...click, $table: 'MAIN_PRODUCTION.CHECKOUT_CLICK_BUY' }],
])('the uuid is a function of table, id and time: %s', (_, record) => {
  const { event } = mapOne(heap, record, labels)
  expect(event?.uuid).toBe('b4fc3d9d-6dbe-55a9-b11e-014e5983dc39')
})

test('labels are left out until they are asked for, since they overlap; what a program sent is not', () => {
  expect(mapOne(heap, click).mapped).toMatchObject({ status: 'filtered', reason: 'label_not_asked_for' })
  expect(mapOne(heap, { ...click, type: 'Order (paid)', $table: 'order_paid_' }).event?.event).toBe(
    'order_paid_',
  )
  expect(mapOne(heap, { ...click, type: 'Order', $table: 'all_orders' }).mapped.status).toBe('filtered')
})

test.each(['sessions', 'user_migrations', '_event_metadata'])('rows of %s are no events', ($table) => {
  expect(mapOne(heap, { ...click, $table }).mapped).toMatchObject({ status: 'filtered' })
})

test('a session that began later than the event gives no $session_id, and is counted', () => {
  const page = {
    ...click,
    $table: 'pageviews',
    type: 'view page',
    joined_session: { time: '2024-06-01 09:00:00' },
  }
  expect(propertiesOf(heap, page)).not.toHaveProperty('$session_id')
})
