import { expect, test } from 'vitest'
import type { PosthaulError } from '../../src/errors.ts'
import { Groups } from '../../src/service/groups.ts'
import { chooseProject, projectOwners } from '../../src/service/key-owner.ts'
import { apiAt, oddApi } from '../helpers/api.ts'
import type { Reply } from '../helpers/odd-server.ts'
import { startHarness } from '../sandbox/harness.ts'

/** A server that answers these paths, and 404 to all others; what it was asked. */
async function serverOf(answers: Readonly<Record<string, Reply>>) {
  const asked: string[] = []
  const { api } = await oddApi(({ path }) => {
    asked.push(path)
    return answers[path] ?? { status: 404, body: { type: 'x', code: 'not_found', detail: 'Not found.' } }
  })
  return { api, asked }
}

const CURRENT = '/api/personal_api_keys/@current/'
const about = (scoped_teams: unknown, scopes = ['*']): Reply => ({
  body: { label: 'mine', scopes, scoped_teams, scoped_organizations: [] },
})
const project = (id: number) => ({ id, name: `P${id}`, api_token: `phc_${id}` })
const refusal = (detail: string): Reply => ({ status: 403, body: { type: 'x', code: 'x', detail } })
const failed = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('no error')),
    (error: PosthaulError) => error,
  )

test('what a key may do is asked once', async () => {
  const { api, asked } = await serverOf({ [CURRENT]: about([7]), '/api/projects/7/': { body: project(7) } })
  await chooseProject(api)
  await projectOwners(api)
  expect(asked).toEqual([CURRENT, '/api/projects/7/'])
})

test('a key of several projects asks which', async () => {
  const { api, asked } = await serverOf({ [CURRENT]: about([7, 8, 9]) })
  expect(await failed(chooseProject(api))).toMatchObject({
    code: 'config',
    message: 'which project? the key sees 3: 7, 8, 9',
    hint: expect.stringContaining('POSTHOG_PROJECT_ID'),
  })
  expect(asked).toEqual([CURRENT])
})

test('a project of the key that was deleted has no project key, one that is refused may have', async () => {
  const answers = { [CURRENT]: about([7, 8]), '/api/projects/7/': { body: project(7) } }
  const { api } = await serverOf(answers)
  expect(await projectOwners(api)).toEqual([project(7)])
  const { api: refused } = await serverOf({ ...answers, '/api/projects/8/': refusal('No access.') })
  expect(await failed(projectOwners(refused))).toMatchObject({ code: 'auth' })
})

test.each<[string, Reply]>([
  ['an older server', { status: 404, body: { detail: 'Not found.' } }],
  ['a server that tells no key', refusal('This action does not support Personal API Key access')],
  ['an answer of another shape', { body: { results: [] } }],
  ['a key of all projects', about(null)],
  ['a key of all projects, said otherwise', about([])],
])('%s: the list of projects is asked', async (_, reply) => {
  const { api } = await serverOf({
    [CURRENT]: reply,
    '/api/projects/': { body: { next: null, results: [project(7)] } },
  })
  expect(await chooseProject(api)).toBe('7')
  expect(await projectOwners(api)).toEqual([project(7)])
})

test('a server that is away is not taken for an older one', async () => {
  const nobody = apiAt('http://127.0.0.1:1')
  expect(await failed(chooseProject(nobody))).toMatchObject({ code: 'unavailable' })
})

test('an older server refuses the list to a limited key: the project has to be named', async () => {
  const older = { personalKey: 'phx_mine', keyProjects: [7], dialect: { currentKey: 'absent' } } as const
  const { sandbox } = await startHarness(older)
  const error = await failed(chooseProject(apiAt(sandbox.url, { key: 'phx_mine' })))
  expect(error.message).toContain(
    'API keys with scoped projects are only supported on project-based endpoints.',
  )
  expect(error.hint).toBe('the key is limited to chosen projects: set POSTHOG_PROJECT_ID')
})

test.each<[string, string[], number[], string]>([
  ['lacks', ['query:read'], [7], 'give the key the scope group:read and this project, at '],
  ['has, by writing', ['group:write'], [7], 'the key has the scope group:read: ask an admin'],
  ['has, for another project', ['*'], [8], 'the key is limited to 8: set POSTHOG_PROJECT_ID'],
])('a refusal that names no scope asks for none but one that the key %s', async (_, scopes, teams, hint) => {
  const { api } = await serverOf({
    [CURRENT]: about(teams, scopes),
    '/api/projects/7/groups_types/': refusal('You do not have access.'),
  })
  const error = await failed(new Groups({ api, projectId: '7' }).types())
  expect(error.message).toContain('may not read the group types: You do not have access.')
  expect(error.hint).toContain(hint)
})

test('a scope that PostHog names is not asked about', async () => {
  const { api, asked } = await serverOf({
    '/api/projects/7/groups_types/': refusal("API key missing required scope 'group:read'"),
  })
  expect((await failed(new Groups({ api, projectId: '7' }).types())).message).toContain(
    'lacks the scope group:read',
  )
  expect(asked).toEqual(['/api/projects/7/groups_types/'])
})
