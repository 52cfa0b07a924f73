import { expect, test } from 'vitest'
import { Fingerprint, type FingerprintText } from '../../src/record/fingerprint.ts'

// Computed by ClickHouse 18.16 with groupBitXor, sum and reinterpretAsUInt64(unhex(…)) over SELECT DISTINCT.
const UUIDS = [
  '018cc251-f400-7abc-8def-0123456789ab',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  '00000000-0000-5000-8000-000000000001',
]
const TEXT: FingerprintText = {
  xor: ['4856568198821934078', '6158277468814708914'],
  sum: ['13554147077868653568', '12432581792970698700'],
}

function of(...uuids: readonly string[]): Fingerprint {
  const fingerprint = new Fingerprint()
  for (const uuid of uuids) fingerprint.add(Buffer.from(`>${uuid}`), 1)
  return fingerprint
}

test('is what a real ClickHouse computes', () => {
  expect(of(...UUIDS).text).toEqual(TEXT)
  expect(of(...UUIDS).count).toBe(3)
})

test('does not depend on the order, and adds up over parts of the set', () => {
  const [a, b, c] = UUIDS as [string, string, string]
  expect(of(c, a, b).text).toEqual(TEXT)
  const whole = of(b)
  whole.merge(of(a, c))
  expect([whole.count, whole.text]).toEqual([3, TEXT])
})

test('comes back from its text', () => {
  const again = Fingerprint.of(3, TEXT)
  expect([again.count, again.text]).toEqual([3, TEXT])
  const empty = new Fingerprint()
  expect(empty.text).toEqual({ xor: ['0', '0'], sum: ['0', '0'] })
  const [a, b, c] = UUIDS as [string, string, string]
  const sum = Fingerprint.of(2, of(a, b).text)
  sum.merge(of(c))
  expect(sum.text).toEqual(TEXT)
})

test('tells sets apart that differ in one uuid, or hold one twice', () => {
  const [a, b, c] = UUIDS as [string, string, string]
  expect(of(a, b).text).not.toEqual(of(a, c).text)
  expect(of(a, b, b, b).text.xor).toEqual(of(a, b).text.xor)
  expect(of(a, b, b, b).text.sum).not.toEqual(of(a, b).text.sum)
})

test.each(['-1', '18446744073709551616', 'x'])('refuses %s as a half', (half) => {
  expect(() => Fingerprint.of(1, { ...TEXT, xor: [half, '0'] })).toThrow()
})

test('tells times by their uuids, to the microsecond and in any order', () => {
  const micros = 1_709_294_400_000_000
  const timed = (...members: readonly [number, number][]) => {
    const fingerprint = new Fingerprint()
    for (const [id, instant] of members) fingerprint.addTime(Uint32Array.of(id, 0, 7, 9), 0, instant)
    return fingerprint
  }
  const two = timed([1, micros], [2, micros + 5])
  expect(timed([2, micros + 5], [1, micros]).times).toBe(two.times)
  expect(timed([1, micros + 1], [2, micros + 5]).times).not.toBe(two.times)
  // The same times, of the other event each.
  expect(timed([1, micros + 5], [2, micros]).times).not.toBe(two.times)
  const merged = timed([1, micros])
  merged.merge(timed([2, micros + 5]))
  expect(merged.times).toBe(two.times)
})
