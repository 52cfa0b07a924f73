import { expect, test } from 'vitest'
import { number } from '../../src/text/words.ts'

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [20_000_000, '20,000,000'],
  [-1234.5, '-1,234'],
  [123_456.5, '123,457'],
])('%d is read as %s', (value, text) => {
  expect(number(value)).toBe(text)
})
