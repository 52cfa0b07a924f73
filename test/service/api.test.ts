import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { PosthaulError } from '../../src/errors.ts'
import type { Wait } from '../../src/http/rate-limiter.ts'
import type { ApiOptions } from '../../src/service/api.ts'
import { MIB } from '../../src/text/units.ts'
import { apiAt, oddApi } from '../helpers/api.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import type { Reply } from '../helpers/odd-server.ts'
import { seenRequests } from '../helpers/seen-requests.ts'

const KEY = 'phx_never_shown'
const JSON_TYPE = { 'content-type': 'application/json' }
const SUBJECT = { what: 'the groups of type company', scope: 'group:read', projectId: '7' }
async function start(replies: readonly Reply[], options: Pick<ApiOptions, 'optionalMs'> = {}) {
  let turn = 0
  const waits: Wait[] = []
  const onWait = (wait: Wait) => void waits.push(wait)
  const given = { key: KEY, onWait, clock: new FakeClock(0), ...options }
  return { ...(await oddApi(() => replies[Math.min(turn++, replies.length - 1)]!, given)), waits }
}

async function failure(...replies: readonly Reply[]): Promise<PosthaulError> {
  const { api } = await start(replies)
  const error = await api.get('/api/x/', SUBJECT).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(PosthaulError)
  expect(inspect(error, { depth: 9 })).not.toContain('never_shown')
  return error as PosthaulError
}

const words = (detail: string) => ({ type: 'x', code: 'x', detail, attr: null })

describe('a refusal says what happened and what to do', () => {
  const scope = "API key missing required scope 'group:read'"
  test.each<[number, unknown, string, RegExp]>([
    [
      401,
      words('Invalid personal API key.'),
      'auth',
      /_API_KEY is not valid: Invalid.*\/settings\/user-api-keys/,
    ],
    [403, words(scope), 'auth', /lacks the scope group:read, which is needed for the groups .*add the scope/],
    [403, words("You don't have access."), 'auth', /may not read the groups .*: You don't.*this project/],
    [404, words('Project not found.'), 'config', /project 7 does not exist, or .*posthaul projects list/],
    [404, words('API endpoint not found.'), 'config', /does not know the groups of .*check the address/],
    [405, words('Method not allowed.'), 'config', /does not know the groups of .*check the address/],
    [
      400,
      { ...words('Required.'), attr: 'index' },
      'usage',
      /400 Required. \(parameter index\) \| undefined$/,
    ],
    [200, '<!doctype html><title>Sign in</title>', 'config', /with a web page \(200\).*check POSTHOG_HOST/],
    [404, '<html>nginx</html>', 'config', /answered with a web page \(404\).*check POSTHOG_HOST/],
  ])('%i %j', async (status, body, code, said) => {
    const error = await failure({ status, body })
    expect([error.code, `${error.message} | ${error.hint}`]).toEqual([code, expect.stringMatching(said)])
  })

  test('a redirect, without what it carries', async () => {
    const error = await failure({ status: 302, headers: { location: 'https://sso.example.com/login?t=1' } })
    expect(error.message).toContain(
      'a redirect to https://sso.example.com/login; keys are never sent to another address',
    )
  })

  test('a server that repeats the key', async () => {
    const error = await failure({ status: 401, body: words(`no such key: ${KEY}`) })
    expect(error.message).toContain('no such key: [redacted]')
  })
})

test.each([
  // The words of older servers and of newer ones, for the same refusal.
  [401, { type: 'authentication_error', code: 'not_authenticated' }, 'auth'],
  [403, { type: 'permission_denied', code: 403 }, 'auth'],
  [400, { type: 'validation_error', code: 'invalid_input', attr: 'file__format' }, 'usage'],
])('%i %j is the same on every version of the service', async (status, body, code) => {
  const error = await failure({ status, body: { ...body, detail: 'So it is.' } })
  expect([error.code, error.message]).toEqual([code, expect.stringContaining('So it is.')])
})

describe('a failure that can pass is tried again', () => {
  test('429 with a time in its text: after that time', async () => {
    const throttled = { status: 429, body: words('Request was throttled. Expected available in 37 seconds.') }
    const { api, server, waits } = await start([throttled, { body: { ok: 1 } }])
    await api.get('/api/x/', SUBJECT)
    expect(server.asked).toHaveLength(2)
    expect(waits).toEqual([{ ms: 37_000, why: 'the service asked for it' }])
  })

  test.each<[string, Partial<Reply>, unknown]>([
    [
      'with Retry-After: after that time',
      { headers: { 'retry-after': '12' }, body: words('Slow down.') },
      12_000,
    ],
    [
      "with a page of a proxy's: as any other",
      { body: '<html>Too many requests</html>' },
      expect.any(Number),
    ],
  ])('429 %s', async (_, throttled, waited) => {
    const { api, server, waits } = await start([{ status: 429, ...throttled }, { body: {} }])
    await api.get('/api/x/', SUBJECT)
    expect(server.asked).toHaveLength(2)
    expect(waits.map(({ ms }) => ms)).toEqual([waited])
  })

  test.each([500, 502, 503, 504, 408])(
    '%i: eight times, then it is an error that says run again',
    async (status) => {
      const { api, server } = await start([{ status, body: 'oh no' }])
      await expect(api.get('/api/x/', SUBJECT)).rejects.toMatchObject({ code: 'unavailable', exitCode: 5 })
      expect(server.asked).toHaveLength(8)
    },
  )

  test('an unreachable server at the first request: one retry, then the error says where the address came from', async () => {
    const { api, server, waits } = await start([{ body: {} }])
    server.close()
    const error = await api.get('/api/x/', SUBJECT).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('check POSTHOG_HOST') })
    expect(waits).toHaveLength(1)
  })

  test('an unreachable server after an answer: as many tries as for a 500', async () => {
    const { api, server, waits } = await start([{ body: {} }])
    await api.get('/api/x/', SUBJECT)
    server.close()
    await expect(api.get('/api/x/', SUBJECT)).rejects.toMatchObject({ kind: 'refused' })
    expect(waits).toHaveLength(7)
  })

  test('but not a query that was too expensive', async () => {
    const { api, server } = await start([{ status: 512, body: words('Query too expensive.') }])
    await expect(api.query('/api/x/', {}, SUBJECT, false)).rejects.toMatchObject({ heavy: true })
    expect(server.asked).toHaveLength(1)
  })
})

test('an optional question is asked once, also of a server that never answers', async () => {
  const optional = { ...SUBJECT, isOptional: true }
  const seen = seenRequests()
  const silent = await start([{ silent: true }], { optionalMs: 50 })
  await expect(silent.api.get('/api/x/', optional)).rejects.toMatchObject({ kind: 'timeout' })
  const busy = await start([{ status: 503 }])
  await expect(busy.api.get('/api/x/', optional)).rejects.toMatchObject({ status: 503 })
  expect(seen.map(({ failure, status }) => failure ?? status)).toEqual(['timeout', 503])
  expect([...silent.waits, ...busy.waits]).toEqual([])
})

test('an answer that is larger than is read at once is too much: a smaller question is asked', async () => {
  // Whole JSON in as much as is read: what is missing after it, nobody knows.
  const { api, server } = await start([{ headers: JSON_TYPE, body: `{}${' '.repeat(64 * MIB)}` }])
  await expect(api.query('/api/x/', {}, SUBJECT, true)).rejects.toMatchObject({
    code: 'unavailable',
    heavy: true,
    message: expect.stringContaining('is larger than posthaul reads at once'),
  })
  expect(server.asked).toHaveLength(1)
})

test('an unexpected shape names the field', async () => {
  const { api } = await start([{ body: { results: [{ id: 'seven' }] } }])
  const answer = await api.get('/api/x/', SUBJECT)
  const schema = z.object({ results: z.array(z.object({ id: z.int() })) })
  expect(() => api.read(answer, schema, 'the projects')).toThrow(
    /the answer about the projects is not as expected: results\.0\.id: .*expected number/,
  )
})

test('a proxy that is not there is what the error is about, not the address of the service', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const api = apiAt('https://service.test', { key: KEY, clock: new FakeClock(0) })
  const error = await api.get('/api/x/', SUBJECT).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ kind: 'proxy', hint: expect.stringContaining('check HTTPS_PROXY') })
  expect((error as Error).message).not.toContain('service.test')
})
