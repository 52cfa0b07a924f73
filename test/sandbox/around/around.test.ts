import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts'
import { type Answer, startHarness, uuid } from '../harness.ts'

const BASE = '/api/projects/1/'

const event = (n: number, properties = {}) => ({
  event: n === 2 ? 'paid' : 'signed up',
  uuid: uuid(n),
  distinct_id: `u${n}`,
  timestamp: '2024-03-01T12:00:00Z',
  properties: { plan: 'p', $set: { email: `u${n}@example.com` }, ...properties },
})

async function startWith(options: SandboxOptions = {}) {
  const harness = await startHarness(options)
  await harness.send([event(1), event(2), event(3)])
  const send = async (method: string, path: string, body: unknown, key = harness.sandbox.personalKey) => {
    const form = body instanceof FormData
    const response = await fetch(`${harness.sandbox.url}${BASE}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(!form && { 'content-type': 'application/json' }) },
      body: form ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return [response.status, text === '' ? undefined : JSON.parse(text)] as [number, never]
  }
  const get = async (path: string, key?: string) => json(await harness.get(`${BASE}${path}`, key))
  return { ...harness, send, get, named: (path: string, name: string) => named(get, path, name) }
}

const json = (answer: Answer) => answer.json() as { results: Record<string, never>[]; count: number }

async function named(get: (path: string) => Promise<ReturnType<typeof json>>, path: string, name: string) {
  return (await get(path)).results.find((row) => row.name === name)!
}

test('a definition is made before its first event, which then fills it in', async () => {
  const { send, named } = await startWith()
  const [status, made] = await send('POST', 'event_definitions/', {
    name: 'new',
    description: 'x',
    tags: [' A ', 'b'],
  })
  expect([status, made]).toEqual([
    201,
    expect.objectContaining({
      description: 'x',
      tags: ['a', 'b'],
      last_seen_at: null,
      hidden: false,
      owner: null,
    }),
  ])
  expect((await send('POST', 'event_definitions/', { name: 'new' }))[0]).toBe(400)
  expect(await named('event_definitions/', 'new')).toMatchObject({ id: (made as { id: string }).id })
})

test('tags are replaced, hidden and verified exclude each other', async () => {
  const { send, named } = await startWith()
  const { id } = await named('event_definitions/', 'paid')
  const path = `event_definitions/${id}/`
  expect(await send('PATCH', path, { tags: ['a'], verified: true })).toEqual([
    200,
    expect.objectContaining({ verified: true }),
  ])
  expect(await send('PATCH', path, { tags: ['b'], hidden: true })).toEqual([
    200,
    expect.objectContaining({ tags: ['b'], hidden: true, verified: false }),
  ])
  expect((await send('PATCH', path, { hidden: true, verified: true }))[0]).toBe(400)
  await send('POST', 'event_definitions/bulk_update_tags/', { ids: [id], action: 'add', tags: ['c'] })
  expect(await named('event_definitions/', 'paid')).toMatchObject({ tags: ['b', 'c'] })
})

test.each([
  ['oss', 400, [201, ['x']]],
  ['old', 200, [405, []]],
] as const)('a build without the paid parts: %s', async (deployment, describing, [making, tags]) => {
  const { send, named } = await startWith({ dialect: { deployment } })
  expect((await send('POST', 'event_definitions/', { name: 'new' }))[0]).toBe(making)
  const { id } = await named('event_definitions/', 'paid')
  expect((await send('PATCH', `event_definitions/${id}/`, { description: 'words' }))[0]).toBe(describing)
  await send('PATCH', `event_definitions/${id}/`, { tags: ['x'] })
  const row = await named('event_definitions/', 'paid')
  expect([row.tags, row.description]).toEqual([tags, undefined])
  const property = await named('property_definitions/', 'plan')
  const path = `property_definitions/${property.id}/`
  expect((await send('PATCH', path, { description: 'words', property_type: 'String' }))[0]).toBe(402)
  expect(await send('PATCH', path, { property_type: 'Numeric' })).toEqual([
    200,
    expect.objectContaining({ is_numerical: true }),
  ])
  expect((await send('POST', 'property_definitions/', { name: 'x' }))[0]).toBe(405)
})

test('annotations keep the instant and not the zone, come twice, and hide', async () => {
  const { send, get } = await startWith()
  const words = { content: '4.2', date_marker: '2026-03-02T10:00:00+01:00', scope: 'project' }
  const [status, made] = await send('POST', 'annotations/', words)
  expect([status, made]).toEqual([
    201,
    expect.objectContaining({ date_marker: '2026-03-02T09:00:00Z', deleted: false }),
  ])
  await send('POST', 'annotations/', words)
  expect((await get('annotations/')).count).toBe(2)
  expect((await send('DELETE', 'annotations/1/', {}))[0]).toBe(405)
  await send('PATCH', 'annotations/1/', { deleted: true })
  expect((await get('annotations/')).count).toBe(1)
  await send('PATCH', 'annotations/1/', { deleted: false })
  expect((await get('annotations/')).count).toBe(2)
  for (const wrong of [{ scope: 'recording' }, { tags: ['x'] }, { date_marker: '2026-03-02' }])
    expect((await send('POST', 'annotations/', { ...words, ...wrong }))[0]).toBe(400)
})

const csv = (text: string, name = 'Beta') => {
  const form = new FormData()
  form.set('name', name)
  form.set('is_static', 'true')
  form.set('csv', new File([text], 'members.csv', { type: 'text/csv' }))
  return form
}

test.each([
  ['a plain list', 'u1\nu2\nnobody\n', 2, 3],
  ['a list with a heading, which is taken for an id', 'distinct_id\nu1\n', 1, 2],
  ['two columns', 'distinct_id,n\nu1,1\n"u2",2\n', 2, 2],
  ['emails', 'email\nu1@example.com\nx@example.com\n', 1, 2],
])('a cohort of %s', async (_, text, count, total) => {
  const { send, get } = await startWith()
  const [status, made] = await send('POST', 'cohorts/', csv(text))
  expect([status, made]).toEqual([201, expect.objectContaining({ is_calculating: true, is_static: true })])
  expect(await get('cohorts/1/')).toMatchObject({ is_calculating: true })
  expect(await get('cohorts/1/')).toMatchObject({
    is_calculating: false,
    count,
    last_import_total_count: total,
    last_import_unmatched_count: total - count,
  })
  expect((await get('cohorts/1/persons/')).results.map(({ distinct_ids }) => distinct_ids)).toHaveLength(
    count,
  )
})

test('members are added by another file or by their persons, and files that are none refused', async () => {
  const { send, get } = await startWith()
  await send('POST', 'cohorts/', csv('u1\n'))
  await send('PATCH', 'cohorts/1/', csv('u1\nu2\n'))
  const [person] = (await get('cohorts/1/persons/?limit=1')).results
  await send('POST', 'cohorts/', {
    name: 'Two',
    is_static: true,
    _create_static_person_ids: [person!.id, uuid(99)],
  })
  expect([(await get('cohorts/1/persons/')).count, (await get('cohorts/2/persons/')).count]).toEqual([2, 1])
  const add = (ids: unknown) => send('PATCH', 'cohorts/1/add_persons_to_static_cohort/', { person_ids: ids })
  expect((await add([person!.id]))[0]).toBe(200)
  expect((await add([uuid(99)]))[0]).toBe(400)
  for (const text of ['', 'a,b\nu1,u2\n']) expect((await send('POST', 'cohorts/', csv(text)))[0]).toBe(400)
  expect((await get('cohorts/')).count).toBe(2)
})

test('insights lie on dashboards, in the places that a PATCH gives', async () => {
  const { send, get } = await startWith()
  await send('POST', 'dashboards/', { name: 'Board' })
  const query = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } }
  const [status, insight] = await send('POST', 'insights/', {
    name: 'Orders',
    query,
    dashboards: [1],
    saved: true,
  })
  expect([status, insight]).toEqual([201, expect.objectContaining({ dashboards: [1], query })])
  const layouts = { sm: { x: 0, y: 5, w: 6, h: 5 } }
  await send('PATCH', 'dashboards/1/', {
    tiles: [
      { id: 1, layouts },
      { text: { body: '# Hi' }, layouts },
    ],
  })
  const board = (await get('dashboards/1/')) as unknown as { tiles: object[] }
  expect(board.tiles).toEqual([
    expect.objectContaining({
      id: 1,
      layouts,
      insight: expect.objectContaining({ id: 1, name: 'Orders' }),
      text: null,
    }),
    expect.objectContaining({ id: 2, layouts, insight: null, text: { body: '# Hi' } }),
  ])
  expect((await get('dashboards/')).results[0]).not.toHaveProperty('tiles')
  await send('PATCH', 'insights/1/', { deleted: true })
  expect(((await get('dashboards/1/')) as unknown as { tiles: object[] }).tiles).toHaveLength(1)
  expect((await send('POST', 'insights/', { dashboards: [7] }))[0]).toBe(400)
})

test('each endpoint names the scope that a key lacks', async () => {
  const reader = { key: 'phx_reader', scopes: ['annotation:read'] }
  const { send, get } = await startWith({ personalKeys: [reader] })
  expect((await get('annotations/', reader.key)).count).toBe(0)
  for (const [path, scope] of [
    ['annotations/', 'annotation:write'],
    ['event_definitions/', 'event_definition:write'],
    ['cohorts/', 'cohort:write'],
    ['insights/', 'insight:write'],
    ['dashboards/', 'dashboard:write'],
  ]) {
    const [status, body] = await send('POST', path!, {}, reader.key)
    expect([status, (body as { detail: string }).detail]).toEqual([
      403,
      expect.stringContaining(`'${scope}'`),
    ])
  }
})
