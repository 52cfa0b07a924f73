import { describe, expect, test } from 'vitest'
import { judge } from '../../src/delivery/verdict.ts'
import type { Reply } from '../../src/http/answer.ts'
import type { NetworkKind } from '../../src/http/network-error.ts'

const answer = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
})
const NOW = Date.UTC(2027, 11, 31)
const kindOf = (reply: Reply) => {
  const verdict = judge(reply, NOW)
  return 'notOurService' in verdict ? `${verdict.kind}, notOurService` : verdict.kind
}

describe('an answer of the batch endpoint', () => {
  test.each([
    // Accepted answers, and those that only look so.
    [200, '{"status":"Ok"}', 'accepted'],
    [200, '{"status": 1}', 'accepted'],
    [200, '{"status":"ok"}\n', 'accepted'],
    [200, '{"status":"Ok","quota_limited":[]}', 'accepted'],
    [200, '{"status":"Ok","quota_limited":null}', 'accepted'],
    [200, '{"status":"Ok","quota_limited":["events"]}', 'pause'],
    [200, '{"status":"Ok","quota_limited":["recordings"]}', 'pause'],
    [200, '{"status":"Ok","quota_limited":{"events":true}}', 'pause'],
    [200, '<html>Sign in to Wi-Fi</html>', 'retry, notOurService'],
    [200, '', 'retry, notOurService'],
    [200, 'Ok', 'retry, notOurService'],
    [200, '1', 'retry, notOurService'],
    [200, '[{"status":"Ok"}]', 'retry, notOurService'],
    [200, '{"status":"error"}', 'retry, notOurService'],
    [200, '{"status":true}', 'retry, notOurService'],
    [200, '{}', 'retry, notOurService'],
    [200, '{"status":"Ok"', 'retry, notOurService'],
    [204, '', 'retry, notOurService'],
    // One event in the batch is refused.
    [400, 'failed to decode request: invalid gzip', 'split'],
    [200, '{"status":"error","status":"Ok"}', 'retry, notOurService'],
    [200, '{"st\\u0061tus":1, "status" : "Ok"}', 'retry, notOurService'],
    [200, '{"status":"Ok","said":"a: \\"b:c\\"","more":[{"a":{}}]}', 'accepted'],
    [400, 'failed to parse request: expected value at line 1', 'split'],
    [400, 'failed to hydrate events from request: invalid type', 'split'],
    [400, 'request holds no event', 'split'],
    [400, 'event submitted with an empty event name', 'split'],
    [400, 'event submitted without a distinct_id', 'split'],
    [400, 'event submitted with invalid timestamp', 'split'],
    [400, 'invalid event could not be processed', 'split'],
    [400, '{"type":"validation_error","detail":"no"}', 'split'],
    [400, '<html><h1>400 Bad Request</h1>nginx</html>', 'retry, notOurService'],
    [422, 'unprocessable', 'split'],
    [413, 'maximum event size exceeded: 1000001', 'split'],
    [413, '<html>413 Request Entity Too Large</html>', 'split, notOurService'],
    [413, '', 'split'],
    [422, '<html>no</html>', 'retry, notOurService'],
    // The key.
    [401, 'event submitted without an api_key', 'fatal'],
    [401, 'batch submitted with inconsistent api_key values', 'fatal'],
    [401, 'API key is not valid: personal_api_key', 'fatal'],
    [403, '<html>Forbidden</html>', 'fatal'],
    // Limits and trouble.
    [402, 'payment required', 'pause'],
    [429, 'billing limit reached', 'pause'],
    [429, 'rate limited', 'retry'],
    [429, 'rate limit exceeded: events per minute', 'retry'],
    [408, 'client stopped sending data', 'retry'],
    [425, '', 'retry'],
    [500, 'transient error, please retry', 'retry'],
    [502, '<html>Bad Gateway</html>', 'retry'],
    [503, 'service unavailable: kafka', 'retry'],
    [504, '', 'retry'],
    [529, '', 'retry'],
    // Not the service's answers: redirects are not followed, and other addresses not tried.
    [301, '', 'retry, notOurService'],
    [302, '<html>moved</html>', 'retry, notOurService'],
    [307, '', 'retry, notOurService'],
    [404, 'not found', 'retry, notOurService'],
    [405, '', 'retry, notOurService'],
    [100, '', 'retry, notOurService'],
  ])('%i %j is %s', (status, body, expected) => {
    expect(kindOf(answer(status, body))).toBe(expected)
  })

  test.each([
    [400, 'retry, notOurService'],
    [413, 'split, notOurService'],
    [422, 'retry, notOurService'],
  ])('%i is a proxy’s when it says that it is a page, whatever is in it', (status, expected) => {
    const page = { 'content-type': 'text/html; charset=utf-8' }
    expect(kindOf(answer(status, '', page))).toBe(expected)
    expect(kindOf(answer(status, 'Too large', page))).toBe(expected)
    expect(kindOf(answer(status, 'refused', { 'content-type': 'text/plain' }))).toBe('split')
  })

  test('no status but 400, 413 and 422 can make a reject', () => {
    const bodies = ['', 'refused', '<html></html>', '{"status":"error"}']
    for (let status = 100; status < 600; status++) {
      const splits = bodies.some((body) => judge(answer(status, body), NOW).kind === 'split')
      expect([status, splits]).toEqual([status, [400, 413, 422].includes(status)])
    }
  })

  test('says so when it is empty', () => {
    expect(judge(answer(400, '\n'), NOW)).toMatchObject({ reason: '400 and an empty answer' })
  })

  test('carries the words of the server on one line, without what a terminal would obey', () => {
    expect(judge(answer(400, 'event submitted\r\n\u001b[31mwithout a\u202e distinct_id '), NOW)).toEqual({
      kind: 'split',
      reason: '400 event submitted [31mwithout a distinct_id',
    })
    const page = judge(answer(503, '<html><style>b{}</style><b>down</b></html>'), NOW)
    expect(page).toMatchObject({ reason: '503 down' })
    const long = judge(answer(500, 'x'.repeat(1000)), NOW)
    expect('reason' in long && long.reason.length).toBeLessThan(310)
  })
})

test.each<[NetworkKind, string]>([
  ['dns', 'retry'],
  ['refused', 'retry'],
  ['reset', 'retry'],
  ['timeout', 'retry'],
  ['protocol', 'retry'],
  ['tls', 'retry, notOurService'],
  ['proxy', 'retry, notOurService'],
])('a request that failed by %s is %s', (network, expected) => {
  expect(kindOf({ network, message: 'why' })).toBe(expected)
})

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    ['0', 0],
    [' 1.5 ', 1500],
    ['Fri, 31 Dec 2027 23:59:59 GMT', 86_399_000],
    ['Thu, 30 Dec 2027 23:59:59 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])('%j', (header, waitMs) => {
    const verdict = judge(answer(429, 'rate limited', { 'retry-after': header }), NOW)
    expect(verdict.kind).toBe('retry')
    expect('waitMs' in verdict ? verdict.waitMs : undefined).toBe(waitMs)
  })

  test('is read on 503 too, and never turns a pause into a retry', () => {
    const headers = { 'retry-after': '7' }
    expect(judge(answer(503, '', headers), NOW)).toMatchObject({ kind: 'retry', waitMs: 7000 })
    expect(judge(answer(429, 'billing limit reached', headers), NOW).kind).toBe('pause')
  })
})
