import { expect, test } from 'vitest'
import { UuidsSeen } from '../../src/checks/uuids-seen.ts'
import { eventLine, headed, makeEvent, type TestEvent } from '../helpers/events.ts'

/** What is said of events, the nth of which is in line n + 1 of one file, or where it is said. */
function seen(events: readonly TestEvent[], { slots, file }: { slots?: number; file?: string } = {}) {
  const uuids = new UuidsSeen(slots)
  for (const [n, event] of events.entries()) uuids.look(...headed(event), { file, line: n + 1 })
  return uuids.total
}

const one = makeEvent(1)
const other = { ...makeEvent(2), uuid: one.uuid }
const none = { distinct_id: 0, event: 0, timestamp: 0 }

test('an event that comes twice is one event', () => {
  const nothing = { count: 0, by: none, example: undefined, isEstimated: false }
  expect(seen([one, makeEvent(2), one])).toEqual(nothing)
})

test('also where other properties are in it, which PostHog does not look at', () => {
  expect(seen([one, { ...one, properties: { n: 2 } }]).count).toBe(0)
})

test.each([
  ['distinct_id', 'two persons', { distinct_id: 'somebody' }],
  ['event', 'two names', { event: 'other' }],
  ['timestamp', 'two times', { timestamp: '2024-01-01T00:00:01.000001Z' }],
] as const)('two events under one uuid that differ in %s', (field, words, change) => {
  const { count, by, example } = seen([makeEvent(5), one, { ...one, ...change }, one])
  expect([count, by]).toEqual([1, { ...none, [field]: 1 }])
  expect(example).toBe(`${one.uuid}: ${words}, lines 2 and 3`)
})

test('one that differs in all is one uuid', () => {
  expect(seen([one, other])).toMatchObject({ count: 1, by: { distinct_id: 1, timestamp: 1 } })
})

test('one text spelled in two ways is one text', () => {
  const uuids = new UuidsSeen()
  const spelled = [`"distinct_id":"\\u0075ser-1"`, '"distinct_id":"user-1"']
  for (const [n, id] of spelled.entries()) {
    const line = eventLine(one).replace('"distinct_id":"user-1"', id)
    uuids.look(...headed(line), { file: undefined, line: n + 1 })
  }
  expect(uuids.total.count).toBe(0)
})

test('lines of several files are named with them', () => {
  const uuids = new UuidsSeen()
  uuids.look(...headed(makeEvent(7)), { file: 'a', line: 8 })
  uuids.look(...headed(one), { file: 'b', line: 3 })
  uuids.look(...headed(makeEvent(9)), { file: 'b', line: 4 })
  uuids.look(...headed({ ...one, event: 'x' }), { file: 'c', line: 1 })
  expect(uuids.total.example).toBe(`${one.uuid}: two names, line 3 of b and line 1 of c`)
})

test('many uuids are told apart, and more than the table holds are estimated in the same memory', () => {
  const twice = (n: number) => [makeEvent(n), { ...makeEvent(n), distinct_id: 'x' }]
  const events = Array.from({ length: 20_000 }, (_, n) => (n % 10 === 0 ? twice(n) : [makeEvent(n)])).flat()
  expect(seen(events)).toMatchObject({ count: 2000, isEstimated: false })
  const { count, isEstimated } = seen(events, { slots: 2 ** 13 })
  expect(isEstimated).toBe(true)
  expect(count).toBeGreaterThan(1500)
  expect(count).toBeLessThan(2500)
})
