import { expect, test } from 'vitest'
import type { PosthaulError } from '../../src/errors.ts'
import { Secret } from '../../src/http/secret.ts'
import type { Api } from '../../src/service/api.ts'
import { ownerAmong, projectOwners } from '../../src/service/key-owner.ts'
import { oddApi } from '../helpers/api.ts'
import type { Asked } from '../helpers/odd-server.ts'

const KEY = new Secret('phc_ours', 'a test')

/** The id of the project that has the key, or an error, as `import` asks for it. */
async function ownerBy(api: Api): Promise<string> {
  return ownerAmong(await projectOwners(api), KEY, api.settings)
}

/** An API that answers these paths with their JSON, and all others with 404. */
async function apiOf(answers: Readonly<Record<string, unknown>>, projectId?: string): Promise<Api> {
  return apiBy((url) => {
    const answer = answers[url]
    return answer === undefined ? refusal(404, 'not_found') : { status: 200, answer }
  }, projectId)
}

/** An API that refuses every request. */
function refusing(status: number, code: string): Promise<Api> {
  return apiBy(() => refusal(status, code), '7')
}

function refusal(status: number, code: string) {
  return { status, answer: { type: 'invalid_request', code, detail: 'Not found.' } }
}

async function apiBy(
  answerTo: (url: string) => { status: number; answer: unknown },
  projectId?: string,
): Promise<Api> {
  const reply = ({ path }: Asked) => {
    const { status, answer } = answerTo(path)
    return { status, body: answer }
  }
  return (await oddApi(reply, { projectId })).api
}

const page = (tokens: readonly (string | undefined)[], next: string | null = null) => ({
  next,
  results: tokens.map((api_token, i) => ({ id: i + 1, name: `P${i + 1}`, ...(api_token && { api_token }) })),
})
const SECOND = '/api/projects/?offset=2'

test.each([
  ['on the first page', ['phc_a', 'phc_ours'], ['phc_b'], '2'],
  ['on a later page', ['phc_a', 'phc_b'], ['phc_ours'], '1'],
  ['beside a project whose key is not shown', [undefined], ['phc_a', 'phc_ours'], '2'],
])('a key passes that is %s', async (_, first, second, id) => {
  const api = await apiOf({ '/api/projects/': page(first, SECOND), [SECOND]: page(second) })
  expect(await ownerBy(api)).toBe(id)
})

test('a key of none of the projects is refused', async () => {
  const api = await apiOf({ '/api/projects/': page(['phc_a', 'phc_b'], SECOND), [SECOND]: page(['phc_c']) })
  await expect(ownerBy(api)).rejects.toMatchObject({
    code: 'auth',
    message: expect.stringMatching(/^the project key from a test is not that of any of the 3 projects /),
    hint: expect.stringContaining('Project API key'),
  })
})

test('two keys that begin alike are never taken for each other', async () => {
  const [ours, theirs] = ['phc_abcdefgh_ours', 'phc_abcdefgh_theirs']
  const api = await apiOf({ '/api/projects/': page([theirs, ours]) })
  const owners = await projectOwners(api)
  const ownerOf = (key: string) => ownerAmong(owners, new Secret(key, 'a test'), api.settings)
  expect([ownerOf(ours), ownerOf(theirs)]).toEqual(['2', '1'])
  for (const key of ['phc_abcdefgh', 'phc_abcdefgh_', 'phc_abcdefgh_our', 'phc_abcdefgh_ours2'])
    expect(() => ownerOf(key)).toThrow('is not that of any of the 2 projects')
  const print = (key: string) => new Secret(key, 'a test').fingerprint()
  expect(print(ours)).not.toBe(print(theirs))
})

test('only the project that was named counts', async () => {
  const answers = {
    '/api/projects/': page(['phc_ours']),
    '/api/projects/7/': { id: 7, name: 'Other', api_token: 'phc_a' },
  }
  await expect(ownerBy(await apiOf(answers, '7'))).rejects.toMatchObject({
    message: expect.stringContaining('is not that of project 7 (Other)'),
  })
})

test('what answers for another project than the one that was asked for vouches for no key', async () => {
  const answers = { '/api/projects/7/': { id: 8, name: 'Other', api_token: 'phc_ours' } }
  await expect(ownerBy(await apiOf(answers, '7'))).rejects.toMatchObject({
    message: expect.stringContaining('it is of project 8, and 7 was asked for'),
  })
})

test.each<[string, () => Promise<Api>, string, RegExp]>([
  ['a key without a project', () => apiOf({ '/api/projects/': page([]) }), 'auth', /no project.*access/],
  [
    'a server that shows no keys',
    () => apiOf({ '/api/projects/': page(['phc_a', undefined]) }),
    'auth',
    /does not show the project keys.*compare the key/,
  ],
  ['a refused key', () => refusing(401, 'failed'), 'auth', /is not valid.*make a new one/],
  [
    'no such project',
    () => refusing(404, 'not_found'),
    'config',
    /project 7 does not.*set POSTHOG_PROJECT_ID/,
  ],
  ['a missing scope', () => refusing(403, 'denied'), 'auth', /may not read.*scope project:read/],
  [
    'a page of a proxy',
    () => apiBy(() => ({ status: 404, answer: 'no' }), '7'),
    'config',
    /project 7 does not/,
  ],
  ['another shape', () => apiOf({ '/api/projects/': {} }), 'unavailable', /not as expected.*report/],
  ['a server that is busy', () => refusing(512, 'error'), 'unavailable', /512.*try again later/],
])('%s stops the import, and the error says what to set', async (_, api, code, said) => {
  const error = await ownerBy(await api()).catch((thrown: PosthaulError) => thrown)
  const { message, hint } = error as PosthaulError
  expect([(error as PosthaulError).code, `${message} | ${hint}`]).toEqual([code, expect.stringMatching(said)])
})
