import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AroundFolder } from '../../../src/around/around-folder.ts'
import { AROUND_KINDS, type AroundKind, type AroundRow } from '../../../src/around/around-kinds.ts'
import type { AroundCall, AroundSource } from '../../../src/around/around-source.ts'
import { mixpanelWork } from '../../../src/sources/mixpanel/mixpanel.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { testFolder } from '../../helpers/folder.ts'
import { seeded } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'
import type { FakeMixpanelOptions } from '../../helpers/vendors/mixpanel.ts'
import { type MixpanelAround, madeAround, memberOf } from '../../helpers/vendors/mixpanel-around.ts'
import { aroundCall, aroundOf, fakeOf, NOW, quotaMemory } from './side.ts'

const SMALL = { events: 12, properties: 30, annotations: 4, cohorts: [1, 1003], reports: 10, dashboards: 3 }

const EMPTY: MixpanelAround = { schemas: [], annotations: [], cohorts: [], bookmarks: [], dashboards: [] }

function opened(around: Partial<MixpanelAround>, options: Partial<FakeMixpanelOptions> = {}) {
  return fakeOf([], { queries: Number.POSITIVE_INFINITY, around: { ...EMPTY, ...around }, ...options })
}

async function rowsOf<K extends AroundKind>(
  source: AroundSource,
  kind: K,
  call: AroundCall = aroundCall(),
): Promise<readonly AroundRow<K>[]> {
  const told = await source.read[kind](call)
  if ('untold' in told) throw new Error(told.untold)
  return told
}

async function allRows(source: AroundSource, call = aroundCall()) {
  const all: Partial<Record<AroundKind, readonly AroundRow[]>> = {}
  for (const kind of AROUND_KINDS) all[kind] = await rowsOf(source, kind, call)
  return all as { readonly [K in AroundKind]: readonly AroundRow<K>[] }
}

async function membersOf(source: AroundSource, id: string, call = aroundCall()): Promise<string[]> {
  const cohort = (await rowsOf(source, 'cohorts', aroundCall())).find((one) => one.id === id)!
  const pages = await source.members(cohort, call)
  if ('untold' in pages) throw new Error(pages.untold)
  const ids: string[] = []
  for await (const page of pages) for (const member of page) ids.push(member)
  return ids
}

const expected = (cohort: number, count: number) =>
  Array.from({ length: count }, (_, n) => memberOf(cohort, n))

/** What a row has a field for, what says where a thing is on its page, the flags, and a time, which comes with its zone. */
const OF_MIXPANEL = new RegExp(
  `^(${[
    'entityType|event|profile|\\$user|schemaJson|properties|metadata|com\\.mixpanel|displayName|contacts|teamContacts|dropped|hidden',
    'type|string|array|integer|date|params|title|contents|layout|version|2\\.0\\.0|order|rows|cells|row-\\d+|cell-\\d+',
    'content_id|content_type|markdown|report|[89]\\d{4}|project_id|last_queried|2026-11-01 00:00:00|2026-\\d\\d-15 09:\\d\\d:00',
  ].join('|')})$`,
)

/** All names, texts and numbers in a value, but for the ids of its things. */
function leavesOf(value: unknown, key = ''): string[] {
  if (key === 'project_id' || key === 'id') return []
  if (typeof value === 'string' && /^[[{]/.test(value)) return leavesOf(JSON.parse(value))
  if (value === '') return []
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...leavesOf(one, name),
  ])
}

test('a whole project is told, and nothing that Mixpanel gave is left out', async () => {
  const around = madeAround(seeded(seedOf('mixpanel-around')))
  const source = await aroundOf(await opened(around))
  expect([source.name, source.identity]).toEqual(['Mixpanel', 'mixpanel eu 42'])
  const notes: string[] = []
  const rows = await allRows(source, aroundCall(notes))
  expect(notes).toEqual([])
  expect(AROUND_KINDS.map((kind) => [kind, rows[kind].length])).toEqual([
    ['events', 300],
    ['properties', 900],
    ['annotations', 60],
    ['cohorts', 12],
    // 80 of the list, and one that only its dashboard has on each of 9.
    ['reports', 89],
    ['dashboards', 9],
  ])
  const told = new Set(leavesOf(rows).flatMap((leaf) => [leaf, ...leaf.split(', ')]))
  const { zone: _, ...given } = around
  const lacking = leavesOf(Object.values(given)).filter((leaf) => !told.has(leaf) && !OF_MIXPANEL.test(leaf))
  expect(lacking).toEqual([])
  // The files hold it, whatever the names are.
  const folder = new AroundFolder(join(testFolder(), 'around'))
  for (const kind of AROUND_KINDS) {
    await folder.write(kind, rows[kind] as readonly AroundRow[])
    expect(await folder.read(kind)).toHaveLength(rows[kind].length)
  }
})

test('40,000 members stream a page at a time, each with the digits that it came with', async () => {
  const fake = await opened({ cohorts: [{ id: 7, name: 'Large', count: 40_000 }] })
  const source = await aroundOf(fake)
  const [cohort] = await rowsOf(source, 'cohorts')
  const before = fake.seen.length
  const pages = await source.members(cohort!, aroundCall())
  expect(fake.seen.length - before).toBe(1)
  let [members, most] = [0, 0]
  for await (const page of pages as AsyncIterable<readonly string[]>) {
    for (const [at, id] of page.entries()) if (id !== memberOf(7, members + at)) throw new Error(id)
    members += page.length
    most = Math.max(most, page.length)
  }
  expect([members, most]).toEqual([40_000, 1000])
  const forms = fake.seen.map(({ body }) => new URLSearchParams(body)).filter((form) => form.has('page'))
  expect(new Set(forms.map((form) => form.get('filter_by_cohort')))).toEqual(new Set(['{"id":7}']))
  expect(new Set(forms.slice(1).map((form) => form.get('session_id')))).toEqual(new Set(['cohort-7']))
})

test('a page that lost members is asked for again; one that stays short is an error, never a shorter cohort', async () => {
  const cohorts = [{ id: 1, name: 'Cut', count: 3500 }]
  const mended = await aroundOf(await opened({ cohorts, short: { '1 1': 2, '1 3': 1 } }))
  expect(await membersOf(mended, '1')).toEqual(expected(1, 3500))
  const broken = await aroundOf(await opened({ cohorts, short: { '1 1': 9 } }))
  await expect(membersOf(broken, '1')).rejects.toThrow('said it has 3500 profiles, and sent 1500')
})

test.each(['storm', 'busy', 'timeout', 'html', 'cut', 'drop', 'drip'] as const)(
  'mischief of the kind %s changes nothing',
  async (kind) => {
    const around = madeAround(seeded(5), SMALL)
    const calm = await aroundOf(await opened(around))
    const fake = await opened(around, { seed: 3, mischief: [{ kind, rate: 0.4, times: 30 }] })
    const rough = await aroundOf(fake)
    expect(await allRows(rough)).toEqual(await allRows(calm))
    expect(await membersOf(rough, '2')).toEqual(expected(2, 1003))
    expect(fake.done[kind]).toBeGreaterThan(0)
  },
)

test.each([
  ['annotations', 403],
  ['schemas', 402],
  ['bookmarks', 404],
  ['dashboards', 403],
  ['cohorts/list', 402],
] as const)('where %s is refused with %i, it is said, and the others are told', async (end, status) => {
  const source = await aroundOf(await opened({ ...madeAround(seeded(5), SMALL), refuses: { [end]: status } }))
  const untold: string[] = []
  for (const kind of AROUND_KINDS) {
    const told = await source.read[kind](aroundCall())
    if (!('untold' in told)) continue
    expect(told.untold).toBe(`Mixpanel answered ${status}: no ${end} for you`)
    untold.push(kind)
  }
  const kinds = { schemas: ['events', 'properties'], 'cohorts/list': ['cohorts'], bookmarks: ['reports'] }
  expect(untold).toEqual({ ...kinds, annotations: ['annotations'], dashboards: ['dashboards'] }[end])
})

test('members and definitions that are refused, and a dashboard that is closed, are said one by one', async () => {
  const around = madeAround(seeded(5), SMALL)
  const refuses = { members: 403, cohorts: 403, 'dashboards/2': 403 }
  const source = await aroundOf(await opened({ ...around, refuses }))
  const notes: string[] = []
  const rows = await allRows(source, aroundCall(notes))
  expect(notes).toEqual([
    expect.stringContaining('not what defines them: Mixpanel answered 403'),
    expect.stringContaining("the tiles of Mixpanel's dashboard 2 are left out"),
  ])
  expect(rows.dashboards.map(({ tiles }) => tiles === undefined)).toEqual([false, true, false])
  expect(await source.members(rows.cohorts[0]!, aroundCall())).toEqual({
    untold: expect.stringContaining('403'),
  })
  const groups = { ...rows.cohorts[0]!, more: { data_group_id: '-17' } }
  expect(await source.members(groups, aroundCall())).toEqual({ untold: expect.stringContaining('groups') })
})

test('wrong credentials, and a project secret, are refused as such', async () => {
  const fake = await opened({})
  const source = await aroundOf(fake)
  fake.credentials.secret = 'another'
  await expect(source.read.events(aroundCall())).rejects.toMatchObject({ code: 'auth' })
  const tools = { stdin: process.stdin, clock: new FakeClock(NOW), patienceMs: 1, memory: quotaMemory() }
  const retry = { retryForMs: 1, clock: tools.clock, random: () => 0 }
  const env = { MIXPANEL_API_SECRET: 'secret', MIXPANEL_PROJECT_ID: '42' }
  const opening = mixpanelWork.around!({ vendor: 'mixpanel' }, { ...tools, retry, env })
  await expect(opening).rejects.toMatchObject({ code: 'auth', message: expect.stringContaining('service') })
})

const described = (name: string, properties: object, own: object = {}) => ({
  entityType: 'event',
  name,
  schemaJson: { ...own, properties },
})

test('a property that events describe in different words keeps all of them', async () => {
  const amount = { type: 'number', description: 'in euros' }
  const schemas = [
    described('Paid', { amount, note: { type: 'string', $ref: 'x', metadata: { other: { a: 1 } } } }),
    described('Refunded', { amount: { type: 'integer', description: 'in cents' } }),
    described('Renewed', { amount, odd: { description: 7 } }),
    { entityType: 'group', name: 'company', schemaJson: { properties: { amount } } },
  ]
  expect(await rowsOf(await aroundOf(await opened({ schemas })), 'properties')).toEqual([
    {
      ...{ of: 'event', name: 'amount', type: 'number', description: 'in euros' },
      events: ['Paid', 'Refunded', 'Renewed'],
      more: { type: 'integer', also: [{ events: ['Refunded'], description: 'in cents' }] },
    },
    {
      ...{ of: 'event', name: 'note', type: 'text', events: ['Paid'] },
      more: { $ref: 'x', metadata: { other: { a: 1 } } },
    },
    { of: 'event', name: 'odd', events: ['Renewed'], more: { definition: { description: 7 } } },
    { of: 'group', group: 'company', name: 'amount', type: 'number', description: 'in euros' },
  ])
})

test('what the Lexicon has besides events and properties is said, and so is what no file can hold', async () => {
  const schemas = [
    described(
      'Paid',
      {},
      { metadata: { 'com.mixpanel': { dropped: true, hidden: true, tags: ['a'], contacts: ['p@x.de'] } } },
    ),
    described('Paid', {}, { description: 'again' }),
    described('', {}),
    { entityType: 'custom_event', name: 'Any page', schemaJson: {} },
    { entityType: 'profile', name: '$user', schemaJson: { description: 'our users', properties: {} } },
  ]
  const notes: string[] = []
  const rows = await rowsOf(await aroundOf(await opened({ schemas })), 'events', aroundCall(notes))
  expect(rows).toEqual([
    {
      ...{ name: 'Paid', description: 'again', hidden: true, tags: ['a'], owner: 'p@x.de' },
      more: { dropped: true },
    },
  ])
  expect(notes).toEqual([
    expect.stringContaining('custom_event "Any page"'),
    expect.stringContaining('profile "$user"'),
    expect.stringContaining('events is left out'),
  ])
})

const release = (date: string) => ({ id: 1, date, description: date, tags: [] })

test('annotations have the zone of the project, or UTC with a note, and no time is guessed', async () => {
  const annotations = [
    '2026-03-28 09:00:00',
    '2026-03-30 09:00:00',
    '2026-03-02',
    '2026-03-02T09:00:00+05:30',
    'soon',
  ].map(release)
  const notes: string[] = []
  const berlin = await aroundOf(await opened({ annotations, zone: 'Europe/Berlin' }))
  const rows = await rowsOf(berlin, 'annotations', aroundCall(notes))
  expect(rows.map(({ at }) => at)).toEqual([
    '2026-03-28T09:00:00+01:00',
    '2026-03-30T09:00:00+02:00',
    '2026-03-02T00:00:00+01:00',
    '2026-03-02T09:00:00+05:30',
  ])
  expect(notes).toEqual([expect.stringContaining('"at":"soon"')])
  const untold: string[] = []
  const utc = await aroundOf(await opened({ annotations: annotations.slice(0, 1), refuses: { me: 403 } }))
  expect(await rowsOf(utc, 'annotations', aroundCall(untold))).toMatchObject([{ at: '2026-03-28T09:00:00Z' }])
  expect(untold).toEqual([expect.stringMatching(/taken for UTC: Mixpanel answered 403/)])
})

test('a report is told in words, with a link, and its tile leads to it', async () => {
  const { bookmarks, dashboards } = madeAround(seeded(5), SMALL)
  const source = await aroundOf(await opened({ bookmarks, dashboards }))
  const reports = await rowsOf(source, 'reports')
  const team = (n: number) => `plan equals pro or team ${n}`
  expect(reports.find(({ id }) => id === '1001')).toMatchObject({
    ...{ name: 'Report 1', kind: 'funnels', closest: 'funnel', description: 'report 1 in words' },
    events: ['say "no": # yes', '1e3'],
    filters: [`say "no": # yes: ${team(1)}`, `1e3: ${team(1)}`],
    settings: { measure: 'unique people', window: '7 day', interval: 'week', by: '$browser' },
    link: 'https://eu.mixpanel.com/project/42/app/funnels#view/1001',
    more: { creator_name: 'maker 1', params: { version: 'v1' } },
  })
  expect(reports.find(({ id }) => id === '1003')).toMatchObject({ closest: 'paths', events: ['null'] })
  expect(reports.find(({ id }) => id === '1008')).toMatchObject({ name: 'report 1008' })
  const [board] = await rowsOf(source, 'dashboards')
  expect(board).toMatchObject({
    ...{ id: '1', name: 'Board 0', pinned: true, link: 'https://eu.mixpanel.com/project/42/app/boards#id=1' },
    // In the order of the layout, which is not that of its members.
    tiles: [
      { report: '5000' },
      { report: '1009' },
      { report: '1000', more: { row: 3, width: 6 } },
      { text: '<h2>Board 0</h2>' },
    ],
  })
  const ids = new Set(reports.map(({ id }) => id))
  expect(board!.tiles!.flatMap(({ report }) => report ?? []).every((id) => ids.has(id))).toBe(true)
})

test('a dashboard of another form loses nothing', async () => {
  const contents = { media: { 5: { url: 'x' } }, report: { 6: { id: 1 } }, text: null }
  const dashboards = [{ id: 1, title: '', layout: { rows: [] }, contents, filters: [{ value: 'plan' }] }]
  const [board] = await rowsOf(await aroundOf(await opened({ dashboards })), 'dashboards')
  expect(board).toMatchObject({
    name: 'dashboard 1',
    tiles: [
      { more: { content_type: 'media', content_id: '5', content: { url: 'x' } } },
      { more: { content_type: 'report', content_id: '6', content: { id: 1 } } },
    ],
    more: { filters: [{ value: 'plan' }], layout: { rows: [] } },
  })
})

test('a list is read to its end, and one that leads to itself is an error', async () => {
  const { dashboards } = madeAround(seeded(5), { ...SMALL, dashboards: 9 })
  const fake = await opened({ dashboards })
  const source = await aroundOf(fake)
  expect(await rowsOf(source, 'dashboards')).toHaveLength(9)
  const cursors = fake.seen.map(({ url }) => url.searchParams.get('cursor')).filter(Boolean)
  expect(cursors).toEqual(['4', '8'])
  const turning = await aroundOf(await opened({ dashboards, turns: true }))
  await expect(turning.read.dashboards(aroundCall())).rejects.toMatchObject({ code: 'unavailable' })
})

test('a pull that goes on asks for what it lacks only, within the quota that the run before it used', async () => {
  const around = madeAround(seeded(5), { ...SMALL, cohorts: [59_500] })
  const [fake, memory, clock] = [await opened(around), quotaMemory(), new FakeClock(NOW)]
  const first = await aroundOf(fake, { clock, memory })
  // The list and 60 pages are an hour's questions and one more.
  expect(await membersOf(first, '1')).toHaveLength(59_500)
  const begun = clock.now()
  const second = await aroundOf(fake, { clock, memory })
  const notes: string[] = []
  const asked = fake.seen.length
  const [cohort] = await rowsOf(second, 'cohorts', aroundCall(notes))
  expect(fake.seen.slice(asked).map(({ url }) => url.pathname)).toEqual([
    '/api/query/cohorts/list',
    '/api/app/projects/42/cohorts',
  ])
  expect(cohort).toMatchObject({ id: '1', members: null, more: { count: 59_500, creator_name: 'maker 1' } })
  expect(cohort!.definition).toMatchObject({ groups: [{ type: 'cohort_group' }] })
  // 60 an hour: the second run's question waits for the first of the run before.
  expect(clock.now() - NOW).toBeGreaterThan(3_600_000)
  expect(begun).toBeGreaterThan(NOW)
})
