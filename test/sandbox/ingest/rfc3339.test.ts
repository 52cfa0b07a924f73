import { expect, test } from 'vitest'
import { parseRfc3339 } from '../../../src/sandbox/ingest/time.ts'

const micros = (text: string, extra = 0n) => BigInt(Date.parse(text)) * 1000n + extra

test.each([
  ['2024-03-01T12:34:56Z', micros('2024-03-01T12:34:56Z')],
  ['2024-03-01t12:34:56.7891239z', micros('2024-03-01T12:34:56.789Z', 123n)],
  ['2024-03-01 12:34:56.5-02:30', micros('2024-03-01T15:04:56.5Z')],
  ['0001-01-01T00:00:00Z', micros('0001-01-01T00:00:00Z')],
  ['1969-12-31T23:59:59.999999Z', -1n],
  ['2024-03-01T12:34:56', undefined],
  ['2024-03-01T12:34Z', undefined],
  ['2024-03-01', undefined],
  ['2024-02-30T00:00:00Z', undefined],
  ['2024-03-01T24:00:00Z', undefined],
  ['2024-03-01T12:34:56+0200', undefined],
  ['2024-03-01T12:34:56+02', undefined],
  ['2024-03-01T12:34:56+24:00', undefined],
  ['2024-03-01T12:34:56,5Z', undefined],
  ['1709294400', undefined],
  ['', undefined],
])('%s', (text, expected) => {
  expect(parseRfc3339(text)).toBe(expected)
})
