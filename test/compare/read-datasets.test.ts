import { describe, expect, test } from 'vitest'
import { answerCharts } from '../../src/compare/answer-charts.ts'
import { ChartTables } from '../../src/compare/chart-tables.ts'
import { defaultCharts, largestNames } from '../../src/compare/default-charts.ts'
import { type EventsPlace, readDatasets } from '../../src/compare/read-datasets.ts'
import { eventsView } from '../../src/compare/views.ts'
import { wholePeriods } from '../../src/compare/zone-days.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { groupUuid, identifyUuid } from '../../src/transform/generate.ts'
import { partsByDay, writeDataset } from '../helpers/dataset.ts'
import type { TestEvent } from '../helpers/events.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'

const SPAN = { first: '2024-03-09', last: '2024-03-11' }
const signal = new AbortController().signal
const work = makeFolder()

let count = 0
function event(name: string, id: string, time: string, properties: TestEvent['properties'] = {}): TestEvent {
  const uuid = `00000000-0000-4000-8000-${(count++).toString(16).padStart(12, '0')}`
  return { uuid, event: name, distinct_id: id, timestamp: `${time}.000000Z`, properties }
}

async function datasetOf(events: readonly TestEvent[]): Promise<EventsPlace> {
  const folder = testFolder()
  await writeDataset(folder, partsByDay(events))
  const store = new LocalStore(folder)
  return { store, manifest: await readEventsManifest(store) }
}

/** Reads datasets, and gives what a look at their tables finds. */
async function tablesOf<T>(
  datasets: readonly EventsPlace[],
  look: (tables: ChartTables) => Promise<T>,
): Promise<T> {
  const tables = await ChartTables.open(work)
  try {
    await readDatasets(tables, datasets, { properties: ['plan'], signal })
    return await look(tables)
  } finally {
    await tables.close()
  }
}

function answersIn(zone: string, span = SPAN) {
  return (tables: ChartTables) =>
    answerCharts(tables, eventsView(['plan'], zone), {
      charts: defaultCharts(['a'], span),
      span,
      properties: ['plan'],
    })
}

describe('the events of datasets', () => {
  test('are counted by the days of a zone, also where a day has 23 hours', async () => {
    const found = await tablesOf(
      [
        await datasetOf([
          event('a', 'u1', '2024-03-10T04:59:59'),
          event('a', 'u1', '2024-03-10T05:00:00'),
          event('a', 'u2', '2024-03-11T03:59:59'),
          event('a', 'u2', '2024-03-11T04:00:00'),
        ]),
      ],
      answersIn('America/New_York'),
    )
    expect(found.get('count by day: a')).toHaveLength(3)
    expect(found.get('count by day: a')).toEqual(
      expect.arrayContaining([
        { at: '2024-03-09', by: null, value: 1 },
        { at: '2024-03-10', by: null, value: 2 },
        { at: '2024-03-11', by: null, value: 1 },
      ]),
    )
    expect([...found.keys()]).toEqual([
      'count by day: all events',
      'unique by day: all events',
      'count by day: a',
      'unique by day: a',
      'people',
    ])
  })

  test('of the 25th hour of a day are of that day', async () => {
    const place = await datasetOf([
      event('a', 'u1', '2024-11-04T04:59:59'),
      event('a', 'u1', '2024-11-04T05:00:00'),
    ])
    const span = { first: '2024-11-02', last: '2024-11-05' }
    const found = await tablesOf([place], answersIn('America/New_York', span))
    expect(found.get('count by day: a')).toHaveLength(2)
    expect(found.get('count by day: a')).toContainEqual({ at: '2024-11-03', by: null, value: 1 })
  })

  test('are later steps of a funnel after the span where its rule extends it', async () => {
    const place = await datasetOf([
      event('a', 'u1', '2024-03-11T23:00:00'),
      event('b', 'u1', '2024-03-12T22:00:00'),
    ])
    const steps = ['a', 'b'].map((name) => ({ event: name, where: [] }))
    const charts = [{ name: 'f', query: { kind: 'funnel', steps, windowDays: 1 } as const, report: null }]
    const reached = (ends: 'clip' | 'extend') =>
      tablesOf([place], (tables) => {
        const view = { ...eventsView(['plan'], 'UTC'), rule: { tries: 'newest', ends } as const }
        return answerCharts(tables, view, { charts, span: SPAN, properties: ['plan'] })
      }).then((found) => found.get('f')!.length)
    expect([await reached('clip'), await reached('extend')]).toEqual([1, 2])
  })

  test('take a step at the very end of the window, and none after it', async () => {
    const first = (id: string) => event('a', id, '2024-03-10T12:00:00')
    const place = await datasetOf([
      ...[first('u1'), first('u2')],
      event('b', 'u1', '2024-03-11T12:00:00'),
      event('b', 'u2', '2024-03-11T12:00:01'),
    ])
    const steps = ['a', 'b'].map((name) => ({ event: name, where: [] }))
    const charts = [{ name: 'f', query: { kind: 'funnel', steps, windowDays: 1 } as const, report: null }]
    const found = await tablesOf([place], (tables) =>
      answerCharts(tables, eventsView(['plan'], 'UTC'), { charts, span: SPAN, properties: ['plan'] }),
    )
    expect(found.get('f')!.map(({ at, value }) => [at, value])).toEqual([
      ['1', 2],
      ['2', 1],
    ])
  })

  test('of two datasets are one where both have the very same event', async () => {
    const shared = event('a', 'u1', '2024-03-10T12:00:00')
    const moved = { ...shared, timestamp: '2024-03-10T12:00:01.000000Z' }
    const found = await tablesOf(
      [await datasetOf([shared]), await datasetOf([shared, moved, event('a', 'u2', '2024-03-10T13:00:00')])],
      answersIn('UTC'),
    )
    expect(found.get('count by day: a')).toEqual([{ at: '2024-03-10', by: null, value: 3 }])
    expect(found.get('people')).toEqual([{ at: 'whole', by: null, value: 2 }])
  })

  test('that transform made of several records are told by their uuids', async () => {
    const at = '2024-03-10T12:00:00'
    const link = event('$identify', 'u1', at, { $anon_distinct_id: 'anon' })
    const group = event('$groupidentify', '$company_acme', at, {
      $group_type: 'company',
      $group_key: 'acme',
      $group_set: { size: 1.5 },
    })
    const state = { type: 'company', key: 'acme', json: '{"size":1.5}' }
    const events = [
      { ...link, uuid: identifyUuid('u1', 'anon') },
      link,
      { ...group, uuid: groupUuid(state, Date.parse(`${at}Z`) * 1000) },
      group,
    ]
    const rows = await tablesOf([await datasetOf(events)], (tables) =>
      tables.rows('SELECT name, generated FROM events ORDER BY ALL'),
    )
    expect(rows).toEqual([
      ['$groupidentify', false],
      ['$groupidentify', true],
      ['$identify', false],
      ['$identify', true],
    ])
  })

  test('join people in the order of their arrival: who is identified stays, but for a new id', async () => {
    const identify = (user: string, anon: string, time: string) =>
      event('$identify', user, `2024-03-10T${time}`, { $anon_distinct_id: anon })
    const seen = (id: string, time: string) => event('a', id, `2024-03-10T${time}`)
    const people = (events: readonly TestEvent[]) =>
      datasetOf(events)
        .then((place) => tablesOf([place], answersIn('UTC')))
        .then((found) => found.get('people')![0]!.value)
    const joined = [seen('anon', '01:00:00'), identify('u1', 'anon', '02:00:00')]
    expect(await people(joined)).toBe(1)
    expect(await people([...joined, seen('u2', '02:30:00'), identify('u2', 'anon', '03:00:00')])).toBe(2)
    expect(await people([...joined, identify('u2', 'anon', '03:00:00')])).toBe(1)
    const nobodys = [identify('u2', 'anonymous', '03:00:00'), identify('u3', 'anonymous', '04:00:00')]
    expect(await people([...joined, ...nobodys])).toBe(3)
    const silent = [identify('u1', 'x', '01:00:00'), seen('u2', '02:00:00'), identify('u2', 'x', '03:00:00')]
    expect(await people(silent)).toBe(2)
  })
})

test('a question without a file asks for the largest names, and the span is that of the events', async () => {
  expect(largestNames({ b: 1, a: 1, c: 5 })).toEqual(['c', 'a', 'b'])
  const place = await datasetOf([
    event('a', 'u', '2024-03-09T23:00:00'),
    event('a', 'u', '2024-03-11T01:00:00'),
  ])
  const days = `SELECT min(make_timestamp(instant))::DATE::VARCHAR, max(make_timestamp(instant))::DATE::VARCHAR FROM events`
  expect(await tablesOf([place], (tables) => tables.rows(days))).toEqual([[SPAN.first, SPAN.last]])
})

test.each([
  ['week', '2024-03-04', '2024-03-17', { first: '2024-03-04', last: '2024-03-17' }],
  ['week', '2024-03-05', '2024-03-17', { first: '2024-03-11', last: '2024-03-17' }],
  ['week', '2024-03-05', '2024-03-16', undefined],
  ['month', '2024-01-31', '2024-03-30', { first: '2024-02-01', last: '2024-02-29' }],
] as const)('the whole %ss of %s to %s', (interval, first, last, whole) => {
  expect(wholePeriods({ first, last }, interval)).toEqual(whole)
})
