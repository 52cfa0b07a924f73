import type { AroundKind } from '../../../src/around/index.ts'
import { AROUND_SCOPES, AroundProject } from '../../../src/service/around/around-project.ts'
import { annotationsOf } from '../../../src/sources/mixpanel/annotations.ts'
import { cohortMembers, cohortsOf } from '../../../src/sources/mixpanel/cohorts.ts'
import { type MixpanelCall, QueryApi } from '../../../src/sources/mixpanel/query-api.ts'
import type { Received } from '../kit/received.ts'
import { all, type Endpoint, json, OTHER_UUID, project, STATUS_ALONE, UUID, withVendor } from './endpoint.ts'

const COHORT = { id: '5', name: 'Zürich', file: null, members: null }
const thing = (id: number) => ({ id, name: `Zürich ${id}`, description: 'Basel', tags: ['geneva'] })
const WHO = { name: 'Zürich', description: 'Basel', is_static: true }
const named = (id: number) => ({ ...thing(id), id: id === 1 ? UUID : OTHER_UUID })

/** A list of two pages, of each kind of thing. */
const LISTS: Readonly<
  Record<Exclude<AroundKind, 'dashboards'>, readonly [path: string, first: object, second: object]>
> = {
  events: ['event_definitions', named(1), named(2)],
  properties: ['property_definitions', named(1), named(2)],
  annotations: [
    'annotations',
    { id: 1, content: 'Zürich', date_marker: '2024-01-31T00:00:00Z', scope: 'project' },
    { id: 2, content: 'Basel', date_marker: '2024-02-01T00:00:00Z', scope: 'project' },
  ],
  cohorts: ['cohorts', { ...WHO, id: 1 }, { ...WHO, id: 2 }],
  reports: ['insights', { ...thing(1), short_id: 'zurich' }, { ...thing(2), short_id: 'basel' }],
}

const pageOf = (asked: string, path: string, first: object, second: object) =>
  asked.includes('offset=1')
    ? { next: null, results: [second] }
    : { next: `/api/projects/1/${path}/?offset=1`, results: [first] }

/** Each case has a server of its own, whose address is in the links. */
const withoutLinks = (origin: string, value: unknown) => JSON.stringify(value).replaceAll(origin, '')

function list(kind: keyof typeof LISTS): Endpoint {
  const [path, first, second] = LISTS[kind]
  return project({
    name: `list of ${kind}`,
    struck: new RegExp(`^GET /api/projects/1/${path}/\\?`),
    isLikeAnother: true,
    nothing: ['[]'],
    right: ({ path: asked }: Received) =>
      asked.includes('groups_types') ? [] : pageOf(asked, path, first, second),
    ask: async (api, { origin }) => withoutLinks(origin, await new AroundProject(api, '1').list(kind)),
  })
}

const BOARD = {
  ...thing(3),
  tiles: [
    { id: 1, insight: { id: 5 }, layouts: { sm: { x: 0, y: 0 } } },
    { id: 2, text: { body: 'Zürich' }, layouts: { sm: { x: 6, y: 0 } } },
  ],
}

const POSTHOG: readonly Endpoint[] = [
  ...(Object.keys(LISTS) as (keyof typeof LISTS)[]).map(list),
  ...AROUND_SCOPES.slice(0, 1).map(({ ask, what }) =>
    project({
      name: `whether ${what} may be read`,
      struck: /^GET /,
      proof: 'word',
      isOptional: true,
      isLikeAnother: true,
      believes: STATUS_ALONE,
      right: { next: null, results: [] },
      ask: async (api) => await ask(api, '1'),
    }),
  ),
  project({
    name: 'a dashboard',
    struck: /^GET \/api\/projects\/1\/dashboards\/3\/$/,
    isLikeAnother: true,
    right: BOARD,
    other: { ...BOARD, id: 4 },
    ask: async (api, { origin }) => withoutLinks(origin, await new AroundProject(api, '1').board('3')),
  }),
  project({
    name: 'a cohort that is being filled',
    struck: /^GET \/api\/projects\/1\/cohorts\/5\/$/,
    isLikeAnother: true,
    right: { id: 5, name: 'Zürich', is_static: true, is_calculating: false, count: 7, errors_calculating: 0 },
    other: { id: 6, name: 'Basel', is_static: true, is_calculating: false, count: 9, errors_calculating: 0 },
    ask: async (api) => await new AroundProject(api, '1').cohort('5'),
  }),
  project({
    name: 'the persons of a cohort',
    struck: /^GET \/api\/projects\/1\/cohorts\/5\/persons\/\?/,
    isLikeAnother: true,
    nothing: [[]],
    right: ({ path }: Received) =>
      pageOf(path, 'cohorts/5/persons', { distinct_ids: ['zurich'] }, { distinct_ids: ['basel'] }),
    ask: async (api) => (await all(new AroundProject(api, '1').members('5'))).flat(),
  }),
  project({
    name: 'the dashboards of an insight',
    struck: /^GET \/api\/projects\/1\/insights\/5\/$/,
    isLikeAnother: true,
    right: { id: 5, dashboards: [2] },
    other: { id: 6, dashboards: [1] },
    ask: async (api) => await putOn(api),
  }),
]

/** Where an insight is put by what the service tells of it. */
async function putOn(api: ConstructorParameters<typeof AroundProject>[0]): Promise<unknown> {
  let written: unknown
  const change: typeof api.change = (path, body, subject) => {
    written = body
    return api.get(path, subject)
  }
  const noting = Object.assign(Object.create(api) as typeof api, {
    change,
    get: api.get.bind(api),
    read: api.read.bind(api),
  })
  await new AroundProject(noting, '1').putOn('5', '3')
  return written
}

const NOTE = { id: 1, content: 'Zürich', date_marker: '2024-01-31T00:00:00Z', scope: 'project' }
const ROW = { at: '2024-01-31T00:00:00.000Z', text: 'Zürich' }

/** Something that is written, of whose answer no more than its status is believed. */
function written(name: string, struck: RegExp, right: unknown, write: (to: AroundProject) => Promise<void>) {
  return project({
    ...{ name, struck, right, proof: 'word', isLikeAnother: true, believes: STATUS_ALONE },
    ask: async (api) => {
      await write(new AroundProject(api, '1'))
      return 'written'
    },
  })
}

const WRITES: readonly Endpoint[] = [
  {
    ...project({
      name: 'a new annotation',
      struck: /^POST \/api\/projects\/1\/annotations\/$/,
      // It is asked for once: where it may have been made, the caller looks.
      isOptional: true,
      isLikeAnother: true,
      status: 201,
      right: NOTE,
      ask: async (api) => await new AroundProject(api, '1').make('annotations', ROW),
    }),
    ends: /^429.*: again, 5$/,
  },
  project({
    name: 'a changed annotation',
    struck: /^PATCH \/api\/projects\/1\/annotations\/1\/$/,
    isLikeAnother: true,
    right: NOTE,
    other: { ...NOTE, id: 2 },
    ask: async (api) => await new AroundProject(api, '1').change('annotations', '1', { text: 'Zürich' }, ROW),
  }),
  {
    ...written('a definition that is removed', /^DELETE /, {}, (to) => to.remove('events', UUID)),
    // One that is not there any more is as good.
    believes: new RegExp(`${STATUS_ALONE.source}|^404`),
  },
  written('a cohort that is removed', /^PATCH /, {}, (to) => to.remove('cohorts', '5')),
  written('members for a cohort', /^PATCH /, {}, (to) => to.fill(COHORT, '5', ['Zürich'])),
  written('tiles of a dashboard', /^PATCH /, {}, (to) => to.placeTiles('3', [{ id: 1, color: 'blue' }])),
  written('an insight on a dashboard', /^PATCH /, { id: 5, dashboards: [] }, (to) => to.putOn('5', '3')),
]

/** What Mixpanel is asked for what lies around events. */
function mixpanel(
  name: string,
  struck: RegExp,
  right: (request: Received) => unknown,
  ask: (api: QueryApi, call: MixpanelCall) => Promise<unknown>,
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    name: `Mixpanel: ${name}`,
    struck,
    proof: 'value',
    client: 'vendor',
    isLikeAnother: true,
    right: (request) => json(right(request)),
    ask: (asking) =>
      withVendor(asking, 'Mixpanel', async (client, { signal, retry }) => {
        return await ask(new QueryApi(client, '7', retry), { signal, note: () => undefined })
      }),
    ...more,
  }
}

const LISTED = { results: [{ id: 1, date: '2026-03-02 09:00:00', description: 'Zürich' }] }
const ME = { results: { projects: { 7: { timezone: 'Europe/Zurich' } } } }
const annotations = ({ path }: Received) => (path.startsWith('/api/app/me') ? ME : LISTED)
const inUtc = [{ at: '2026-03-02T09:00:00Z', text: 'Zürich' }]
const KNOWN = { results: [{ id: 5, name: 'Zürich', definition: { event: 'Basel' } }] }
const cohorts = ({ path }: Received) => (path.startsWith('/api/app/') ? KNOWN : [{ id: 5, name: 'Zürich' }])

const MIXPANEL: readonly Endpoint[] = [
  mixpanel('annotations', /^GET \/api\/app\/projects\/7\/annotations$/, annotations, annotationsOf, {
    nothing: [[]],
    // A date that is none stays as it is: the folder leaves it out, and says so.
    believes: /for numbers$/,
  }),
  // Whoever is told no zone goes on in UTC, and says so.
  mixpanel('the zone of annotations', /^GET \/api\/app\/me$/, annotations, annotationsOf, {
    nothing: [inUtc],
  }),
  mixpanel(
    'cohorts',
    /^POST \/api\/query\/cohorts\/list\?/,
    cohorts,
    async (api, call) => await cohortsOf(api, api, call),
  ),
  mixpanel(
    'what defines cohorts',
    /^GET \/api\/app\/projects\/7\/cohorts$/,
    cohorts,
    async (api, call) => await cohortsOf(api, api, call),
    { nothing: [[COHORT]] },
  ),
  mixpanel(
    'members of a cohort',
    /^POST \/api\/query\/engage\?/,
    ({ packed }) => {
      const page = Number(new URLSearchParams(packed.toString()).get('page'))
      const results = page === 0 ? [{ $distinct_id: 'Zürich' }] : []
      return { page, page_size: 1, session_id: 's', status: 'ok', total: 1, results }
    },
    async (api, call) => (await all(await cohortMembers(api, COHORT, call))).flat(),
  ),
]

/** What PostHog and Mixpanel are asked, and PostHog is told, of what lies around the events. */
export const AROUND: readonly Endpoint[] = [...POSTHOG, ...WRITES, ...MIXPANEL]
