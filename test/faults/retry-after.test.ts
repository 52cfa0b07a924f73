import { beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { type Answer, says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import { type Fault, type MidRun, midRun } from './kit/mid-run.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('Retry-After')
const random = seeded(seed)
const SPEED = 50

/** What the header says, and how long the same bytes have to wait at least. */
const WAITS: readonly [header: string | ((clock: FastClock) => string), leastMs: number][] = [
  ['20', 20_000],
  ['0', 0],
  ['1.5', 1500],
  [' 3 ', 3000],
  ['0020', 20_000],
  // A date is in whole seconds, and some of them pass before it is read.
  [(clock) => clock.httpDate(30_000), 10_000],
  [(clock) => clock.httpDate(-3_600_000), 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
]

/** Headers that say nothing: the program's own wait is short. The second piece of some would pass for a far year. */
const NOTHING = [
  '',
  '-5',
  '+20',
  '1e9',
  '5, 10',
  '0x7fffffff',
  'soon',
  'in 2099',
  'try again in 2099',
  '20, 30',
  '20 seconds',
  'NaN',
  'Infinity',
  '\xff\xfe',
  '{"seconds":20}',
  'Fri, 99 Foo 2099 25:61:61 GMT',
]

/** Answers of a rate limit that are not the plain one. */
const FORMS: readonly [name: string, answer: Answer][] = [
  ['429 with a page', says(429, '<html>Too Many Requests</html>')],
  ['429 with nothing', says(429)],
  ['429 in JSON', says(429, '{"error":"rate_limited"}')],
  ['429 that says Ok', says(429, '{"status":"Ok"}')],
  ['503 with Retry-After', says(503, 'service unavailable', { 'Retry-After': '2' })],
]

describe('a rate limit in the middle of a run', () => {
  // The dates are made when the answer is.
  const rows = chosen(
    [
      ...WAITS.map(([header, leastMs]) => ({ header, leastMs })),
      ...NOTHING.map((header) => ({ header, leastMs: 0 })),
    ],
    8,
    random,
  ).map(({ header, leastMs }, i) => {
    const shown = typeof header === 'string' ? JSON.stringify(header) : 'a date of the program’s clock'
    return { name: `${i}: ${shown}`, header, leastMs }
  })
  const faultsFor = (clock: FastClock): Fault[] => [
    ...rows.map(({ name, header }): Fault => {
      const answer = () =>
        says(429, 'rate limited', { 'Retry-After': typeof header === 'string' ? header : header(clock) })
      return { name, action: { answer }, next: 'again' }
    }),
    ...FORMS.map(([name, answer]): Fault => ({ name, action: { answer }, next: 'again' })),
  ]
  let run: MidRun
  let faults: readonly Fault[]
  beforeAll(async () => {
    run = await midRun(
      (clock) => {
        faults = faultsFor(clock)
        return faults
      },
      { seed, speed: SPEED },
    )
  })

  test.each(rows)('Retry-After $name', ({ name, leastMs }) => {
    const fault = faults.find((each) => each.name === name)!
    expect(run.next(fault)).toBe('again')
    expect(run.waited(fault)).toBeGreaterThanOrEqual(leastMs)
  })

  test.each(FORMS)('%s', (name) => {
    expect(run.next(faults.find((each) => each.name === name)!)).toBe('again')
  })

  test('loses nothing', () => {
    run.judge()
    expect(run.ended.code).toBe(0)
  })
})

/** More than --retry-for allows. The run has no reason to wait until the time is over. */
const HUGE = [
  ['7200', '7200'],
  ['beyond exact numbers', '999999999999999999999'],
  ['beyond all numbers', '9'.repeat(400)],
  ['a far date', 'Fri, 31 Dec 2999 23:59:59 GMT'],
] as const

test.each(chosen(HUGE, 1, random))(
  'Retry-After, %s: the run ends at once, and the next goes on',
  async (_, header) => {
    const answer = says(429, 'rate limited', { 'Retry-After': header })
    const service = await Service.start((n) => (n === 2 ? { answer } : undefined))
    const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
    const flags = ['--batch-events', '10']
    const stopped = await it.run(...flags)
    it.judge()
    expect([stopped.code, service.requests.length]).toEqual([5, 3])
    expect(stopped.summary?.error?.message).toMatch(/in the time given for retries: 429 rate limited/)
    expect((await it.run(...flags)).code).toBe(0)
    it.judge()
    expect(service.requests[3]!.packed.equals(service.requests[2]!.packed)).toBe(true)
  },
)

test('a storm longer than --retry-for: the run gives up, and the next goes on', async () => {
  const service = await Service.start((n) => (n === 0 ? undefined : { answer: says(429, 'rate limited') }))
  const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
  const stopped = await it.run('--batch-events', '10', '--lanes', '3', '--retry-for', '20s')
  it.judge()
  expect(stopped.code).toBe(5)
  service.script = () => undefined
  expect((await it.run('--batch-events', '10', '--lanes', '3')).code).toBe(0)
  it.judge()
})
