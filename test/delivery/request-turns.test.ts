import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { laneOfText } from '../../src/delivery/distinct-id.ts'
import { dryRun } from '../../src/delivery/dry-run.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { EventLineReader } from '../../src/delivery/line-reader.ts'
import { leastSendMs, RequestTurns } from '../../src/delivery/request-turns.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'

test('requests that follow one another are counted alike of lines and of batches', async () => {
  const random = seeded(seedOf('request turns'))
  for (const [lanes, most, days] of [
    [1, 10, 1],
    [3, 4, 1],
    [3, 4, 5],
    [8, 1000, 2],
  ] as const) {
    const events = Array.from({ length: 300 }, (_, n) =>
      makeEvent(n, { day: 1 + Math.floor(random() * days), ids: 20 }),
    )
    const path = join(testFolder(), 'events.ndjson')
    writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
    const limits = { events: most, bytes: 8_000_000 }
    const plan = await dryRun({
      source: await FileSource.open(path),
      reader: new EventLineReader(),
      pace: { perMinute: 1_000_000, lanes },
      ...{ limits, maxEvents: 1000, via: 'batch', youngFrom: Infinity, answerMs: 250 },
      interrupted: new AbortController().signal,
    })
    const turns = new RequestTurns(lanes, limits)
    for (const event of events) {
      const day = Math.floor(Date.parse(event.timestamp) / 86_400_000)
      turns.event(laneOfText(event.distinct_id, lanes), day, eventLine(event).length)
    }
    // Of each run of one day the lane with most requests.
    const runs: Map<number, number>[] = []
    for (const [n, { timestamp, distinct_id }] of events.entries()) {
      if (timestamp.slice(0, 10) !== events[n - 1]?.timestamp.slice(0, 10)) runs.push(new Map())
      const lane = laneOfText(distinct_id, lanes)
      runs.at(-1)!.set(lane, (runs.at(-1)!.get(lane) ?? 0) + 1)
    }
    const expected = runs.map((run) => Math.max(...[...run.values()].map((n) => Math.ceil(n / most))))
    expect(plan.turns, `${lanes} lanes, ${days} days`).toBe(expected.reduce((sum, n) => sum + n))
    expect(turns.total, `${lanes} lanes, ${days} days`).toBe(plan.turns)
    expect(plan.turns).toBeLessThanOrEqual(plan.batches)
    expect(plan.turns * lanes).toBeGreaterThanOrEqual(plan.batches)
    expect(plan.leastMs).toBe(plan.turns * 250)
  }
})

test('the cap sets the least time, or the requests do', () => {
  const pace = { perMinute: 10_000, lanes: 1 }
  const [events, turns] = [9800, 1200]
  expect(leastSendMs(pace, { events, turns, answerMs: undefined })).toBeCloseTo(60_000)
  expect(leastSendMs(pace, { events, turns, answerMs: 10 })).toBeCloseTo(60_000)
  expect(leastSendMs(pace, { events, turns, answerMs: 200 })).toBe(240_000)
})
