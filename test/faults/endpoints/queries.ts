import { z } from 'zod'
import { countExtent, extentOfId } from '../../../src/commands/undo/extent.ts'
import type { AskedProject } from '../../../src/service/api.ts'
import { arrivedCells, arrivedIds } from '../../../src/service/arrived.ts'
import { arrivedEvents, arrivedValues } from '../../../src/service/arrived-events.ts'
import {
  countGrouped,
  countGroups,
  countPeople,
  knownGroups,
  personsOf,
} from '../../../src/service/arrived-people.ts'
import { eventsLike, placesOfOthers } from '../../../src/service/event-filter.ts'
import { eventsByDay, hasNoEvent, hasUnreadable } from '../../../src/service/events-by-day.ts'
import { Groups, groupEvents } from '../../../src/service/groups.ts'
import {
  allDistinctIds,
  countDistinctIds,
  firstEvent,
  personSpans,
  storedPersons,
} from '../../../src/service/live-persons.ts'
import { askRow } from '../../../src/service/query.ts'
import { queryGroups, tryQuery } from '../../../src/sources/posthog/groups.ts'
import type { Received } from '../kit/received.ts'
import { all, type Endpoint, OTHER_UUID, project, UUID } from './endpoint.ts'

const DAY = { first: '2024-01-31', last: '2024-01-31', importIds: null }
const TYPE = { index: 0, name: 'company', since: null }
const TIME = '2024-01-31 12:34:56.789123'
const CELL = ['2024-01-31', 'Zürich', '1', '1', '2', '3', '4', '5', '6', '1', '']

/** Rows of a page, and none of the next one: `mark` stands in a query for what comes after. */
function paged(mark: string, ...rows: readonly unknown[]) {
  return ({ packed }: Received) => (packed.includes(mark) ? [] : rows)
}

type Rows = readonly unknown[] | ((request: Received) => readonly unknown[])

/** A question in HogQL: what it is answered, and how it is asked. */
function question(
  name: string,
  rows: Rows,
  ask: (project: AskedProject) => Promise<unknown>,
  more: {
    readonly nothing?: readonly unknown[]
    readonly believes?: RegExp
    readonly other?: readonly unknown[]
  } = {},
): Endpoint {
  const { other, ...rest } = more
  return project({
    name: `query: ${name}`,
    struck: /^POST \/api\/projects\/1\/query\/$/,
    isLikeAnother: name !== 'one row',
    right: (request: Received) => ({ results: typeof rows === 'function' ? rows(request) : rows }),
    ...(other && { other: { results: other } }),
    nothing: [[], new Set(), new Map()],
    // A text that holds properties may say anything.
    believes: /^arrays for objects$/,
    ...rest,
    ask: (api) => ask({ api, projectId: '1' }),
  })
}

/** Each question that the program asks in the service's query language. */
export const QUERIES: readonly Endpoint[] = [
  question(
    'one row',
    [[1]],
    (project) => askRow(project, { query: 'SELECT 1', what: 'a query', row: z.tuple([z.int()]) }),
    { believes: /^(?:-1|2\^60) for numbers$/ },
  ),
  question('cells', [CELL], (project) => all(arrivedCells(project, { filter: DAY, whole: false })), {
    // Whoever asks holds the cells against its own, day by day.
    other: [['2020-02-02', ...CELL.slice(1)]],
    believes: /another question/,
  }),
  question('cells, page by page', paged('event > ', CELL), (project) =>
    all(arrivedCells(project, { filter: DAY, whole: false, maxRows: 1 })),
  ),
  question('ids, page by page', paged('toString(uuid) > ', [UUID, 'a', 'signup', TIME]), (project) =>
    all(arrivedIds(project, DAY, 1)),
  ),
  question(
    'events looked for',
    [[UUID]],
    async (project) => {
      const wanted = [UUID, OTHER_UUID].map((uuid) => ({ day: DAY.first, event: 'signup', uuid }))
      const found = await arrivedEvents(project, wanted)
      return [UUID, OTHER_UUID].map((uuid) => found.has(uuid))
    },
    { other: [['018d5f3e-0000-7000-8000-000000000009']], nothing: [[false, false]] },
  ),
  question('values', [[UUID, 'signup', 'a', TIME, '{"city":"Zürich"}', '', 3]], (project) =>
    arrivedValues(project, DAY, [UUID]),
  ),
  question('the number of persons', [[7, 5]], (project) => countPeople(project, DAY)),
  question('the events of groups', [[9, 8]], (project) =>
    countGrouped(project, DAY, [{ name: 'company', index: 0 }]),
  ),
  question('persons of ids', [['a', UUID]], (project) => personsOf(project, ['a', 'b'])),
  question('the number of groups', [[0, 3]], (project) => countGroups(project)),
  question('keys of groups', [[0, 'Zürich']], (project) => knownGroups(project, 0, ['Zürich', 'b']), {
    other: [[1, 'Zürich']],
  }),
  question('events a day', [['2024-01-31', 9, 8, 1]], (project) =>
    eventsByDay(project, DAY, { vendor: 'mixpanel', importIds: ['a'] }),
  ),
  question('whether there are events', [['signup']], (project) => hasNoEvent(project), { nothing: [true] }),
  question(
    'events kept as one text',
    [['signup']],
    (project) => hasUnreadable(project, DAY.first, DAY.last),
    {
      nothing: [false],
    },
  ),
  question('events of a group', [[4, TIME, TIME]], (project) =>
    groupEvents(new Groups(project), TYPE, 'Zürich'),
  ),
  question('the number of ids', [[6]], (project) => countDistinctIds(project)),
  question('all ids, page by page', paged('WHERE distinct_id >', ['a', UUID]), (project) =>
    all(allDistinctIds(project, 1)),
  ),
  question('stored persons', [[UUID, '{"city":"Zürich"}']], (project) => storedPersons(project, [UUID])),
  question('the first event', [[TIME]], (project) => firstEvent(project), { nothing: [undefined] }),
  question('times of persons', [[UUID, TIME, TIME]], (project) => personSpans(project, [UUID])),
  question('places of other imports', [['2024-01-31', 'signup', 'job', 'mixpanel', 3]], (project) =>
    placesOfOthers(project, DAY, { vendor: 'mixpanel', importIds: null }),
  ),
  question('events under uuids', [[UUID, 'signup', 'a', TIME]], (project) =>
    eventsLike(project, [DAY], [{ uuid: UUID, event: 'signup', distinctId: 'a', timestamp: TIME }]),
  ),
  question(
    'groups, page by page',
    paged('key > ', ['a', '{"city":"Zürich"}', TIME]),
    (project) => all(queryGroups(new Groups(project), TYPE, { next: undefined, seen: [] })),
    { believes: /^(?:no rows|objects for arrays)$/ },
  ),
  question(
    'whether groups may be queried',
    [['a', '{}', TIME]],
    (project) => tryQuery(new Groups(project), TYPE),
    { nothing: [undefined] },
  ),
  question('the days of an import', [['2024-01-30', '2024-01-31']], (project) => extentOfId(project, 'job')),
  question(
    'what undo counts',
    [CELL],
    (project) => countExtent(project, { ...DAY, import_ids: ['job'] }, undefined),
    { nothing: [{ events: 0, others: null, cells: [] }] },
  ),
]
