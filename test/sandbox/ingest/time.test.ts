import { describe, expect, test } from 'vitest'
import { eventTime, parseTimestamp } from '../../../src/sandbox/ingest/time.ts'

const NOW = Date.parse('2024-06-01T12:00:00Z')
const micros = (text: string, extra = 0n): bigint => BigInt(Date.parse(text)) * 1000n + extra

test.each([
  ['2024-03-01T12:34:56Z', micros('2024-03-01T12:34:56Z')],
  ['2024-03-01T12:34:56.789123Z', micros('2024-03-01T12:34:56.789Z', 123n)],
  ['2024-03-01T12:34:56.7891239Z', micros('2024-03-01T12:34:56.789Z', 123n)],
  ['2024-03-01T12:34:56.5+02:00', micros('2024-03-01T10:34:56.500Z')],
  ['2024-03-01 12:34:56', micros('2024-03-01T12:34:56Z')],
  ['2024-03-01', micros('2024-03-01T00:00:00Z')],
  ['1969-12-31T23:59:59.999999Z', -1n],
  ['2024-02-30T00:00:00Z', undefined],
  ['2024-03-01T25:61:00Z', undefined],
  ['1709294400', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('%s', (text, expected) => {
  expect(parseTimestamp(text)).toBe(expected)
})

describe('the time of an event', () => {
  const at = (timestamp: unknown, more: { offset?: unknown; sentAt?: number } = {}) =>
    eventTime({ timestamp, offset: undefined, sentAt: undefined, now: NOW, ...more })
  const now = BigInt(NOW) * 1000n

  test('is now when it has none, or none that can be read', () => {
    expect(at(undefined)).toBe(now)
    expect(at('soon')).toBe(now)
  })

  test('is now less the offset when it has only that', () => {
    expect(at(undefined, { offset: 1500 })).toBe(now - 1_500_000n)
  })

  test('may lie 23 hours ahead, and is now beyond that', () => {
    expect(at('2024-06-02T11:00:00Z')).toBe(micros('2024-06-02T11:00:00Z'))
    expect(at('2024-06-02T11:00:00.000001Z')).toBe(now)
    expect(at('2090-01-01T00:00:00Z')).toBe(now)
  })

  test('moves with a sender whose clock is more than 150 s off', () => {
    const timestamp = '2024-03-01T00:00:00Z'
    expect(at(timestamp, { sentAt: NOW - 150_000 })).toBe(micros(timestamp))
    expect(at(timestamp, { sentAt: NOW - 3_600_000 })).toBe(micros('2024-03-01T01:00:00Z'))
  })
})
