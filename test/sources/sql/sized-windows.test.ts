import { expect, test } from 'vitest'
import type { Where } from '../../../src/sources/sql/database.ts'
import type { NamedSlice } from '../../../src/sources/sql/slices.ts'
import { cutParts, decideCuts } from '../../../src/sources/sql/sql-source.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../../src/text/units.ts'
import { AT, column, ID } from '../../helpers/memory-database.ts'

const FROM = Date.UTC(2024, 2, 1)
const DATE = column({ name: 'day', type: 'date', time: 'date' })

function named(name: string, where: Where, over?: number): NamedSlice {
  const relation = { kind: 'table', schema: undefined, name: 'app.events' } as const
  return { name, slice: { relation, where, only: [] }, over }
}

function windows(spanMs: number, days = 1): NamedSlice[] {
  return windowsOf(FROM, FROM + days * MS_PER_DAY, spanMs).map((span) =>
    named(`events.${span.name}`, { by: 'time', column: AT, span }, span.end),
  )
}

/** What windows become, and which of them were counted. */
async function cutBy(rows: number, slices: readonly NamedSlice[], kept = new Map<string, number>()) {
  const memory = {
    cut: (window: string) => kept.get(window),
    keepCut: (window: string, parts: number) => void kept.set(window, parts),
  }
  const counted: string[] = []
  const count = async ({ name }: NamedSlice) => {
    counted.push(name)
    return rows
  }
  await decideCuts(slices, { mostRows: 100, count }, memory)
  return { parts: slices.flatMap((one) => cutParts(one, memory)), counted, kept }
}

test.each([
  [0, ['2024-03-01']],
  [100, ['2024-03-01']],
  [101, ['2024-03-01T00', '2024-03-01T12']],
  [
    450,
    ['2024-03-01T00', '2024-03-01T04', '2024-03-01T08', '2024-03-01T12', '2024-03-01T16', '2024-03-01T20'],
  ],
])('a day of %d rows is cut into %j', async (rows, names) => {
  const { parts } = await cutBy(rows, windows(MS_PER_DAY))
  expect(parts.map(({ name }) => name)).toEqual(names.map((name) => `events.${name}`))
})

test('the parts of a window follow one another, and each is over at its own end', async () => {
  for (const hours of [1, 2, 3, 4, 6, 8, 12, 24]) {
    const { parts } = await cutBy(250, windows(hours * MS_PER_HOUR, 2))
    let at = FROM
    for (const { name, slice, over } of parts) {
      const { span } = slice.where as Extract<Where, { by: 'time' }>
      expect(span.start, name).toBe(at)
      expect(over).toBe(span.end)
      at = span.end
    }
    expect(at).toBe(FROM + 2 * MS_PER_DAY)
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length)
  }
})

test('no part is shorter than an hour, however many rows it has', async () => {
  expect((await cutBy(1e9, windows(MS_PER_DAY))).parts).toHaveLength(24)
  expect((await cutBy(1e9, windows(MS_PER_HOUR))).counted).toEqual([])
})

test('a window is cut as it was the first time, whatever rows came since', async () => {
  const { kept } = await cutBy(250, windows(MS_PER_DAY))
  const later = await cutBy(1e9, windows(MS_PER_DAY, 2), kept)
  expect(later.counted).toEqual(['events.2024-03-02'])
  expect(later.parts).toHaveLength(3 + 24)
})

test('what has no hours stays whole', async () => {
  const [span] = windowsOf(FROM, FROM + MS_PER_DAY, MS_PER_DAY)
  const slices = [
    named('events.000', { by: 'no time', column: AT }),
    named('events.2024-03-01', { by: 'time', column: DATE, span: span! }, span!.end),
    named('users.000001', { by: 'key', column: ID, from: 0n, to: 10n }),
    named('users', { by: 'all', order: ID }),
  ]
  expect(await cutBy(1e9, slices)).toMatchObject({ parts: slices, counted: [] })
})

test('a query with {from} and {to} is cut, too, and a name with dots keeps them', async () => {
  const [span] = windowsOf(FROM, FROM + MS_PER_DAY, MS_PER_DAY)
  const { parts } = await cutBy(150, [named('my.query.2024-03-01', { by: 'ends', span: span! }, span!.end)])
  expect(parts.map(({ name }) => name)).toEqual(['my.query.2024-03-01T00', 'my.query.2024-03-01T12'])
})
