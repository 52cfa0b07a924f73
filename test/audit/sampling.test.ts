import { expect, test } from 'vitest'
import { sampling } from '../../src/audit/sampling.ts'
import { inputOf } from '../helpers/audit.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'

function chosen(events: readonly TestEvent[], most: number): TestEvent[] {
  const { days, takes } = sampling(inputOf(events).cells, most)
  return events.filter(({ timestamp, event }) => {
    const day = timestamp.slice(0, 10)
    return days.has(day) && takes(day, event)
  })
}

/** Events of 300 days, and one name that is on a single day. */
const EVENTS = Array.from({ length: 300 }, (_, day) =>
  Array.from({ length: 20 }, (_, n) => ({
    ...makeEvent(day * 20 + n),
    event: n % 2 ? 'odd' : 'even',
    timestamp: `${new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)}T00:00:${String(n).padStart(2, '0')}.000000Z`,
  })),
).flat()
EVENTS[2500] = { ...EVENTS[2500]!, event: 'rare' }

test('all events when there are no more', () => expect(chosen(EVENTS, EVENTS.length)).toEqual(EVENTS))

test('as many as asked for, the first and the last among them, every name, and about 100 days', () => {
  const sample = chosen(EVENTS, 1000)
  expect(sample.length).toBeGreaterThan(900)
  expect(sample.length).toBeLessThanOrEqual(1000)
  expect(sample).toContain(EVENTS[0])
  expect(sample).toContain(EVENTS.at(-1))
  expect(new Set(sample.map(({ event }) => event))).toEqual(new Set(['even', 'odd', 'rare']))
  const days = new Set(sample.map(({ timestamp }) => timestamp.slice(0, 10)))
  expect(days.size).toBeGreaterThanOrEqual(100)
  expect(days.size).toBeLessThan(105)
})

test('the same each time', () => expect(chosen(EVENTS, 50)).toEqual(chosen(EVENTS, 50)))

test.each([1, 2, 7])('only %i', (most) => expect(chosen(EVENTS, most).length).toBe(most))
