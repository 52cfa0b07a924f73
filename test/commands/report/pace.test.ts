import { expect, test } from 'vitest'
import { pacePart } from '../../../src/commands/report/import-parts.ts'

const line = (minute: number, perMinute: number, more: object = {}) => ({
  at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  delivered: 0,
  rejected: 0,
  per_minute: perMinute,
  waits: 0,
  waited_ms: 0,
  bytes_done: null,
  bytes_total: null,
  last_error: null,
  ...more,
})
const at = (minute: number) => Date.UTC(2026, 0, 1, 0, minute)

test('waits are pauses with their reason, and so is the time between two runs', () => {
  const error = { at: '', reason: '429: slow down' }
  const lines = [
    line(1, 900),
    line(2, 400, { waits: 2, waited_ms: 30_000, last_error: error }),
    line(60, 800),
  ]
  expect(pacePart('events/', lines, 1000)).toEqual({
    input: 'events/',
    capPerMinute: 1000,
    points: [
      { at: at(0), perMinute: 900 },
      { at: at(1), perMinute: 900 },
      { at: at(2), perMinute: 400 },
      { at: at(2) + 1, perMinute: 0 },
      { at: at(59), perMinute: 0 },
      { at: at(59), perMinute: 800 },
      { at: at(60), perMinute: 800 },
    ],
    pauses: [
      { from: at(2) - 30_000, to: at(2), reason: '429: slow down' },
      { from: at(2), to: at(59), reason: 'no run was under way' },
    ],
    otherPauses: 0,
  })
})

test('a clock that was put back, and a time that is none, do not bend the line', () => {
  const { points } = pacePart(
    'events/',
    [line(5, 1), line(3, 2), line(6, 3, { at: 'soon' }), line(6, 4)],
    undefined,
  )
  expect(points.map(({ perMinute }) => perMinute)).toEqual([1, 1, 4])
})

test('an import of one minute is a minute of the chart', () => {
  expect(pacePart('events/', [line(1, 312)], 1000).points).toEqual([
    { at: at(0), perMinute: 312 },
    { at: at(1), perMinute: 312 },
  ])
})
