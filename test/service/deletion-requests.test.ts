import { expect, test } from 'vitest'
import {
  fileDeletion,
  findDeletion,
  isDeletionRefused,
  previewDeletion,
} from '../../src/service/deletion-requests.ts'
import { oddApi } from '../helpers/api.ts'
import type { Asked, Reply } from '../helpers/odd-server.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

async function serverWith(reply: (asked: Asked, nth: number) => Reply) {
  let nth = 0
  return oddApi((asked) => reply(asked, nth++), { clock: new SleepyClock() })
}

const REQUEST = { query: 'SELECT uuid FROM events', submission_id: 's-1' }
const FILED = { id: '7', status: 'pending', submission_id: 's-1' }
const isFirst = ({ submission_id: of }: { readonly submission_id?: string | null | undefined }) =>
  of === 's-1'
const PATH = '/api/projects/1/data_deletion_requests/'

test.each([
  [403, 'auth', 'may not read requests for deletion: no'],
  [404, 'config', 'does not know requests for deletion'],
])('%i: the project takes no requests', async (status, code, message) => {
  const { api } = await serverWith(() => ({ status, body: { detail: 'no' } }))
  for (const ask of [
    previewDeletion({ api, projectId: '1' }, REQUEST.query),
    fileDeletion({ api, projectId: '1' }, REQUEST),
  ]) {
    const error = await ask.catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(isDeletionRefused(error)).toBe(true)
  }
})

test('409: five requests are at work, so that it waits for one of them', async () => {
  const { api, server } = await serverWith(() => ({ status: 409, body: { detail: 'five are active' } }))
  const error = await fileDeletion({ api, projectId: '1' }, REQUEST).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'paused', hint: expect.stringContaining('at most five') })
  expect([isDeletionRefused(error), server.asked.length]).toEqual([false, 1])
})

test.each([
  ['429', { status: 429, headers: { 'retry-after': '40' }, body: { detail: 'later' } }],
  ['503', { status: 503, body: { detail: 'down' } }],
])('%s: the same request is sent again', async (_, busy) => {
  const { api, server } = await serverWith((__, nth) => (nth < 2 ? busy : { status: 201, body: FILED }))
  expect(await fileDeletion({ api, projectId: '1' }, REQUEST)).toEqual(FILED)
  expect(new Set(server.asked.map(({ body }) => (JSON.parse(body) as typeof FILED).submission_id))).toEqual(
    new Set(['s-1']),
  )
  expect(server.asked).toHaveLength(3)
})

test.each([
  ['cut', '{"id":"7","sta'],
  ['no JSON', 'ok'],
  ['without a status', { id: '7' }],
  ['with a number for an id', { id: 7, status: 'pending' }],
  ['a list', [FILED]],
])('an answer that is %s is no filed request', async (_, body) => {
  const { api } = await serverWith(() => ({ status: 201, body }))
  await expect(fileDeletion({ api, projectId: '1' }, REQUEST)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('requests for deletion is not as expected'),
  })
})

test('a request of another is not taken for the filed one, and one whose service names none is', async () => {
  const answered = (submission_id: string | null) =>
    serverWith(() => ({ status: 201, body: { ...FILED, submission_id } }))
  await expect(fileDeletion({ ...(await answered('s-2')), projectId: '1' }, REQUEST)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('it is of another request'),
  })
  expect(await fileDeletion({ ...(await answered(null)), projectId: '1' }, REQUEST)).toMatchObject({
    id: '7',
  })
})

test('a sign-in page says nothing about a request', async () => {
  const { api } = await serverWith(() => ({ body: '<html>Sign in</html>' }))
  const error = await findDeletion({ api, projectId: '1' }, isFirst).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'config' })
  expect(isDeletionRefused(error)).toBe(false)
})

test('a request is found on a later page; one that is gone is not, even where pages name each other', async () => {
  const other = { ...FILED, id: '1', submission_id: null }
  const pages: Record<string, object> = {
    [PATH]: { results: [other], next: '?page=2' },
    [`${PATH}?page=2`]: { results: [FILED], next: PATH },
  }
  const { api, server } = await serverWith(({ path }) => ({ body: pages[path] }))
  expect(await findDeletion({ api, projectId: '1' }, isFirst)).toEqual(FILED)
  expect(await findDeletion({ api, projectId: '1' }, ({ submission_id: of }) => of === 's-2')).toBeUndefined()
  expect(server.asked).toHaveLength(4)
})
