import { expect, test } from 'vitest'
import { live } from '../helpers/sandbox-life.ts'

test('a sandbox that is asked much stays small, and a query that fails spoils no other', async () => {
  const { end } = await live({ events: 6000, queries: 150, verifies: 4 })
  expect(end.peak).toBeLessThan(512)
})
