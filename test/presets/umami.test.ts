import { expect, test } from 'vitest'
import { umami } from '../../src/presets/umami.ts'
import { folded, mapOne } from './map-one.ts'

test('rows of event_data fold into an object with values of their types', () => {
  const row = { event_id: 'e', string_value: '', number_value: '', date_value: '' }
  expect(
    folded(umami, 'event_data', [
      { ...row, data_key: 'plan', data_type: '1', string_value: 'pro' },
      { ...row, data_key: 'total', data_type: 2, string_value: '19.9900', number_value: 19.99 },
      { ...row, data_key: 'seats', data_type: '2', string_value: '3.0000', number_value: '3' },
      { ...row, data_key: 'paid', data_type: '3', string_value: 'true' },
      { ...row, data_key: 'at', data_type: '4', string_value: '2025', date_value: '2025-03-01 10:00:00' },
      { ...row, data_key: 'tags', data_type: '5', string_value: '["a",\n1]' },
      { ...row, data_key: 'odd', data_type: '5', string_value: '[cut' },
      { ...row, data_key: 'none', data_type: '1' },
    ]),
  ).toEqual({
    plan: 'pro',
    total: 19.99,
    seats: 3,
    paid: true,
    at: '2025-03-01 10:00:00',
    tags: ['a', 1],
    odd: '[cut',
  })
})

test('a visit begins with the earliest of its rows, in whatever order and form they come', () => {
  const times = ['2025-03-01 10:00:00', '2025-03-01 10:58:00+01', 'no time', '2025-03-01 09:59:00', '']
  const rows = times.map((created_at) => ({ created_at }))
  expect(folded(umami, 'visits', rows)).toEqual({ created_at: '2025-03-01 10:58:00+01' })
  expect(folded(umami, 'visits', rows.reverse())).toEqual({ created_at: '2025-03-01 10:58:00+01' })
})

test('visitors without an identity are counted for the user', () => {
  const view = {
    event_id: '5c77f0de-31b4-4c4a-9a44-0a9b7d1f2e10',
    session_id: 's',
    created_at: '2025-03-01 10:00:00',
  }
  expect(mapOne(umami, view).event).toMatchObject({
    distinct_id: 'umami:s',
    properties: { $process_person_profile: false },
  })
  const known = mapOne(umami, { ...view, distinct_id: 'ada' }).event
  expect(known?.distinct_id).toBe('ada')
  expect(known?.properties).not.toHaveProperty('$process_person_profile')
})
