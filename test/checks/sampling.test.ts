import { expect, test } from 'vitest'
import { sampling } from '../../src/checks/value-check.ts'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { inputOf } from '../helpers/audit.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'

async function chosen(events: readonly TestEvent[], most: number): Promise<TestEvent[]> {
  const { days, takes } = await sampling(inputOf(events), most)
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

test('all events when there are no more', async () =>
  expect(await chosen(EVENTS, EVENTS.length)).toEqual(EVENTS))

test('as many as asked for, the first and the last among them, every name, and about 100 days', async () => {
  const sample = await chosen(EVENTS, 1000)
  expect(sample.length).toBeGreaterThan(900)
  expect(sample.length).toBeLessThanOrEqual(1000)
  expect(sample).toContain(EVENTS[0])
  expect(sample).toContain(EVENTS.at(-1))
  expect(new Set(sample.map(({ event }) => event))).toEqual(new Set(['even', 'odd', 'rare']))
  const days = new Set(sample.map(({ timestamp }) => timestamp.slice(0, 10)))
  expect(days.size).toBeGreaterThanOrEqual(100)
  expect(days.size).toBeLessThan(105)
})

test('the same each time', async () => expect(await chosen(EVENTS, 50)).toEqual(await chosen(EVENTS, 50)))

test.each([1, 2, 7])('only %i', async (most) => expect((await chosen(EVENTS, most)).length).toBe(most))

test('of more cells than memory should hold, events from the first day to the last', async () => {
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10)
  const sums = {
    events: 60 * 2_000,
    days: new Map(Array.from({ length: 60 }, (_, n) => [day(n), 2_000])),
    wholeDays: 0,
    merges: 0,
  }
  const one = new Fingerprint()
  one.count = 1
  async function* readDays() {
    for (const day of sums.days.keys())
      yield {
        day,
        cells: Array.from({ length: 2_000 }, (_, n) => ({ day, event: `name ${n}`, events: one })),
      }
  }
  const { days, takes } = await sampling({ sums, readDays }, 1000)
  const taken = [...sums.days.keys()].flatMap((day) =>
    Array.from({ length: 2_000 }, (_, n) => (takes(day, `name ${n}`) ? [day] : [])).flat(),
  )
  expect(taken).toHaveLength(1000)
  expect(days.size).toBe(60)
  expect([taken[0], taken.at(-1)]).toEqual([day(0), day(59)])
})
