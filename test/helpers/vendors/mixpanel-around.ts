import { jsonReply } from './days.ts'
import type { Reply, Seen } from './fake.ts'

type Thing = Readonly<Record<string, unknown>>

/** A cohort, and how many members it has: those of `memberOf`. */
export interface MadeCohort extends Thing {
  readonly id: number
  readonly count: number
}

/** What lies around the events of a project of Mixpanel, as its APIs have it. */
export interface MixpanelAround {
  readonly schemas: readonly Thing[]
  readonly annotations: readonly Thing[]
  readonly cohorts: readonly MadeCohort[]
  /** What the application says of cohorts besides; undefined where it answers 404. */
  readonly definitions?: readonly Thing[]
  readonly bookmarks: readonly Thing[]
  readonly dashboards: readonly (Thing & { readonly id: number })[]
  /** The project's zone, which `me` tells. */
  readonly zone?: string
  /** Statuses in place of answers, by the end of the path: `{ annotations: 403 }`. */
  readonly refuses?: Readonly<Record<string, number>>
  /** Pages of members that come with half of them, and how often: `{ '3 1': 2 }` is page 1 of cohort 3, twice. */
  readonly short?: Record<string, number>
  /** Each page of dashboards names itself as the next one. */
  readonly turns?: boolean
}

export interface AroundSizes {
  readonly events: number
  readonly properties: number
  readonly annotations: number
  /** Members of each cohort. */
  readonly cohorts: readonly number[]
  readonly reports: number
  readonly dashboards: number
}

/** A whole project. */
export const WHOLE_PROJECT: AroundSizes = {
  events: 300,
  properties: 900,
  annotations: 60,
  cohorts: [1, 7, 999, 1000, 1001, 2500, 40_000, 12, 300, 5, 60, 2000],
  reports: 80,
  dashboards: 9,
}

const PAGE = 1000
const BOARDS_AT_ONCE = 4
const ODD = [
  'Füße ✓',
  'say "no": # yes',
  '1e3',
  'null',
  "it's – 50%",
  '__proto__',
  '$mp_web_page_view',
  'a\nb',
]
const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'integer', 'unknown']

export const eventCalled = (n: number): string => ODD[n] ?? `Event ${n}`
const propertyCalled = (n: number): string => ODD[n] ?? `property ${n}`

/** The id of a member: some have signs of CSV in them, some are numbers that no double holds, and some are devices. */
export function memberOf(cohort: number, n: number): string {
  if (n % 500 === 5) return `$device:4b${cohort}-${n}`
  if (n % 500 === 3) return `90071992547409${String(n).padStart(5, '0')}`
  return n % 500 === 4 ? `a, "b" ${cohort}-${n}` : `user-${cohort}-${n}`
}

/** A made-up project of any size, by seed. */
export function madeAround(random: () => number, sizes: AroundSizes = WHOLE_PROJECT): MixpanelAround {
  const chance = (share: number) => random() < share
  const below = (count: number) => Math.floor(random() * count)
  const words = (what: string) => ({
    ...(chance(0.8) && { description: `${what}, in words:\n# ${below(1e6)}` }),
    metadata: {
      'com.mixpanel': {
        ...(chance(0.3) && { displayName: `${what} as shown` }),
        ...(chance(0.3) && { tags: ['core', `tag ${below(5)}`] }),
        ...(chance(0.3) && { contacts: [`p${below(9)}@example.com`], teamContacts: ['Growth'] }),
        hidden: chance(0.1),
        dropped: chance(0.1),
      },
    },
  })
  const definitions = Array.from({ length: sizes.properties }, (_, n) => {
    return [propertyCalled(n), { type: TYPES[n % TYPES.length], ...words(`property ${n}`) }] as const
  })
  const ofPeople = definitions.slice(0, Math.floor(sizes.properties / 3))
  const ofEvents = definitions.slice(ofPeople.length)
  // Each is described for one event at least, and some for several, now and then in other words.
  const told = (n: number) =>
    Object.fromEntries(
      ofEvents
        .filter((_, at) => at % sizes.events === n || chance(0.01))
        .map(([name, definition]) => [
          name,
          chance(0.05) ? { ...definition, description: `otherwise ${n}` } : definition,
        ]),
    )
  const schemas = Array.from({ length: sizes.events }, (_, n) => {
    return {
      entityType: 'event',
      name: eventCalled(n),
      schemaJson: { ...words(`event ${n}`), properties: told(n) },
    }
  })
  const people = {
    entityType: 'profile',
    name: '$user',
    schemaJson: { properties: Object.fromEntries(ofPeople) },
  }
  const bookmarks = Array.from({ length: sizes.reports }, (_, n) => madeBookmark(n, sizes, below))
  const cohorts = sizes.cohorts.map((count, n) => ({
    ...{ id: n + 1, count, is_visible: n % 2, project_id: 42, created: '2026-01-19 23:49:51' },
    ...{ name: n % 4 === 0 ? 'Best customers' : `Cohort ${n}`, description: `cohort ${n} in words` },
  }))
  return {
    schemas: [...schemas, people],
    annotations: Array.from({ length: sizes.annotations }, (_, n) => ({
      id: n + 1,
      date: `2026-${String(1 + (n % 12)).padStart(2, '0')}-15 09:${String(n % 60).padStart(2, '0')}:00`,
      description: `Release ${n}: ${ODD[n % ODD.length]}`,
      user: { id: 7, first_name: 'Ada', last_name: `L. ${n}` },
      tags: chance(0.3) ? [{ id: 3, name: 'release' }] : [],
    })),
    cohorts,
    definitions: cohorts.map(({ id, name }) => ({
      ...{ id, name, creator_name: `maker ${id}`, last_queried: '2026-11-01 00:00:00' },
      groups: [{ type: 'cohort_group', filters: [{ event: eventCalled(id), at_least: id }] }],
    })),
    bookmarks,
    dashboards: Array.from({ length: sizes.dashboards }, (_, n) => madeBoard(n, bookmarks)),
    zone: 'Europe/Berlin',
  }
}

function madeBookmark(n: number, { events }: AroundSizes, below: (count: number) => number) {
  const type = ['insights', 'funnels', 'retention', 'flows', 'launch-analysis'][n % 5]!
  const filters = [
    { resourceType: 'events', value: 'plan', filterOperator: 'equals', filterValue: ['pro', `team ${n}`] },
  ]
  const event = (at: number) => ({ type: 'event', name: eventCalled(at % events), filters })
  const behavior = {
    insights: event(n),
    funnels: {
      type: 'funnel',
      behaviors: [event(n), event(n + 1)],
      conversionWindowDuration: 7,
      conversionWindowUnit: 'day',
    },
    retention: { type: 'retention', behaviors: [event(n), event(n + 2)], retentionUnit: 'week' },
  }[type]
  const sections = {
    show: behavior ? [{ behavior, measurement: { math: 'unique' } }] : [],
    group: [{ value: '$browser', resourceType: 'events' }],
    time: [{ unit: 'week' }],
  }
  const params =
    type === 'flows' ? { steps: [{ event: eventCalled(n % events) }] } : { sections, version: `v${n}` }
  return {
    ...{
      id: 1000 + n,
      name: n % 9 === 8 ? '' : `Report ${n % 60}`,
      type,
      description: `report ${n} in words`,
    },
    // Some come as a text.
    ...{ params: below(2) === 0 ? params : JSON.stringify(params), creator_name: `maker ${n}` },
  }
}

function madeBoard(n: number, bookmarks: readonly (Thing & { readonly id: number })[]) {
  const shown = bookmarks.filter((_, at) => at % 9 === n)
  const own = { id: 5000 + n, name: `Own ${n}`, type: 'insights', params: { sections: { show: [] } } }
  const report = Object.fromEntries([...shown, own].map((one) => [String(90_000 + one.id), one]))
  const text = { [String(80_000 + n)]: { id: 80_000 + n, markdown: `<h2>Board ${n}</h2>` } }
  const cells = [
    ...Object.keys(text).map((id) => ({ content_id: Number(id), content_type: 'text' })),
    ...Object.keys(report).map((id) => ({ content_id: Number(id), content_type: 'report' })),
  ].map((cell, at) => ({ id: `cell-${at}`, width: 6, ...cell }))
  const rows = Object.fromEntries(cells.map((cell, at) => [`row-${at}`, { height: 336 + at, cells: [cell] }]))
  return {
    ...{ id: n + 1, title: `Board ${n}`, description: n % 2 ? 'weekly' : '', is_private: n === 3 },
    pinned_date: n === 0 ? '2026-02-02' : null,
    contents: { report, text },
    layout: { version: '2.0.0', order: Object.keys(rows).reverse(), rows },
  }
}

/** What Mixpanel answers; undefined for a path that is none of these. */
export function answerAround(
  around: MixpanelAround,
  { url, body }: Pick<Seen, 'url' | 'body'>,
): Reply | undefined {
  const [, end = ''] = /^\/api\/(?:app\/projects\/42|app|query)\/([\w/]+)$/.exec(url.pathname) ?? []
  const form = new URLSearchParams(body)
  const isMembers = end === 'engage' && form.has('filter_by_cohort')
  const status = around.refuses?.[isMembers ? 'members' : end]
  if (status !== undefined) return jsonReply({ status: 'error', error: `no ${end} for you` }, status)
  if (isMembers) return membersAt(around, form)
  const board = around.dashboards.find(({ id }) => end === `dashboards/${id}`)
  if (board) return jsonReply({ status: 'ok', results: board })
  if (end === 'schemas') return jsonReply({ status: 'ok', results: around.schemas })
  if (end === 'annotations') return jsonReply({ status: 'ok', results: around.annotations })
  if (end === 'cohorts/list') return jsonReply(around.cohorts)
  if (end === 'cohorts' && around.definitions) return jsonReply({ status: 'ok', results: around.definitions })
  if (end === 'bookmarks') return jsonReply({ status: 'ok', results: { results: around.bookmarks } })
  if (end === 'dashboards') return boardsAt(around, Number(url.searchParams.get('cursor') ?? 0))
  if (end === 'me')
    return jsonReply({ results: { projects: { 42: { name: 'Shop', timezone: around.zone } } } })
  return undefined
}

function boardsAt({ dashboards, turns }: MixpanelAround, from: number): Reply {
  const heads = dashboards.slice(from, from + BOARDS_AT_ONCE)
  const next = turns ? from : from + BOARDS_AT_ONCE
  return jsonReply({
    status: 'ok',
    results: heads.map(({ contents: _, layout: __, ...head }) => head),
    pagination: { page_size: BOARDS_AT_ONCE, next_cursor: next < dashboards.length ? String(next) : null },
  })
}

function membersAt({ cohorts, short }: MixpanelAround, form: URLSearchParams): Reply {
  const { id } = JSON.parse(form.get('filter_by_cohort') ?? '{}') as { id?: number }
  const cohort = cohorts.find((one) => one.id === id)
  const page = Number(form.get('page') ?? 0)
  const session = `cohort-${id}`
  if (!cohort || (page > 0 && form.get('session_id') !== session))
    return { status: 400, body: 'no such session' }
  const left = short?.[`${id} ${page}`] ?? 0
  if (short && left > 0) short[`${id} ${page}`] = left - 1
  const whole = Math.min(PAGE, Math.max(0, cohort.count - page * PAGE))
  const results = Array.from({ length: left > 0 ? Math.floor(whole / 2) : whole }, (_, at) => {
    const member = memberOf(cohort.id, page * PAGE + at)
    return `{"$distinct_id": ${/^\d+$/.test(member) ? member : JSON.stringify(member)}, "$properties": {}}`
  })
  const head = `"page": ${page}, "page_size": ${PAGE}, "session_id": "${session}", "status": "ok", "total": ${cohort.count}`
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: `{${head}, "results": [${results.join(',')}]}` }
}
