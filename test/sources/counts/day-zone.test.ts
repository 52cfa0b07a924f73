import { describe, expect, test } from 'vitest'
import { daysFrom, runsOf, SlotTotals, spanOfDay, zoneOfDays } from '../../../src/sources/counts/day-zone.ts'
import { SLOT_MS } from '../../../src/sources/counts/part-counts.ts'
import { seeded } from '../../helpers/random.ts'
import { dayIn } from '../../helpers/vendors/days.ts'

const START = Date.UTC(2024, 1, 20)
const DAY = 86_400_000
const DAYS = 40

/** Events of 40 days around the change of clocks of 2024, few at night. */
function history(perDay: number, days = DAYS): number[] {
  const random = seeded(perDay)
  return Array.from({ length: perDay * days }, () => {
    return START + Math.floor(random() * days) * DAY + Math.floor((random() + random()) * 0.5 * DAY)
  })
}

function totals(times: readonly number[]): SlotTotals {
  const slots = new Map<number, number>()
  for (const time of times) {
    const slot = Math.floor(time / SLOT_MS)
    slots.set(slot, (slots.get(slot) ?? 0) + 1)
  }
  return new SlotTotals(slots)
}

function report(times: readonly number[], zone: string, days = DAYS): Map<string, number> {
  const last = new Date(START + (days - 1) * DAY).toISOString().slice(0, 10)
  const counts = new Map(daysFrom('2024-02-20', last).map((day) => [day, 0]))
  /** Zones begin their days with a quarter of an hour. */
  const dayOfSlot = new Map<number, string>()
  for (const time of times) {
    const slot = Math.floor(time / SLOT_MS)
    if (!dayOfSlot.has(slot)) dayOfSlot.set(slot, dayIn(zone, time))
    const day = dayOfSlot.get(slot)!
    if (counts.has(day)) counts.set(day, counts.get(day)! + 1)
  }
  return counts
}

const within =
  (days = DAYS) =>
  ({ start, end }: { start: number; end: number }) =>
    start >= START && end <= START + days * DAY

describe.each(
  `UTC America/New_York Europe/Vienna Asia/Kolkata Pacific/Auckland Australia/Adelaide`.split(/\s+/),
)('days of %s', (zone) => {
  test.each([1000, 100, 10])('are found among %i events a day, and all days are equal', (perDay) => {
    const times = history(perDay)
    const there = report(times, zone)
    const all = totals(times)
    const found = zoneOfDays(there, all, within())!
    for (const [day, count] of there) {
      const span = spanOfDay(day, found)
      if (within()(span)) expect([day, all.within(span)]).toEqual([day, count])
    }
  })

  test.each([
    ['on two days', (_: number, day: number) => day === 9 || day === 23],
    ['every day', (i: number) => i % 50 === 0],
  ])('are found in an export that is short %s', (_, lost) => {
    const times = history(2000)
    const kept = times.filter((time, i) => !lost(i, Math.floor((time - START) / DAY)))
    const found = zoneOfDays(report(times, zone), totals(kept), within())!
    // Few events lie at night, so a zone an hour away may fit as well.
    const off = spanOfDay('2024-03-20', found).start - spanOfDay('2024-03-20', zone).start
    expect(Math.abs(off)).toBeLessThanOrEqual(3_600_000)
  })
})

test('no zone hides what a short export lacks', () => {
  // All events lie at noon, but for some before midnight: another zone could move those over the edge.
  const times = Array.from({ length: 12 }, (_, day) => START + day * DAY + DAY / 2)
  const late = [1, 2].map((day) => START + day * DAY - 1)
  const there = report([...times, ...times.map((time) => time + 1)], 'UTC', 12)
  expect(zoneOfDays(there, totals([...times, ...late]), within(12))).toBe('UTC')
})

test('a few days do not tell the zone', () => {
  const times = history(100, 4)
  expect(zoneOfDays(report(times, 'Asia/Tokyo', 4), totals(times), within(4))).toBeUndefined()
})

test('days are cut into runs', () => {
  expect(runsOf(daysFrom('2024-02-28', '2024-03-03'), 2)).toEqual([
    ['2024-02-28', '2024-02-29'],
    ['2024-03-01', '2024-03-02'],
    ['2024-03-03'],
  ])
  expect(runsOf([], 2)).toEqual([])
})
