import { describe, expect, test } from 'vitest'
import {
  checkInstant,
  checkSize,
  cleanDistinctId,
  cleanEventName,
  scanRefusal,
  tooLongRefusal,
} from '../../src/record/rules.ts'
import { MICROS_PER_DAY } from '../../src/text/units.ts'

describe('cleanDistinctId', () => {
  test.each([
    ['u1', 'u1'],
    ['  u1\t\n', 'u1'],
    ['a b', 'a b'],
    ['\u0085u1\ufeff', 'u1'],
    [`u${' '.repeat(150)}1 `, `u${' '.repeat(150)}1`],
    ['a\0b\0', 'a\ufffdb\ufffd'],
    ['x'.repeat(200), 'x'.repeat(200)],
    [` ${'x'.repeat(200)} `, 'x'.repeat(200)],
    // Characters, not code units: the service counts them so.
    ['😀'.repeat(200), '😀'.repeat(200)],
  ])('%j', (text, cleaned) => expect(cleanDistinctId(text)).toBe(cleaned))

  test.each([
    ['', 'distinct_id_missing'],
    [' \t\u00a0', 'distinct_id_missing'],
    ['x'.repeat(201), 'distinct_id_too_long'],
    ['😀'.repeat(201), 'distinct_id_too_long'],
  ])('refuses %j', (text, reason) => expect(cleanDistinctId(text)).toMatchObject({ reason }))

  test('says how long it was', () => {
    expect(cleanDistinctId('😀'.repeat(201))).toMatchObject({
      message: expect.stringContaining('201 characters'),
    })
  })
})

describe('an event is called what the service will call it', () => {
  test.each([
    ['a\0b', 'a\ufffdb', false],
    ['a\nb😀', 'a\nb😀', false],
    ['x'.repeat(200), 'x'.repeat(200), false],
    ['x'.repeat(201), 'x'.repeat(200), true],
    ['ä'.repeat(100), 'ä'.repeat(100), false],
    [`x${'ä'.repeat(100)}`, `x${'ä'.repeat(99)}`, true],
    ['€'.repeat(67), '€'.repeat(66), true],
    // A character of four bytes, at each place where 200 can fall into it.
    [`${'😀'.repeat(50)}y`, '😀'.repeat(50), true],
    [`x${'😀'.repeat(50)}`, `x${'😀'.repeat(49)}`, true],
    [`xx${'😀'.repeat(50)}`, `xx${'😀'.repeat(49)}`, true],
    [`xxx${'😀'.repeat(50)}`, `xxx${'😀'.repeat(49)}`, true],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199), true],
    ['\0'.repeat(68), '\ufffd'.repeat(66), true],
    ['x'.repeat(5_000_000), 'x'.repeat(200), true],
  ] as const)('%.20j', (given, text, cut) => expect(cleanEventName(given)).toEqual({ text, cut }))
})

const HOUR = 3_600_000_000

describe('checkInstant', () => {
  const now = Date.UTC(2026, 0, 1) * 1000
  test.each([
    [MICROS_PER_DAY, undefined],
    [MICROS_PER_DAY - 1, 'timestamp_too_old'],
    [0, 'timestamp_too_old'],
    [-1, 'timestamp_too_old'],
    [Number.NaN, 'timestamp_too_old'],
    [now, undefined],
    [now + 22 * HOUR, undefined],
    // From 23 hours on the service would take it for now.
    [now + 22 * HOUR + 1, 'timestamp_in_future'],
    [Number.POSITIVE_INFINITY, 'timestamp_in_future'],
  ])('%d: %s', (instant, reason) => expect(checkInstant(instant, now)?.reason).toBe(reason))
})

test('an event may have 900,000 bytes', () => {
  expect(checkSize(900_000)).toBeUndefined()
  expect(checkSize(900_001)).toMatchObject({
    reason: 'event_too_large',
    message: expect.stringContaining('900001'),
  })
})

test('refusals say where, and how long', () => {
  expect(scanRefusal('bad_json', 7)).toEqual({
    reason: 'bad_json',
    message: 'not valid JSON (byte 7 of the line)',
  })
  expect(tooLongRefusal(99).message).toContain('99 bytes')
})
