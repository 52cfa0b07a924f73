import { expect, test } from 'vitest'
import type { ChartAnswer, NoAnswer } from '../../../src/charts/chart-answer.ts'
import { MS_PER_HOUR } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import type { MischiefKind } from '../../helpers/vendors/fake.ts'
import type { MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { callOf, cellsOf, chartOf, fakeOf, NOW, namesOf, quotaMemory, series, sideOf } from './side.ts'

const SPAN = { first: '2024-03-04', last: '2024-03-10' }
const NAMES = Array.from({ length: 30 }, (_, i) => `Event ${i}`)

const EVENTS: readonly MixpanelEvent[] = NAMES.flatMap((event, i) =>
  Array.from({ length: i + 1 }, (_, n) => ({
    event,
    properties: { time: Date.parse('2024-03-05T12:00:00Z') + n, distinct_id: `u${n}` },
  })),
)

const cells = (answer: ChartAnswer | NoAnswer) => ('cells' in answer ? cellsOf(answer) : answer)

test.each<MischiefKind>(['storm', 'busy', 'html', 'drop', 'cut', 'drip', 'timeout'])(
  'an answer that is "%s" is asked for again, and the numbers are the same',
  async (kind) => {
    const fake = await fakeOf(EVENTS, { seed: 3, mischief: [{ kind, rate: 0.7, times: 8 }] })
    const side = await sideOf(fake)
    const charts = [
      series('Event 4', { interval: 'week' }),
      series('Event 4', { measure: 'unique', interval: 'week' }),
      series(null, { measure: 'unique', interval: 'week' }),
      series('Event 4', { interval: 'whole', by: 'distinct_id' }),
    ]
    const answers: unknown[] = []
    for (const query of charts) answers.push(cells(await side.ask(chartOf(query), SPAN, callOf())))
    expect(answers).toEqual([
      ['2024-03-04: 5'],
      ['2024-03-04: 5'],
      ['2024-03-04: 30'],
      ['u0', 'u1', 'u2', 'u3', 'u4'].map((by) => `whole ${by}: 1`),
    ])
    expect(fake.done[kind]).toBeGreaterThan(0)
  },
)

test('JSON of another shape is an error, not a 0', async () => {
  const side = await sideOf(await fakeOf(EVENTS, { mischief: [{ kind: 'shape', rate: 1 }] }))
  const asked = side.ask(chartOf(series('Event 4')), SPAN, callOf())
  await expect(asked).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('another shape'),
  })
})

test('a refused question has no answer, a plan without the API ends it', async () => {
  const fake = await fakeOf(EVENTS, { refuses: { status: 400, body: '{"error": "too many points"}' } })
  const side = await sideOf(fake)
  const ask = () => side.ask(chartOf(series('Event 4')), SPAN, callOf())
  expect(await ask()).toEqual({ unanswered: expect.stringContaining('too many points') })
  fake.refuses = { status: 400, body: '{"error": "invalid project id for cluster"}' }
  await expect(ask()).rejects.toMatchObject({ code: 'config' })
  fake.refuses = { status: 402, body: '{"error": "not in your plan"}' }
  await expect(ask()).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('402') })
})

test('charts that are announced are asked for together, and have their own numbers', async () => {
  const fake = await fakeOf(EVENTS)
  const side = await sideOf(fake)
  const call = callOf(namesOf({}, NAMES))
  const charts = [null, ...NAMES].flatMap((event) => [
    chartOf(series(event, { interval: 'day' })),
    chartOf(series(event, { interval: 'day', measure: 'unique' })),
    chartOf(series(event, { interval: 'week', measure: 'unique' })),
  ])
  side.announce!(charts)
  const answers = await Promise.all(charts.map((chart) => side.ask(chart, SPAN, call)))
  const numbers = answers.map(cells)
  expect(numbers.slice(0, 3)).toEqual([['2024-03-05: 465'], ['2024-03-05: 30'], ['2024-03-04: 30']])
  NAMES.forEach((_, i) => {
    const own = [`2024-03-05: ${i + 1}`, `2024-03-05: ${i + 1}`, `2024-03-04: ${i + 1}`]
    expect(numbers.slice(3 + i * 3, 6 + i * 3)).toEqual(own.map((text) => [text]))
  })
  // The list of names, events, people by day and week, and people of all events twice.
  expect(fake.seen).toHaveLength(6)
  expect(fake.peak).toBeLessThanOrEqual(5)
})

test('years of many long names are divided into requests that servers take', async () => {
  const long = Array.from({ length: 60 }, (_, i) => `${i} ${'ü'.repeat(100)}`)
  const fake = await fakeOf(
    long.map((event) => ({ event, properties: { time: Date.parse('2022-05-05'), distinct_id: 'u' } })),
  )
  const side = await sideOf(fake, { clock: new FakeClock(NOW) })
  const span = { first: '2022-01-01', last: '2023-12-31' }
  const answer = await side.ask(chartOf(series(null)), span, callOf(namesOf({}, long)))
  expect(cells(answer)).toEqual(['2022-05-05: 60'])
  expect(fake.seen.every(({ url }) => `${url.pathname}${url.search}`.length <= 6000)).toBe(true)
  const many = Array.from({ length: 2000 }, (_, i) => `${i} ${'ü'.repeat(100)}`)
  expect(await side.ask(chartOf(series(null)), span, callOf(namesOf({}, many)))).toEqual({
    unanswered: expect.stringContaining('60 an hour'),
  })
})

test('60 questions an hour are asked, by a run that began anew, too', async () => {
  const clock = new FakeClock(NOW)
  const memory = quotaMemory()
  // The server's hour is a real one, the client's passes while it waits.
  const fake = await fakeOf(EVENTS, { queries: 100 })
  const notes: string[] = []
  const ask = async (count: number) => {
    const side = await sideOf(fake, { clock, memory })
    for (let i = 0; i < count; i++) {
      const query = series(NAMES[i]!, { where: [{ property: 'x', operator: 'not_set', values: [] }] })
      expect(cells(await side.ask(chartOf(query), SPAN, callOf(namesOf(), notes)))).toHaveLength(1)
    }
  }
  await ask(30)
  await ask(30)
  expect(notes).toEqual([])
  expect(clock.now() - NOW).toBeLessThan(MS_PER_HOUR / 2)
  await ask(1)
  expect(clock.now() - NOW).toBeGreaterThanOrEqual(MS_PER_HOUR)
  expect(notes).toEqual([expect.stringMatching(/^waiting .* 60 questions an hour$/)])
})

test('the number of people is that of the profiles, and a note says so', async () => {
  const fake = await fakeOf([], {
    profiles: Array.from({ length: 2345 }, (_, i) => `{"$distinct_id":"u${i}","$properties":{}}`),
  })
  const answer = await (await sideOf(fake)).ask(chartOf({ kind: 'people' }), SPAN, callOf())
  expect(answer).toMatchObject({
    cells: [{ at: 'whole', by: null, value: 2345 }],
    notes: [expect.stringContaining('profiles')],
  })
  expect(fake.seen).toHaveLength(1)
})

test('a funnel that is not saved in Mixpanel has no answer', async () => {
  const side = await sideOf(await fakeOf(EVENTS))
  const steps = [
    { event: 'Event 1', where: [] },
    { event: 'Event 2', where: [] },
  ]
  const chart = chartOf({ kind: 'funnel', steps, windowDays: 7 })
  expect(await side.ask(chart, SPAN, callOf())).toEqual({ unanswered: expect.stringContaining('saved') })
})
