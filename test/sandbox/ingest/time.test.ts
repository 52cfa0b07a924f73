import { describe, expect, test } from 'vitest'
import { eventTime } from '../../../src/sandbox/ingest/time.ts'

const NOW = Date.parse('2024-06-01T12:00:00Z')
const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n

describe('the time of an event', () => {
  const at = (timestamp: unknown, more: { offset?: unknown; sentAt?: bigint } = {}) =>
    eventTime({ timestamp, offset: undefined, sentAt: undefined, now: NOW, ...more }).micros
  const now = BigInt(NOW) * 1000n

  test('is now when it has none, or none that can be read', () => {
    expect(at(undefined)).toBe(now)
    expect(at('soon')).toBe(now)
  })

  test('is now less the offset where there is one', () => {
    expect(at(undefined, { offset: 1500 })).toBe(now - 1_500_000n)
    expect(at('2024-03-01T00:00:00Z', { offset: 1500 })).toBe(now - 1_500_000n)
  })

  test('may lie 23 hours ahead, and is now beyond that', () => {
    expect(at('2024-06-02T11:00:00Z')).toBe(micros('2024-06-02T11:00:00Z'))
    expect(at('2024-06-02T11:00:00.000001Z')).toBe(now)
    expect(at('2090-01-01T00:00:00Z')).toBe(now)
  })

  test('moves with the clock of the sender, however little that is off', () => {
    const timestamp = '2024-03-01T00:00:00Z'
    expect(at(timestamp, { sentAt: now + 40n })).toBe(micros(timestamp) - 40n)
    expect(at(timestamp, { sentAt: now - 3_600_000_000n })).toBe(micros('2024-03-01T01:00:00Z'))
  })

  test('is 1970 where it falls out of the years that the service keeps', () => {
    expect(at('0000-01-01T00:00:00Z')).toBe(micros('0000-01-01T00:00:00Z'))
    expect(at('0000-01-01T00:00:00Z', { sentAt: now + 1n })).toBe(0n)
  })
})
