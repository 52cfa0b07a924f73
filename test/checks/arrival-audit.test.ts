import { expect, test } from 'vitest'
import { ArrivalAudit } from '../../src/checks/arrival-audit.ts'
import { expectedFrames } from '../../src/checks/expected.ts'
import { findGaps } from '../../src/checks/gaps.ts'
import type { ServiceEvents } from '../../src/checks/service-view.ts'
import { headUuid } from '../../src/record/head.ts'
import { inputOf, serviceOf } from '../helpers/audit.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'

const EVENTS = Array.from({ length: 30 }, (_, n) => makeEvent(n, { day: 1 + (n % 3) }))

function auditOf(service: ServiceEvents, events: readonly TestEvent[] = EVENTS, more: object = {}) {
  return new ArrivalAudit({ inputs: [inputOf(events)], service, progress: () => undefined, ...more })
}

test('asks again while events are missing, after longer and longer pauses, until they are there', async () => {
  let arrived = 20
  const service: ServiceEvents = {
    ...serviceOf([]),
    cells: (window) => serviceOf(EVENTS.slice(0, arrived)).cells(window),
  }
  const audit = auditOf(service)
  await audit.run()
  expect([audit.totals.here, audit.totals.there, audit.missing]).toEqual([30, 20, 10])
  let now = 0
  const notes: unknown[] = []
  await audit.wait({
    forMs: 600_000,
    now: () => now,
    sleep: async (ms) => {
      now += ms
      arrived += 2
    },
    note: (...note) => notes.push(note),
  })
  expect([audit.totals.here, audit.totals.there, audit.differences]).toEqual([30, 30, []])
  expect(notes).toEqual([
    [10, 3, 10_000],
    [8, 3, 20_000],
    [6, 3, 40_000],
    [4, 3, 80_000],
    [2, 2, 120_000],
  ])
})

test('only where events seem to be missing is it asked for those whose properties are one text', async () => {
  const service = serviceOf(EVENTS)
  const auditFor = async (events: readonly TestEvent[], hasUnreadable: boolean) => {
    const asked: unknown[] = []
    const asking: ServiceEvents = {
      ...service,
      cells: (window, unreadable) => {
        asked.push(unreadable)
        return serviceOf(unreadable ? EVENTS : events).cells(window)
      },
      hasUnreadable: async (...days) => {
        asked.push(days)
        return hasUnreadable
      },
    }
    const audit = auditOf(asking, EVENTS, { inputs: [inputOf(EVENTS, { importIds: ['id'] })] })
    await audit.run()
    return { asked, missing: audit.missing, unreadable: audit.unreadable }
  }
  expect(await auditFor(EVENTS, true)).toEqual({ asked: [false], missing: 0, unreadable: false })
  const days = ['2024-01-01', '2024-01-03']
  const lacking = EVENTS.slice(1)
  expect(await auditFor(lacking, false)).toEqual({ asked: [false, days], missing: 1, unreadable: false })
  expect(await auditFor(lacking, true)).toEqual({ asked: [false, days, true], missing: 0, unreadable: true })
})

test('events of flags are compared where the service has some, and set apart where it has none', async () => {
  const flag = { ...makeEvent(40, { day: 2 }), event: '$feature_flag_called' }
  const sent = [...EVENTS, flag]
  const apart = auditOf(serviceOf(EVENTS), sent)
  await apart.run()
  expect([apart.totals.here, apart.totals.apart, apart.differences]).toEqual([30, 1, []])
  const elsewhere = { ...flag, timestamp: '2025-01-01T00:00:00.000000Z' }
  const lost = auditOf(serviceOf([...EVENTS, elsewhere]), sent)
  await lost.run()
  expect([lost.totals.here, lost.totals.apart, lost.missing]).toEqual([31, 0, 1])
})

test('an event that is there twice is told apart from a difference', async () => {
  const again = { ...EVENTS[0]!, timestamp: '2024-01-01T23:00:00.000000Z' }
  const audit = auditOf(serviceOf([...EVENTS, again]))
  await audit.run()
  expect([audit.differences, audit.doubled.map(({ day, more }) => [day, more])]).toEqual([
    [],
    [['2024-01-01', 1]],
  ])
})

test('gives up when the time is over', async () => {
  const audit = auditOf(serviceOf(EVENTS.slice(1)))
  await audit.run()
  let now = 0
  const pauses: number[] = []
  const sleep = async (ms: number) => {
    pauses.push(ms)
    now += ms
  }
  await audit.wait({ forMs: 25_000, now: () => now, sleep, note: () => undefined })
  expect([pauses, audit.missing]).toEqual([[10_000, 15_000], 1])
})

test('does not wait for events that nobody sent', async () => {
  const audit = auditOf(serviceOf([...EVENTS, { ...makeEvent(99), event: '$pageview' }]))
  await audit.run()
  expect(audit.differences).toHaveLength(1)
  const sleep = () => Promise.reject(new Error('slept'))
  await audit.wait({ forMs: 1e6, now: () => 0, sleep, note: () => undefined })
})

test('of an import that has not arrived, differences that are too many are one a day', async () => {
  const days = ['2024-01-01', '2024-01-02', '2024-01-03']
  const events = days.flatMap((day, d) =>
    Array.from({ length: 6 }, (_, n) => ({
      ...makeEvent(d * 6 + n),
      event: `name ${n}`,
      timestamp: `${day}T00:00:00.000000Z`,
    })),
  )
  // One event of each day is there, and one that nobody here sent.
  const there = [0, 6, 12].flatMap((n) => [events[n]!, { ...events[n + 1]!, uuid: makeEvent(90 + n).uuid }])
  const inputs = [inputOf(events, { importIds: ['ours'] })]
  const audit = auditOf(serviceOf(there), events, { inputs, mostDifferences: 6 })
  await audit.run()
  expect(audit.differences.map((row) => [row.day, row.event, row.here.count, row.there.count])).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => ['2024-01-01', `name ${n}`, 1, n === 1 ? 1 : 0]),
    ['2024-01-02', null, 6, 2],
    ['2024-01-03', null, 6, 2],
  ])
  const [missing, unknown]: [string[], string[]] = [[], []]
  const sink = {
    missing: (line: Buffer) => void missing.push(headUuid(line, 0)),
    unknown: (_: string, { uuid }: { uuid: string }) => void unknown.push(uuid),
    flush: async () => undefined,
  }
  const frames = new Map(expectedFrames(inputs).map((day) => [day.day, day]))
  await findGaps({ inputs, days: frames, service: serviceOf(there), sink }, audit.differences)
  expect(missing).toEqual(events.filter((_, n) => n % 6 !== 0).map(({ uuid }) => uuid))
  expect(unknown).toEqual([0, 6, 12].map((n) => makeEvent(90 + n).uuid))
})

/** What the service has when one event is bent, and what is then found of it. */
test.each([
  ['under another person', { distinct_id: 'somebody else' }, { missing: 1, unknown: 1 }],
  ['at another time of its day', { timestamp: '2024-01-01T23:00:00.000000Z' }, { moved: 1 }],
  ['under another name', { event: '$pageleave' }, { missing: 1 }],
  ['on another day', { timestamp: '2024-01-02T00:00:00.000000Z' }, { missing: 1 }],
  ['under another uuid', { uuid: '00000000-0000-5000-8000-000000000009' }, { missing: 1, unknown: 1 }],
  ['lost', undefined, { missing: 1 }],
  ['there below its millisecond only', { timestamp: '2024-01-01T00:00:00.000999Z' }, {}],
] as const)('an event that the service bends: %s', async (_, bend, expected) => {
  const first = { ...EVENTS[0]!, timestamp: '2024-01-01T00:00:00.000123Z' }
  const others = EVENTS.slice(1)
  const service = serviceOf(bend ? [{ ...first, ...bend }, ...others] : others)
  const audit = auditOf(service, [first, ...others])
  await audit.run()
  const missing: string[] = []
  const sink = {
    missing: (line: Buffer) => void missing.push(headUuid(line, 0)),
    unknown: () => undefined,
    flush: async () => undefined,
  }
  const inputs = [inputOf([first, ...others])]
  const days = new Map(expectedFrames(inputs).map((frame) => [frame.day, frame]))
  const found = await findGaps({ inputs, days, service, sink }, audit.differences)
  const total = { missing: 0, unknown: 0, moved: 0 }
  for (const gap of found.values())
    for (const name of ['missing', 'unknown', 'moved'] as const) total[name] += gap[name]
  expect(total).toEqual({ missing: 0, unknown: 0, moved: 0, ...expected })
  expect(audit.totals.rounded > 0).toBe(Object.keys(expected).length === 0)
  // What is there at another time is not to be sent once more.
  expect(missing).toEqual(total.missing > 0 ? [first.uuid] : [])
})
