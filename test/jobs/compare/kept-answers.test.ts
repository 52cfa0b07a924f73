import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Chart } from '../../../src/charts/chart.ts'
import type { ChartSide } from '../../../src/charts/chart-side.ts'
import { askCharts } from '../../../src/jobs/compare/ask-charts.ts'
import { KeptAnswers } from '../../../src/jobs/compare/kept-answers.ts'
import { fileCell } from '../../../src/state/cell.ts'
import { testFolder } from '../../helpers/folder.ts'

const span = { first: '2024-03-01', last: '2024-03-02' }
const charts = ['a', 'b', 'c'].map((event): Chart => {
  const series = {
    kind: 'series',
    measure: 'count',
    where: [],
    property: null,
    interval: 'day',
    by: null,
  } as const
  return { name: event, query: { ...series, event }, report: null }
})

function side(asked: string[], dies?: string): ChartSide {
  return {
    name: 'Mixpanel',
    ask: async ({ name }) => {
      if (name === dies) throw new Error('killed')
      asked.push(name)
      return name === 'c'
        ? { unanswered: 'no such event' }
        : { cells: [{ at: span.first, by: null, value: 1 }], zone: 'UTC', estimated: false, notes: [] }
    },
    close: async () => undefined,
  }
}

test('a run that dies goes on with the chart it was at; --refetch forgets, and keeps the quotas', async () => {
  const cell = fileCell(join(testFolder(), 'answers.json.gz'))
  const ask = async (of: ChartSide, as: string, refetch = false) => {
    const kept = await KeptAnswers.open(cell, refetch)
    const call = { signal: new AbortController().signal, names: undefined, note: () => undefined }
    const asked = { side: of, key: { side: of.name, project: '1', as }, call }
    return askCharts(asked, charts, span, { kept, answered: () => undefined })
  }
  const first: string[] = []
  await (await KeptAnswers.open(cell, false)).remember('query', [1, 2], true)
  await expect(ask(side(first, 'b'), 'x')).rejects.toThrow('killed')
  const second: string[] = []
  const all = await ask(side(second), 'x')
  expect([first, second]).toEqual([['a'], ['b', 'c']])
  expect([...all.keys()].sort()).toEqual(['a', 'b', 'c'])
  const third: string[] = []
  expect(await ask(side(third), 'x')).toEqual(all)
  expect(third).toEqual([])
  // Another mapping has other names: it is asked anew.
  await ask(side(third), 'y')
  expect(third).toEqual(['a', 'b', 'c'])
  await ask(side(third), 'x', true)
  expect(third).toHaveLength(6)
  expect((await KeptAnswers.open(cell, false)).asked('query')).toEqual([1, 2])
})

test('an answer is kept for its days, its project and its question only', async () => {
  const kept = await KeptAnswers.open(fileCell(join(testFolder(), 'answers.json.gz')), false)
  const key = { side: 'Mixpanel', project: '1', as: 'x' }
  const [a, b] = [charts[0]!, charts[1]!]
  const now = { answer: { unanswered: 'not now' }, askedAt: new Date(0).toISOString() }
  await kept.keep(key, a, span, now)
  expect(kept.find(key, { ...a, name: 'called otherwise' }, span)).toEqual(now)
  expect(kept.find(key, b, span)).toBeUndefined()
  for (const other of [{ first: '2024-02-29' }, { last: '2024-03-03' }])
    expect(kept.find(key, a, { ...span, ...other })).toBeUndefined()
  for (const other of [{ side: 'Amplitude' }, { project: '2' }, { as: 'y' }])
    expect(kept.find({ ...key, ...other }, a, span)).toBeUndefined()
})
