import { expect, test } from 'vitest'
import { checkValues, sampleSizeOf } from '../../src/checks/value-check.ts'
import { inputOf, serviceOf } from '../helpers/audit.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'

const EVENTS = Array.from({ length: 60 }, (_, n) => makeEvent(n, { day: 1 + Math.floor(n / 10) }))

async function check(
  here: readonly (readonly TestEvent[])[],
  there: readonly TestEvent[],
  more: { most?: number; byDay?: boolean } = {},
) {
  const service = serviceOf(there)
  const report = await checkValues({
    inputs: here.map((events) => inputOf(events, { byDay: more.byDay ?? true })),
    service,
    most: more.most ?? Number.POSITIVE_INFINITY,
    skipped: undefined,
    each: () => undefined,
  })
  return { report, asked: service.asked }
}

test('all are the same: small days are asked for together', async () => {
  const { report, asked } = await check([EVENTS], EVENTS)
  expect(report).toEqual({
    compared: 60,
    absent: 0,
    changed: 0,
    changes: [],
    unparseable: 0,
    known_changes: {},
  })
  expect(asked).toEqual(['events 2024-01-01 2024-01-06'])
})

test('no more events are compared than the bar counts', async () => {
  const inputs = [EVENTS, EVENTS.slice(0, 7).map((event, n) => ({ ...event, uuid: makeEvent(100 + n).uuid }))]
  const both = inputs.map((events) => inputOf(events))
  const { report } = await check(inputs, inputs.flat(), { most: 20 })
  expect([report.compared, sampleSizeOf(both, 20)]).toEqual([21, 21])
  expect(sampleSizeOf(both, Number.POSITIVE_INFINITY)).toBe(67)
  expect(sampleSizeOf([inputOf([])], 20)).toBe(0)
})

test('what is changed, or not there, is named', async () => {
  const there = EVENTS.slice(1).map((event, n) => (n === 20 ? { ...event, properties: { n: -1 } } : event))
  const { report } = await check([EVENTS], there)
  expect([report.compared, report.absent, report.changed]).toEqual([60, 1, 1])
  expect(report.changes.map(({ day, property, here }) => [day, property, here])).toEqual([
    ['2024-01-03', 'properties.n', '21'],
    ['2024-01-03', 'properties.note', '"grüße \\"quoted\\""'],
  ])
})

test('events of two inputs are compared once', async () => {
  const { report } = await check([EVENTS, EVENTS.slice(0, 30)], EVENTS)
  expect(report.compared).toBe(60)
})

test('files are read as a whole', async () => {
  const { report } = await check([EVENTS.toReversed()], EVENTS, { byDay: false })
  expect([report.compared, report.absent]).toEqual([60, 0])
})

test('one uuid on two days, or of two persons, is two events', async () => {
  const [one] = EVENTS
  const twins = [one!, { ...one!, distinct_id: 'ben' }, { ...one!, timestamp: '2024-02-01T00:00:00.000000Z' }]
  expect((await check([twins], twins)).report).toMatchObject({ compared: 3, absent: 0, changed: 0 })
  expect((await check([twins], twins.slice(1))).report).toMatchObject({ compared: 3, absent: 1, changed: 0 })
})
