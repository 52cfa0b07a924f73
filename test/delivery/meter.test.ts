import { expect, test } from 'vitest'
import { meterOf } from '../../src/delivery/meter.ts'

test.each([
  ['signup', {}, 'events'],
  ['$exception', {}, 'exceptions'],
  ['$ai_generation', {}, 'ai'],
  ['survey sent', {}, 'surveys'],
  ['survey sent', { $product_tour_id: 1 }, 'events'],
  // Looked for among the events, these would seem lost.
  ['$$heatmap', {}, undefined],
  ['$feature_flag_called', {}, undefined],
])('%s with %j counts on: %s', (event, properties, meter) => {
  expect(meterOf(event, properties)).toBe(meter)
})
