import { describe, expect, test } from 'vitest'
import { type Harness, rows, startHarness } from './harness.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2023-01-01T00:00:00Z')

const groupEvent = (type: string, key: unknown, fields: unknown, day = 0) => ({
  event: '$groupidentify',
  distinct_id: `$${type}_${key}`,
  timestamp: new Date(START + day * DAY_MS).toISOString(),
  properties: { $group_type: type, $group_key: key, $group_set: fields },
})

interface Page {
  next: string | null
  previous: string | null
  results: { group_key: string; group_properties: unknown; created_at: string; group_type_index: number }[]
}

const path = (rest = '') => `/api/projects/1/groups/${rest}`
const page = async ({ get }: Harness, url: string) => (await get(url)).json() as Page

/** 350 companies, the newest last, with every third of one day. */
async function companies(): Promise<Harness> {
  const harness = await startHarness()
  const events = Array.from({ length: 350 }, (_, n) =>
    groupEvent(
      'company',
      `c${String(n).padStart(3, '0')}`,
      { name: `Company ${n}`, tier: n % 3 },
      n - (n % 3),
    ),
  )
  await harness.send(events)
  return harness
}

describe('the list', () => {
  test('pages through all groups, newest first and the last key before others of its time', async () => {
    const harness = await companies()
    const seen: string[] = []
    const pages: Page[] = []
    for (let url: string | null = path('?group_type_index=0'); url; ) {
      const current: Page = await page(harness, url)
      pages.push(current)
      seen.push(...current.results.map(({ group_key }) => group_key))
      url = current.next
    }
    expect(pages.map(({ results }) => results.length)).toEqual([100, 100, 100, 50])
    expect(new Set(seen).size).toBe(350)
    expect(seen.slice(0, 3)).toEqual(['c349', 'c348', 'c347'])
    const times = pages.flatMap(({ results }) => results.map(({ created_at }) => created_at))
    expect(times).toEqual([...times].sort().reverse())
    expect(pages.map(({ previous }) => previous)).toEqual([null, null, null, null])
    const broken = await page(harness, path('?group_type_index=0&cursor=nonsense'))
    expect(broken.results).toEqual(pages[0]?.results)
    const empty = { next: null, previous: null, results: [] }
    expect(await page(harness, path('?group_type_index=4'))).toEqual(empty)
    expect(pages[1]?.next?.startsWith(`${harness.sandbox.url}/api/projects/1/groups/?`)).toBe(true)
  })

  test('searches properties and whole keys, and finds parts of keys', async () => {
    const harness = await companies()
    await harness.send([groupEvent('company', 'ACME_100%', { plan: 'Größe' })])
    const keys = async (query: string) =>
      (await page(harness, path(`?group_type_index=0&${query}`))).results.map(({ group_key }) => group_key)
    expect(await keys('search=COMPANY 34')).toEqual([
      'c349', 'c348', 'c347', 'c346', 'c345', 'c344', 'c343', 'c342', 'c341', 'c340', 'c034',
    ]) // biome-ignore format: one list
    expect(await keys('search=c34')).toEqual([])
    expect(await keys('search=C034')).toEqual(['c034'])
    expect(await keys('search=%22tier%22:2')).toHaveLength(100)
    expect(await keys('group_key=C00')).toHaveLength(10)
    expect(await keys('group_key=e_100%25')).toEqual(['ACME_100%'])
    expect(await keys('group_key=%25')).toEqual(['ACME_100%'])
    expect(await keys('group_key=c0_7')).toEqual([])
    const { next } = await page(harness, path('?group_type_index=0&search=company&group_key=c&other=1'))
    expect([...new URL(next!).searchParams.keys()]).toEqual([
      'group_type_index',
      'search',
      'group_key',
      'cursor',
    ])
    expect((await page(harness, next!)).results[0]?.group_key).toBe('c249')
  })
})

describe('a group', () => {
  test('is a shallow merge in the order of arrival, born with its earliest event', async () => {
    const harness = await startHarness()
    await harness.send([
      groupEvent('company', 'acme', { name: 'Acme', plan: { tier: 1, seats: 5 }, gone: 'no' }, 5),
      groupEvent('company', 'acme', { plan: { tier: 2 }, gone: null, 'a/b~c': 1 }, 3),
      groupEvent('company', 42, {}),
      groupEvent('company', 'none', 'not an object'),
    ])
    const found = await harness.get(path('find/?group_type_index=0&group_key=acme'))
    expect(found.json()).toEqual({
      group_type_index: 0,
      group_key: 'acme',
      group_properties: { name: 'Acme', plan: { tier: 2 }, gone: null, 'a/b~c': 1 },
      created_at: '2023-01-04T00:00:00Z',
      notebook: expect.stringMatching(/^[\w-]{8}$/),
    })
    expect((await harness.get(path('find?group_type_index=0&group_key=42'))).json()).toMatchObject({
      group_properties: {},
    })
    expect((await harness.get(path('find?group_type_index=0&group_key=none'))).status).toBe(404)
  })

  test('is not made by $group_identify, by a key over 400 characters or without a key', async () => {
    const harness = await startHarness()
    await harness.send([
      { ...groupEvent('company', 'a', {}), event: '$group_identify' },
      groupEvent('company', 'k'.repeat(401), {}),
      groupEvent('company', 'k'.repeat(400), {}),
      groupEvent('company', '', {}),
    ])
    expect(await rows(harness.sandbox, 'SELECT length(key) FROM groups')).toEqual([[400]])
    // The event with the long key is dropped, the others are stored.
    expect(await rows(harness.sandbox, 'SELECT count() FROM events')).toEqual([[3]])
  })
})

test('to find a group makes a notebook, unless the caller declines', async () => {
  const harness = await startHarness()
  await harness.send([groupEvent('company', 'acme', {})])
  const find = path('find/?group_type_index=0&group_key=acme')
  const notebook = async (url: string) => ((await harness.get(url)).json() as { notebook: unknown }).notebook
  expect(await notebook(`${find}&skip_create_notebook=true`)).toBeNull()
  const made = await notebook(find)
  expect(made).toEqual(expect.any(String))
  expect(await notebook(`${find}&skip_create_notebook=true`)).toBe(made)
})

describe('group types', () => {
  test('get their index in the order of first sight, five at most', async () => {
    const harness = await startHarness()
    const types = ['company', 'team', 'site', 'device', 'fund', 'club']
    await harness.send([
      { event: 'a', distinct_id: 'u', properties: { $groups: { company: 'acme' } } },
      ...types.slice(1).map((type) => groupEvent(type, 'k', {})),
    ])
    for (const url of [
      '/api/projects/1/groups_types/',
      '/api/1/groups_types/',
      '/api/projects/1/groups_types',
    ]) {
      const list = (await harness.get(url)).json() as { group_type: string; group_type_index: number }[]
      expect(list.map(({ group_type, group_type_index }) => [group_type_index, group_type])).toEqual(
        types.slice(0, 5).map((type, at) => [at, type]),
      )
    }
    expect(await rows(harness.sandbox, 'SELECT index FROM groups ORDER BY index')).toEqual([
      [1],
      [2],
      [3],
      [4],
    ])
  })

  test.each([
    ['event', '2023-01-04T00:00:00Z'],
    ['arrival', '2026-01-01T00:00:00Z'],
    ['null', null],
  ] as const)('keep the created_at that they were made with: %s', async (groupCreatedAt, created) => {
    const now = () => Date.parse('2026-01-01T00:00:00Z')
    const { get, send } = await startHarness({ groupCreatedAt, now })
    await send([groupEvent('company', 'a', {}, 3), groupEvent('company', 'b', {}, 1)])
    expect((await get('/api/projects/1/groups_types/')).json()).toMatchObject([{ created_at: created }])
  })

  test('are listed as they were, for as long as the project keeps the list', async () => {
    let at = Date.parse('2026-01-01T00:00:00Z')
    const { get, send } = await startHarness({ groupTypesCacheMs: 300_000, now: () => at })
    const listed = async () => ((await get('/api/projects/1/groups_types/')).json() as unknown[]).length
    expect(await listed()).toBe(0)
    await send([groupEvent('company', 'a', {})])
    at += 299_999
    expect(await listed()).toBe(0)
    at += 1
    expect(await listed()).toBe(1)
  })

  test('of two requests at once are told apart', async () => {
    const harness = await startHarness()
    await Promise.all([
      harness.send([groupEvent('company', 'a', {})]),
      harness.send([groupEvent('company', 'b', {}), groupEvent('team', 'a', {})]),
    ])
    const list = (await harness.get('/api/projects/1/groups_types/')).json() as unknown[]
    expect(list).toHaveLength(2)
  })

  test.each([
    ['project', '/api/projects/1/groups_types/', '/api/1/groups_types/'],
    ['bare', '/api/1/groups_types/', '/api/projects/1/groups_types/'],
  ] as const)('in the %s form only', async (form, here, elsewhere) => {
    const { get } = await startHarness({ dialect: { groupsTypes: [form] } })
    expect((await get(here)).status).toBe(200)
    expect((await get(elsewhere)).json()).toMatchObject({ code: 'not_found' })
  })
})

describe('properties', () => {
  test('are counted by type and name', async () => {
    const harness = await companies()
    await harness.send([groupEvent('team', 'x', { size: 1 })])
    expect((await harness.get(path('property_definitions/'))).json()).toEqual({
      '0': [
        { name: 'name', count: 350 },
        { name: 'tier', count: 350 },
      ],
      '1': [{ name: 'size', count: 1 }],
    })
  })

  test('list their commonest values, twenty at most', async () => {
    const harness = await companies()
    const url = path('property_values/?group_type_index=0&key=tier')
    const results = [
      { name: '0', count: 117 },
      { name: '1', count: 117 },
      { name: '2', count: 116 },
    ]
    expect((await harness.get(url)).json()).toEqual({ results, refreshing: false })
    expect((await harness.get(`${url}&value=2`)).json()).toMatchObject({ results: [results[2]] })
    const names = await harness.get(path('property_values/?group_type_index=0&key=name'))
    expect((names.json() as { results: unknown[] }).results).toHaveLength(20)
  })
})
