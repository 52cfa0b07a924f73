import { expect, test } from 'vitest'
import { countCell } from '../../src/service/query.ts'

test.each([
  [0, 0],
  [12, 12],
  ['12', 12],
])('the count %j', (cell, count) => {
  expect(countCell.parse(cell)).toBe(count)
})

test.each([-1, 1.5, '', '1e3', '-1', null])('%j is no count', (cell) => {
  expect(countCell.safeParse(cell).success).toBe(false)
})
