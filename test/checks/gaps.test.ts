import { describe, expect, test } from 'vitest'
import { compareWindow } from '../../src/checks/compare.ts'
import { expectedDays, expectedFrames, windowsOf } from '../../src/checks/expected.ts'
import { findGaps, withoutShared } from '../../src/checks/gaps.ts'
import type { VerifyInput } from '../../src/checks/verify-input.ts'
import { inputOf, serviceOf } from '../helpers/audit.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const seed = seedOf('gaps')

async function audit(inputs: readonly VerifyInput[], there: readonly TestEvent[], passEvents: number) {
  const service = serviceOf(there)
  const [missing, unknown]: [string[], string[]] = [[], []]
  const compared = []
  for await (const window of windowsOf(expectedDays(inputs))) {
    const found = await compareWindow(window, service.cells(window))
    compared.push(...(await withoutShared(inputs, found, passEvents)))
  }
  const sink = {
    missing: (line: Buffer) => void missing.push(line.toString()),
    unknown: (day: string, id: { uuid: string; distinctId: string }) =>
      void unknown.push(`${day} ${id.uuid} ${id.distinctId}`),
    flush: async () => undefined,
  }
  const differences = compared.flatMap((day) => day.differences)
  const byDay = new Map(expectedFrames(inputs).map((day) => [day.day, day]))
  const gaps = await findGaps({ inputs, days: byDay, service, sink, passEvents }, differences)
  return { missing: missing.sort(), unknown: unknown.sort(), gaps: [...gaps.values()], compared, service }
}

describe('the events that differ', () => {
  const roll = seeded(seed)
  const all = Array.from({ length: 400 }, (_, n) => makeEvent(n, { day: 1 + (n % 3), ids: 5 }))
  const here = all.filter(() => roll() < 0.9)
  const there = all.filter(() => roll() < 0.9)
  const uuids = (events: readonly TestEvent[]) => new Set(events.map(({ uuid }) => uuid))
  const lines = (events: readonly TestEvent[], without: readonly TestEvent[]) => {
    const known = uuids(without)
    return events.filter(({ uuid }) => !known.has(uuid))
  }
  // Half of them are in both inputs.
  const inputs = [inputOf(here.slice(0, 270)), inputOf(here.slice(90))]

  test.each([1_000_000, 150, 20])('are found, each once, with %i ids at once', async (passEvents) => {
    const { missing, unknown, gaps } = await audit(inputs, there, passEvents)
    expect(missing).toEqual(lines(here, there).map(eventLine).sort())
    expect(unknown).toEqual(
      lines(there, here)
        .map(({ timestamp, uuid, distinct_id }) => `${timestamp.slice(0, 10)} ${uuid} ${distinct_id}`)
        .sort(),
    )
    const sum = (kind: 'missing' | 'unknown') => gaps.reduce((total, gap) => total + gap[kind], 0)
    expect([sum('missing'), sum('unknown')]).toEqual([missing.length, unknown.length])
  })

  test.each([1_000_000, 20])('of inputs that share events are none if all are there', async (passEvents) => {
    const { compared, service } = await audit(inputs, here, passEvents)
    expect(compared.flatMap(({ differences }) => differences)).toEqual([])
    expect(compared.reduce((sum, day) => sum + day.here, 0)).toBe(here.length)
    expect(service.asked.filter((asked) => asked.startsWith('ids'))).toEqual([])
  })
})

test('a cell that is not there at all costs no query', async () => {
  const events = [makeEvent(0), makeEvent(1)]
  const { missing, service } = await audit([inputOf(events)], [makeEvent(1)], 100)
  expect(missing).toEqual([eventLine(makeEvent(0))])
  expect(service.asked.filter((asked) => asked.startsWith('ids'))).toEqual([])
})

test('one uuid of two persons is two events', async () => {
  const [ann, ben] = ['ann', 'ben'].map((distinct_id) => ({ ...makeEvent(1), distinct_id }))
  const { missing } = await audit([inputOf([ann!, ben!])], [ben!], 100)
  expect(missing).toEqual([eventLine(ann!)])
})
