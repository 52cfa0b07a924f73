import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { Api } from '../../src/service/api.ts'
import { assertKeyOwner } from '../../src/service/key-owner.ts'

const KEY = new Secret('phc_ours', 'a test')

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
  const server = createServer((request, response) => {
    const { status, answer } = answerTo(request.url!)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resolved = (value: string) => ({ value, source: 'env', from: 'a test' }) as const
  const api = new Api({
    settings: {
      origin: resolved(origin),
      personalKey: new Secret('phx_ours', 'a test'),
      projectId: projectId === undefined ? undefined : resolved(projectId),
    },
    signal: new AbortController().signal,
    onWait: () => {},
  })
  onTestFinished(async () => {
    await api.close()
    server.close()
  })
  return api
}

const page = (tokens: readonly (string | undefined)[], next: string | null = null) => ({
  next,
  results: tokens.map((api_token, i) => ({ id: i + 1, name: `P${i + 1}`, ...(api_token && { api_token }) })),
})
const SECOND = '/api/projects/?offset=2'

test.each([
  ['on the first page', ['phc_a', 'phc_ours'], ['phc_b']],
  ['on a later page', ['phc_a', 'phc_b'], ['phc_ours']],
  // Then the owner of the key cannot be found out.
  ['perhaps that of a project whose key is not shown', ['phc_a', 'phc_b'], [undefined]],
])('a key passes that is %s', async (_, first, second) => {
  const api = await apiOf({ '/api/projects/': page(first, SECOND), [SECOND]: page(second) })
  expect(await assertKeyOwner(api, KEY)).toBeUndefined()
})

test('a key of none of the projects is refused', async () => {
  const api = await apiOf({ '/api/projects/': page(['phc_a', 'phc_b'], SECOND), [SECOND]: page(['phc_c']) })
  await expect(assertKeyOwner(api, KEY)).rejects.toMatchObject({
    code: 'auth',
    message: expect.stringMatching(/from a test is of none of the 3 projects .*nothing was sent/),
  })
})

test('only the project that was named counts', async () => {
  const answers = {
    '/api/projects/': page(['phc_ours']),
    '/api/projects/7/': { id: 7, name: 'Other', api_token: 'phc_a' },
  }
  await expect(assertKeyOwner(await apiOf(answers, '7'), KEY)).rejects.toMatchObject({
    message: expect.stringContaining('is not that of project 7 (Other)'),
  })
})

test('with a personal key that sees no project, the project key is not checked', async () => {
  expect(await assertKeyOwner(await apiOf({ '/api/projects/': page([]) }), KEY)).toBeUndefined()
})

test.each([
  ['a personal key that is refused', 401, 'authentication_failed', 'auth', /is not valid.*nothing was sent/],
  ['a project that is not there', 404, 'not_found', 'config', /project 7 does not exist.*nothing was sent/],
])('%s stops it before anything is sent', async (_, status, code, expected, message) => {
  const error = assertKeyOwner(await refusing(status, code), KEY)
  await expect(error).rejects.toMatchObject({ code: expected, message: expect.stringMatching(message) })
})

test('a page of a proxy is no refusal of the service', async () => {
  const page = await apiBy(() => ({ status: 404, answer: 'no such route' }), '7')
  expect(await assertKeyOwner(page, KEY)).toMatch(/no such route|does not/)
})

test('with a personal key that may not read projects, the project key is not checked', async () => {
  expect(await assertKeyOwner(await refusing(403, 'permission_denied'), KEY)).toMatch(/may not read/)
})
