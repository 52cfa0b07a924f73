import { expect, test } from 'vitest'
import { rebuiltQuery, settingsWords } from '../../../src/jobs/around/rebuild.ts'

const naming = {
  event: (name: string) => (name === 'secret' ? undefined : `new ${name}`),
  property: (of: string, name: string) => (name === 'secret' ? undefined : `${of} ${name}`),
  member: (id: string) => id,
}
const tools = { naming, cohort: (id: string) => (id === '3' ? '33' : undefined) }
const insight = (source: Record<string, unknown>) => ({ kind: 'InsightVizNode', source }) as never

test('events, properties and cohorts of a query get their names and ids of the project', () => {
  const query = insight({
    kind: 'FunnelsQuery',
    series: [{ kind: 'EventsNode', event: 'a', properties: [{ key: 'plan', type: 'event', value: ['x'] }] }],
    properties: {
      type: 'AND',
      values: [
        { key: 'id', type: 'cohort', value: 3 },
        { key: 'mail', type: 'person' },
      ],
    },
    breakdownFilter: { breakdown: 'os', breakdown_type: 'event' },
  })
  expect(rebuiltQuery(query, tools)).toEqual(
    insight({
      kind: 'FunnelsQuery',
      series: [
        {
          kind: 'EventsNode',
          event: 'new a',
          properties: [{ key: 'event plan', type: 'event', value: ['x'] }],
        },
      ],
      properties: {
        type: 'AND',
        values: [
          { key: 'id', type: 'cohort', value: 33 },
          { key: 'person mail', type: 'person' },
        ],
      },
      breakdownFilter: { breakdown: 'event os', breakdown_type: 'event' },
    }),
  )
  const retention = insight({
    kind: 'RetentionQuery',
    retentionFilter: { targetEntity: { id: 'a', type: 'events' } },
  })
  expect(JSON.stringify(rebuiltQuery(retention, tools))).toContain('"id":"new a"')
})

test.each([
  [undefined, 'filters of an old form'],
  [{ kind: 'DataTableNode', source: { kind: 'HogQLQuery' } }, 'it is a HogQLQuery'],
  [insight({ kind: 'PathsQuery' }), 'it is a PathsQuery'],
  [
    insight({ kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 4, name: 'Bought' }] }),
    'the action Bought',
  ],
  [insight({ kind: 'TrendsQuery', series: [{ kind: 'DataWarehouseNode' }] }), 'data warehouse'],
  [insight({ kind: 'TrendsQuery', properties: [{ type: 'cohort', value: 4 }] }), 'the cohort 4'],
  [
    insight({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'secret' }] }),
    'leaves out its event secret',
  ],
  [
    insight({ kind: 'TrendsQuery', properties: [{ type: 'event', key: 'secret' }] }),
    'leaves out its property secret',
  ],
] as const)('one that can not be made again says why: %j', (query, why) => {
  expect(() => rebuiltQuery(query as never, tools)).toThrow(why)
})

test("a vendor's report is told as settings of the closest insight", () => {
  const row = {
    id: '1',
    name: 'Orders',
    kind: 'insights',
    closest: 'trends' as const,
    events: ['a', 'secret'],
    filters: ['plan is pro'],
    settings: { measure: 'unique people', interval: 'week' },
  }
  expect(settingsWords(row, naming)).toBe(
    'a Trends insight; events: new a, secret (left out by the mapping); filters: plan is pro; measure: unique people; interval: week',
  )
  expect(settingsWords({ id: '1', name: 'x', kind: 'flows' }, naming)).toBe(
    'nothing in PostHog is close to its kind, flows',
  )
})
