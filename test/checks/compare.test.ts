import { expect, test } from 'vitest'
import { compareWindow } from '../../src/checks/compare.ts'
import { expectedDays, windowsOf } from '../../src/checks/expected.ts'
import { cellsIn, inCells, inputOf, listOf, serviceOf } from '../helpers/audit.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'

const EVENTS = Array.from({ length: 12 }, (_, n) => makeEvent(n, { day: 1 + (n % 2) }))

async function compare(inputs: Parameters<typeof expectedDays>[0], there: readonly TestEvent[]) {
  const [window] = await listOf(windowsOf(expectedDays(inputs)))
  return compareWindow(window!, serviceOf(there).cells(window!))
}

test('the same events: no difference, and events of other names are counted apart', async () => {
  const [one, two] = await compare([inputOf(EVENTS)], [...EVENTS, { ...makeEvent(99), event: '__proto__' }])
  expect([one, two]).toEqual([
    { day: '2024-01-01', here: 6, there: 6, others: 1, rounded: 0, differences: [], doubled: [] },
    { day: '2024-01-02', here: 6, there: 6, others: 0, rounded: 0, differences: [], doubled: [] },
  ])
})

test('events that the service has under several times of a day are no difference, but there twice', async () => {
  const [first, second] = EVENTS
  const [at, later] = ['2024-01-01T10:00:00.000Z', '2024-01-01T12:00:00.000Z']
  const there = [
    ...EVENTS.slice(1),
    { ...first!, timestamp: later },
    { ...first!, timestamp: at },
    // The very same is one event that is not merged yet.
    second!,
  ]
  const [one, two] = await compare([inputOf(EVENTS)], there)
  expect(one).toMatchObject({ here: 6, there: 6, differences: [] })
  const { uuid } = first!
  expect(one!.doubled).toEqual([
    { day: '2024-01-01', event: '$pageview', more: 1, example: { uuid, times: [at, later] } },
  ])
  expect(two!.doubled).toEqual([])
})

test('as many events, but not the same: a difference', async () => {
  const [first, ...others] = EVENTS
  const [one] = await compare([inputOf(EVENTS)], [{ ...first!, uuid: makeEvent(50).uuid }, ...others])
  expect([one!.here, one!.there]).toEqual([6, 6])
  expect(one!.differences).toMatchObject([{ day: '2024-01-01', event: '$pageview', inputs: 1 }])
})

test('a group event counts by either of its names', async () => {
  const named = (name: string) => EVENTS.map((event) => ({ ...event, event: name }))
  const [one] = await compare([inputOf(named('$groupidentify'))], named('$group_identify'))
  expect(one).toMatchObject({ here: 6, there: 6, others: 0, differences: [] })
})

test('a name of this import that the dataset does not have on the day is a difference', async () => {
  const there = [...EVENTS, { ...makeEvent(99), event: 'stray' }]
  const [one] = await compare([inputOf(EVENTS, { importIds: ['a'] })], there)
  expect(one).toMatchObject({ here: 6, there: 7, others: 0 })
  expect(one!.differences).toMatchObject([{ event: 'stray', inputs: 0 }])
})

test('a day that one input tells apart by name, and the other does not, is compared whole', async () => {
  const [odd, even] = [EVENTS.filter((_, n) => n % 4 < 2), EVENTS.filter((_, n) => n % 4 >= 2)]
  const plain = inputOf(even)
  const whole = inputOf(odd)
  const cells = (await cellsIn(whole)).map((cell) => ({ ...cell, event: null }))
  const inputs = [plain, { ...whole, ...inCells(cells) }]
  const days = await listOf(expectedDays(inputs))
  expect(days.map((day) => [day.whole, [...day.cells.keys()]])).toEqual([
    [true, [null]],
    [true, [null]],
  ])
  const [window] = await listOf(windowsOf(expectedDays(inputs)))
  const compared = await compareWindow(window!, serviceOf(EVENTS).cells(window!))
  expect(compared.map(({ differences }) => differences)).toEqual([[], []])
})
