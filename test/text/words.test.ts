import { expect, test } from 'vitest'
import { bytes, number, plural, span } from '../../src/text/words.ts'

test.each([
  [number, 0, '0'],
  [number, 999, '999'],
  [number, 1000, '1,000'],
  [number, 20_000_000, '20,000,000'],
  [number, -1234.5, '-1,234'],
  [number, 123_456.5, '123,457'],
  [span, 0, '0 s'],
  [span, 200, '1 s'],
  [span, 59_000, '59 s'],
  [span, 60_000, '1 min'],
  [span, 61_000, '1 min 1 s'],
  [span, 12_000_000, '3 h 20 min'],
  [span, 180_000_000, '2 days 2 h'],
  [bytes, 0, '0 B'],
  [bytes, 1023, '1023 B'],
  [bytes, 1024, '1.0 KiB'],
  [bytes, 8 * 1024 ** 2, '8.0 MiB'],
  [bytes, 200 * 1024 ** 3, '200 GiB'],
  [(value: number) => plural(value, 'batch', 'batches'), 1, '1 batch'],
  [(value: number) => plural(value, 'reject'), 2000, '2,000 rejects'],
])('%o reads %d as %s', (say, value, text) => expect(say(value)).toBe(text))
