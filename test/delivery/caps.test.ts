import { expect, test } from 'vitest'
import { youngSince } from '../../src/delivery/caps.ts'

test('events are young for 48 hours', () => {
  expect(youngSince(Date.UTC(2024, 0, 3, 12))).toBe(Date.UTC(2024, 0, 1, 12) * 1000)
})
