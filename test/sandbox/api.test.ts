import { expect, test } from 'vitest'
import { startHarness } from './harness.ts'

const error = (type: string, code: string, detail: string, attr: string | null = null) => ({
  type,
  code,
  detail,
  attr,
})

test('projects have fourteen fields', async () => {
  const { sandbox, get, send } = await startHarness({ projectId: 7, timeZone: 'Asia/Tokyo' })
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
  const project = {
    id: 7,
    uuid: id,
    organization: id,
    api_token: sandbox.projectKey,
    name: 'Sandbox',
    completed_snippet_onboarding: false,
    has_completed_onboarding_for: null,
    ingested_event: false,
    is_demo: false,
    event_retention_months: 84,
    events_retention_enforced: false,
    timezone: 'Asia/Tokyo',
    week_start_day: null,
    access_control: false,
  }
  const list = (results: unknown[]) => ({ count: 1, next: null, previous: null, results })
  expect((await get('/api/projects/')).json()).toEqual(list([project]))
  await send([{ event: 'e', distinct_id: 'u' }])
  expect((await get('/api/projects/7/')).json()).toEqual({ ...project, ingested_event: true })
  expect((await get('/api/projects/7/groups/?group_type_index=0')).status).toBe(200)
  expect((await get('/api/projects/@current/groups/?group_type_index=0')).status).toBe(404)
})

test('keys and their scopes', async () => {
  const { sandbox, get, query } = await startHarness({
    personalKey: 'phx_all',
    personalKeys: [
      { key: 'phx_groups', scopes: ['group:read'] },
      { key: 'phx_query', scopes: ['query:read'] },
    ],
  })
  expect(sandbox.personalKey).toBe('phx_all')
  const groups = '/api/projects/1/groups/?group_type_index=0'
  const missing = (scope: string) =>
    error('authentication_error', 'permission_denied', `API key missing required scope '${scope}'`)
  expect((await get(groups, 'phx_groups')).status).toBe(200)
  expect((await query('SELECT 1', 'phx_query')).status).toBe(200)
  const denied = await get(groups, 'phx_query')
  expect([denied.status, denied.json()]).toEqual([403, missing('group:read')])
  const refused = await query('SELECT 1', 'phx_groups')
  expect([refused.status, refused.json()]).toEqual([403, missing('query:read')])
  expect((await get('/api/projects/', 'phx_groups')).json()).toEqual(missing('project:read'))
})

test('a key that is limited to projects is told so, and reads nothing but them', async () => {
  const { get, query } = await startHarness({
    personalKey: 'phx_mine',
    keyProjects: [1],
    personalKeys: [
      { key: 'phx_other', scopes: ['*'], projects: [2] },
      { key: 'phx_writes', scopes: ['group:write'] },
    ],
  })
  const current = '/api/personal_api_keys/@current/'
  const about = { label: 'Sandbox', scoped_organizations: [] }
  expect((await get(current)).json()).toEqual({ ...about, scopes: ['*'], scoped_teams: [1] })
  expect((await get(current, 'phx_writes')).json()).toEqual({
    ...about,
    scopes: ['group:write'],
    scoped_teams: [],
  })
  const refused = (detail: string) => [403, error('authentication_error', 'permission_denied', detail)]
  const asked = async (path: string, key?: string) => {
    const answer = await get(path, key)
    return answer.status === 200 ? 200 : [answer.status, answer.json()]
  }
  expect(await asked('/api/projects/')).toEqual(
    refused('API keys with scoped projects are only supported on project-based endpoints.'),
  )
  expect(await asked('/api/projects/1/')).toBe(200)
  expect((await query('SELECT 1')).status).toBe(200)
  expect(await asked('/api/projects/1/', 'phx_other')).toEqual(
    refused('API key does not have access to the requested project: ID 1.'),
  )
  expect(await asked('/api/projects/1/groups_types/', 'phx_writes')).toBe(200)
})

test('a key that is limited to organizations sees nothing of others', async () => {
  const own = '00000000-0000-4000-8000-000000000001'
  const other = own.replace(/1$/, '9')
  const { get } = await startHarness({
    personalKey: 'phx_own',
    keyOrganizations: [own],
    personalKeys: [{ key: 'phx_other', scopes: ['*'], organizations: [other] }],
  })
  expect((await get('/api/personal_api_keys/@current/', 'phx_other')).json()).toMatchObject({
    scoped_teams: [],
    scoped_organizations: [other],
  })
  expect((await get('/api/projects/')).json()).toMatchObject({ count: 1 })
  expect((await get('/api/projects/1/')).status).toBe(200)
  expect((await get('/api/projects/', 'phx_other')).json()).toMatchObject({ count: 0, results: [] })
  const refused = await get('/api/projects/1/', 'phx_other')
  const detail = `API key does not have access to the requested organization: ID ${own}.`
  expect([refused.status, refused.json()]).toEqual([
    403,
    error('authentication_error', 'permission_denied', detail),
  ])
})

test('an older server tells no key what it may do', async () => {
  const { get } = await startHarness({ dialect: { currentKey: 'absent' } })
  expect((await get('/api/personal_api_keys/@current/')).status).toBe(404)
})

test('wrong keys, projects, parameters and paths', async () => {
  const { sandbox, get } = await startHarness()
  const anonymous = await fetch(`${sandbox.url}/api/projects/`)
  expect([anonymous.status, await anonymous.json()]).toEqual([
    401,
    error('authentication_error', 'not_authenticated', 'Authentication credentials were not provided.'),
  ])
  const wrong = await get('/api/projects/', 'phx_wrong')
  expect([wrong.status, wrong.json()]).toEqual([
    401,
    error(
      'authentication_error',
      'authentication_failed',
      'Personal API key found in request Authorization header is invalid.',
    ),
  ])
  const groups = '/api/projects/1/groups/'
  const attr = 'group_type_index'
  const missing = {
    type: 'validation_error',
    code: 'invalid_input',
    detail: 'This query parameter is required.',
  }
  const cases: [string, number, object][] = [
    ['/api/projects/2/groups/?group_type_index=0', 404, { code: 'not_found' }],
    [groups, 400, { ...missing, attr, detail: expect.stringMatching(/^You must pass \?group_type_index=/) }],
    [`${groups}?group_type_index=x`, 400, { ...missing, attr, detail: 'A valid integer is required.' }],
    [`${groups}find/?group_key=x`, 400, { ...missing, attr }],
    [`${groups}find/?group_type_index=0`, 400, { ...missing, attr: 'group_key' }],
    [`${groups}find/?group_type_index=x&group_key=x`, 500, { type: 'server_error', code: 'error' }],
    [
      `${groups}find/?group_type_index=0&group_key=nobody`,
      404,
      { type: 'invalid_request', code: 'not_found' },
    ],
    [`${groups}property_values/?group_type_index=0`, 400, { ...missing, attr: 'key' }],
    ['/api/nothing/', 404, { type: 'invalid_request', code: 'not_found', detail: 'Endpoint not found.' }],
  ]
  for (const [path, status, body] of cases) {
    const answer = await get(path)
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.json()).toMatchObject(body)
  }
  const deleted = await fetch(`${sandbox.url}${groups}`, { method: 'DELETE' })
  expect([deleted.status, await deleted.json()]).toEqual([
    405,
    error('invalid_request', 'method_not_allowed', 'Method "DELETE" not allowed.'),
  ])
})

test('throttling by the minute and the hour', async () => {
  let now = Date.parse('2024-06-01T12:00:00Z')
  const { get } = await startHarness({ throttle: { perMinute: 2, perHour: 3 }, now: () => now })
  const ask = async () => {
    const answer = await get('/api/projects/')
    return answer.status === 200 ? 200 : (answer.json() as { detail: string }).detail
  }
  const wait = (time: string) => `Request was throttled. Expected available in ${time}.`
  expect([await ask(), await ask()]).toEqual([200, 200])
  now += 15_500
  expect(await ask()).toBe(wait('45 seconds'))
  now += 44_000
  expect(await ask()).toBe(wait('1 second'))
  now += 1000
  expect(await ask()).toBe(200)
  now += 60_000
  expect(await ask()).toBe(wait('3480 seconds'))
})
