import { expect, test } from 'vitest'
import { assertSpan, type BegunWindow, nextWindow, type Schedule } from '../../src/migration/windows.ts'
import { utcTime } from '../../src/options/values.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../src/text/units.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const daily: Schedule = { from: utcTime('2024-01-01'), edgeMs: MS_PER_DAY }
const offIn: Schedule = { ...daily, until: utcTime('2024-03-31') }

function begun(start: string, end: string, done = true): BegunWindow {
  const own = { start: utcTime(start), end: utcTime(end) }
  return { name: `${start}_${end}`, own, fetch: own, done }
}

/** The next window in words, of the year 2024: `own start_own end from fetch start`. */
function next(schedule: Schedule, windows: readonly BegunWindow[], now: string): string {
  const found = nextWindow(schedule, windows, Date.parse(now))
  const text = (instant: number) => new Date(instant).toISOString().slice(5, 13)
  if (found.kind === 'done') return 'done'
  if (found.kind === 'wait') return `wait until ${text(found.at)}`
  const { name, own, fetch } = found.window
  expect(fetch.end).toBe(own.end)
  return `${name.replaceAll('2024-', '')} from ${text(fetch.start)}`
}

/** Windows that were begun, such as `01-01_03-02`; `?` after one that is not done. */
const windowsIn = (texts: readonly string[]) =>
  texts.map((text) => {
    const [start, end] = text.replace('?', '').split('_')
    return begun(`2024-${start}`, `2024-${end}`, !text.endsWith('?'))
  })

test.each<[string, string[], string, string]>([
  ['the first window has all of the history', [], '03-04T09:30:00', '01-01_03-02 from 01-01T00'],
  ['the next day', ['01-01_03-02'], '03-05T09:30:00', '03-02_03-03 from 02-26T00'],
  ['twice a day', ['01-01_03-02'], '03-04T23:59:59', 'wait until 03-05T00'],
  ['at the very edge', ['01-01_03-02'], '03-05T00:00:00', '03-02_03-03 from 02-26T00'],
  ['after days of pause', ['01-01_03-02'], '03-20T00:00:00', '03-02_03-18 from 02-26T00'],
  ['killed days ago', ['01-01_03-02?'], '03-20T00:00:00', '01-01_03-02 from 01-01T00'],
  ['never before the history begins', ['01-01_01-03'], '01-06T01:00:00', '01-03_01-04 from 01-01T00'],
  ['nothing is old enough', [], '01-03T23:00:00', 'wait until 01-04T00'],
])('%s', (_, windows, now, expected) => {
  expect(next(daily, windowsIn(windows), `2024-${now}Z`)).toBe(expected)
})

test.each<[string, string[], string, string]>([
  ['the old tool is still on', ['01-01_03-30'], '04-01T12:00:00', 'wait until 04-02T00'],
  ['the last own span ends with it', ['01-01_03-30'], '04-09T00:00:00', '03-30_03-31 from 03-25T00'],
  ['late events may come', ['01-01_03-31'], '04-06T23:59:00', 'wait until 04-07T00'],
  ['the final window', ['01-01_03-31'], '04-07T00:00:00', '03-31_03-31 from 03-26T00'],
  ['the final one, killed', ['01-01_03-31', '03-31_03-31?'], '05-01T00:00:00', '03-31_03-31 from 03-31T00'],
  ['all is done', ['01-01_03-31', '03-31_03-31'], '05-01T00:00:00', 'done'],
  ['an end that is done by now', ['01-01_04-03'], '04-10T00:00:00', '04-03_04-03 from 03-29T00'],
])('with an end: %s', (_, windows, now, expected) => {
  expect(next(offIn, windowsIn(windows), `2024-${now}Z`)).toBe(expected)
})

test.each<[string, string, string | undefined]>([
  ['2024-01-01', '2024-03-02', undefined],
  ['2024-01-01', '2024-04-01', undefined],
  ['2023-12-01', '2024-03-02', 'begins at 2023-12-01 now, and its first window at 2024-01-01'],
  ['2024-02-01', '2024-04-01', 'begins at 2024-02-01 now'],
  ['2024-01-01', '2024-03-01', 'ends at 2024-03-01 now, and its last window at 2024-03-02'],
])('windows up to 2024-03-02 for %s to %s: %s', (from, to, words) => {
  const windows = [begun('2024-01-01', '2024-02-01'), begun('2024-02-01', '2024-03-02')]
  const look = () => assertSpan({ from: utcTime(from), to: utcTime(to) }, windows)
  if (words) expect(look).toThrow(words)
  else expect(look).not.toThrow()
  expect(() => assertSpan({ from: utcTime(from), to: utcTime(to) }, [])).not.toThrow()
})

test('an end in mid-day takes that day whole', () => {
  const schedule = { ...daily, until: Date.parse('2024-03-30T15:00:00Z') }
  expect(next(schedule, [], '2024-06-01T00:00:00Z')).toContain('01-01_03-31 ')
})

test('hours are edges where the vendor has hours', () => {
  const hourly: Schedule = { from: utcTime('2024-01-01T05'), edgeMs: MS_PER_HOUR }
  expect(next(hourly, [], '2024-03-04T09:30:00Z')).toBe('01-01T05_03-02T09 from 01-01T05')
})

test.each([
  [{ ...daily, from: utcTime('2024-01-01T05') }, [], 'begins at 2024-01-01T05:00:00.000Z, inside a window'],
  [{ ...daily, until: daily.from }, [], 'before it begins'],
  [daily, [begun('2023-12-01', '2024-03-02')], 'its first window at 2023-12-01'],
])('refuses a schedule that fits nothing (%#)', (schedule, windows, words) => {
  expect(() => nextWindow(schedule, windows, Date.parse('2024-06-01T00:00:00Z'))).toThrow(words)
})

test('whenever it is run, the own spans are the whole history, once, and old enough', () => {
  const random = seeded(seedOf('windows'))
  for (let round = 0; round < 200; round++) {
    const edgeMs = random() < 0.5 ? MS_PER_DAY : MS_PER_HOUR
    const until = daily.from + Math.ceil(random() * 60) * MS_PER_DAY
    const windows = runsUntilDone({ from: daily.from, until, edgeMs }, random)
    expect(new Set(windows.map(({ name }) => name)).size).toBe(windows.length)
    expect(windows.at(-2)!.own.end).toBe(until)
    expect(windows.at(-1)!.fetch.end).toBe(until)
    for (const [at, { own, fetch }] of windows.entries()) {
      expect(own.start).toBe(windows[at - 1]?.own.end ?? daily.from)
      expect(fetch.start).toBe(Math.max(daily.from, own.start - 5 * MS_PER_DAY))
      // The export takes these bounds as they are.
      expect(() => windowsOf(fetch.start, fetch.end, edgeMs)).not.toThrow()
    }
  }
})

/** Runs at random times, of which some are killed. */
function runsUntilDone(schedule: Schedule, random: () => number): BegunWindow[] {
  const windows: BegunWindow[] = []
  for (let now = schedule.from; ; now += Math.floor(random() * 3 * MS_PER_DAY)) {
    const found = nextWindow(schedule, windows, now)
    if (found.kind === 'done') return windows
    if (found.kind === 'wait') {
      expect(found.at).toBeGreaterThan(now)
      continue
    }
    const { window } = found
    expect(window.own.end).toBeLessThanOrEqual(now - 2 * MS_PER_DAY)
    if (windows.at(-1)?.done === false) expect(window).toBe(windows.pop())
    windows.push({ ...window, done: random() < 0.7 })
  }
}
