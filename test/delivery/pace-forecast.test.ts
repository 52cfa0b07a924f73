import { describe, expect, test } from 'vitest'
import { Batcher } from '../../src/delivery/batcher.ts'
import { DRY_ENVELOPE } from '../../src/delivery/dry-run.ts'
import { PaceForecast } from '../../src/delivery/pace-forecast.ts'
import { burstOf } from '../../src/delivery/pacer.ts'
import { START } from '../../src/delivery/place.ts'
import { readHead } from '../../src/record/head.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

const SOURCE = { offset: 0, line: 1, file: undefined, record: undefined }

/** Forecasts an import of so many events, of which `idOf` says the distinct_id and the day. */
function forecast(
  events: number,
  idOf: (n: number) => readonly [id: string, day: number],
  { perMinute = 10_000 } = {},
) {
  const pace = { perMinute, lanes: 1 }
  const made = new PaceForecast(pace)
  const limits = { events: burstOf(pace), bytes: 8_000_000, ofId: made.ofId }
  const batcher: Batcher = new Batcher(
    { lanes: 1, limits, envelope: DRY_ENVELOPE, youngFrom: Number.POSITIVE_INFINITY },
    (batch) => {
      made.send(batch)
      batcher.recycle(batch)
    },
  )
  for (let n = 0; n < events; n++) {
    const [distinct_id, day] = idOf(n)
    const line = Buffer.from(eventLine({ ...makeEvent(n, { day }), distinct_id }))
    const head = readHead(line, 0, line.length)!
    const whole = { head, bytes: line, start: 0, end: line.length, source: SOURCE }
    batcher.event(0, START, whole)
  }
  batcher.flush()
  return made
}

describe('a forecast of an import', () => {
  test('names an id of more than half of the events, its day, and how much longer it takes', () => {
    // 30,000 events, 12,000 of the second day: at 9,800 a minute three minutes; of 24,000 of one id 5.3 at 4,500 a minute.
    const { busy, ms } = forecast(30_000, (n) => [n % 5 ? 'busy "1"' : `u${n}`, n < 18_000 ? 1 : 2])
    expect(busy.ids).toHaveLength(1)
    const [busyId] = busy.ids
    expect(busyId).toMatchObject({ id: 'busy "1"', day: '2024-01-01' })
    // What comes before the first hold is not counted: at most a few requests.
    expect(24_000 - busyId!.events).toBeLessThan(1000)
    expect(busyId!.events).toBeLessThanOrEqual(24_000)
    expect(busyId!.dayEvents).toBeLessThanOrEqual(14_400)
    expect(busyId!.dayEvents).toBeGreaterThan(13_400)
    expect(ms / 60_000).toBeCloseTo(24_000 / 4500, 0)
    expect(busy.extraMs / 60_000).toBeCloseTo(24_000 / 4500 - 30_000 / 9800, 0)
  })

  test.each([
    ['of a third of the events', 15_000, (n: number) => [n % 3 ? `u${n}` : 'third', 1] as const],
    ['of fewer events than the cap', 4900, () => ['all', 1] as const],
    ['at a pace under the cap', 12_000, () => ['all', 1] as const, { perMinute: 4000 }],
  ])('no id is named %s', (_, events, idOf, pace: { perMinute?: number } = {}) => {
    expect(forecast(events, idOf, pace).busy.ids).toEqual([])
  })

  test('many ids that are held for a moment do not push a busy one out', () => {
    // Each hundred events of another id in a row, then a busy one.
    const { busy } = forecast(40_000, (n) => [n < 30_000 ? `u${Math.floor(n / 500)}` : 'busy', 1])
    expect(busy.ids.map(({ id }) => id)).toEqual(['busy'])
  })
})
