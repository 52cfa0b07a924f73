import { describe, expect, test } from 'vitest'
import { judge, judgeEvent, judgeV1, rejectReason } from '../../src/delivery/verdict.ts'
import type { NetworkKind, Reply } from '../../src/http/network-error.ts'

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
    [400, 'event submitted without a distinct_id', 'split'],
    [400, 'event submitted with invalid timestamp', 'split'],
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

test('Retry-After is read on 429 and 503, and never turns a pause into a retry', () => {
  const headers = { 'retry-after': '7' }
  for (const status of [429, 503])
    expect(judge(answer(status, '', headers), NOW)).toMatchObject({ kind: 'retry', waitMs: 7000 })
  expect(judge(answer(429, 'rate limited', { 'retry-after': 'soon' }), NOW)).not.toHaveProperty('waitMs')
  expect(judge(answer(429, 'billing limit reached', headers), NOW).kind).toBe('pause')
})

const error = (tag: string) =>
  JSON.stringify({ error: tag, error_description: 'why it is so', error_uri: 'https://docs.example/' })
const said = (status: number, body: string) => {
  const { kind, ...more } = judgeV1(answer(status, body), NOW)
  const marks = ['notOurService', 'noRoute'].filter((mark) => mark in more)
  return [kind, ...marks].join(', ')
}
const PAGE = '<html><h1>Sign in</h1></html>'

describe('an answer to the whole request', () => {
  test.each([
    // Each row of the service's table, with the spellings of older versions.
    [400, 'request_parsing_error', 'split'],
    [400, 'request_decoding_error', 'misfit'],
    [400, 'empty_body', 'misfit'],
    [400, 'empty_batch', 'misfit'],
    [400, 'invalid_batch', 'misfit'],
    [400, 'missing_required_headers', 'misfit'],
    [400, 'invalid_header_value', 'misfit'],
    [400, 'missing_event_uuid', 'split'],
    [400, 'invalid_event_uuid', 'split'],
    [400, 'duplicate_event_uuid', 'split'],
    [400, 'a_word_of_next_year', 'misfit'],
    [401, 'missing_authorization', 'fatal'],
    [401, 'invalid_api_token', 'fatal'],
    [402, 'billing_limit_exceeded', 'pause'],
    [403, 'forbidden', 'fatal'],
    [404, 'not_found', 'retry, notOurService, noRoute'],
    [405, 'method_not_allowed', 'retry, notOurService, noRoute'],
    [408, 'request_timeout', 'retry'],
    [408, 'body_read_timeout', 'retry'],
    [410, 'gone', 'misfit'],
    [413, 'payload_too_large', 'split'],
    [415, 'unsupported_content_type', 'misfit'],
    [415, 'unsupported_encoding', 'misfit'],
    [422, 'unprocessable', 'misfit'],
    [429, 'rate_limited', 'retry'],
    [429, 'billing_limit_exceeded', 'pause'],
    [500, 'internal_error', 'retry'],
    [502, 'bad_gateway', 'retry'],
    [503, 'service_unavailable', 'retry, noRoute'],
    [503, 'overloaded', 'retry'],
    [504, 'gateway_timeout', 'retry'],
  ])('%i %s: %s', (status, tag, expected) => {
    expect(said(status, error(tag))).toBe(expected)
  })

  test.each([
    // Pages and other texts that are not the service's.
    [200, PAGE, 'retry, notOurService'],
    [200, '', 'retry, notOurService'],
    [200, '{"status":"Ok"}', 'retry, notOurService'],
    [200, '{}', 'retry, notOurService'],
    [200, '{"results":null}', 'retry, notOurService'],
    [200, '{"results":[]}', 'retry, notOurService'],
    [200, '{"results":"ok"}', 'retry, notOurService'],
    [200, '{"results":{"a":{"result":"ok"}', 'retry, notOurService'],
    [200, '[{"results":{}}]', 'retry, notOurService'],
    [204, '', 'retry, notOurService'],
    [200, '{"results":{}}', 'told'],
    [200, '{"results":{"a":{"result":"ok"}},"more":1}', 'told'],
    [302, '', 'retry, notOurService'],
    [400, PAGE, 'retry, notOurService'],
    [400, 'failed to parse request', 'retry, notOurService'],
    [400, '{"error":7}', 'retry, notOurService'],
    [400, '{"error":"Words <b>of</b> another server"}', 'retry, notOurService'],
    [401, PAGE, 'fatal'],
    [402, PAGE, 'pause'],
    [403, PAGE, 'fatal'],
    [404, PAGE, 'retry, notOurService, noRoute'],
    [404, '', 'retry, notOurService, noRoute'],
    [405, '', 'retry, notOurService, noRoute'],
    [413, PAGE, 'split, notOurService'],
    [413, '', 'split, notOurService'],
    [415, PAGE, 'retry, notOurService'],
    [429, 'billing limit reached', 'pause'],
    [429, '', 'retry'],
    [502, PAGE, 'retry'],
    [503, PAGE, 'retry'],
    [503, '', 'retry'],
  ])('%i %s: %s', (status, body, expected) => {
    expect(said(status, body)).toBe(expected)
  })

  test('names the status, the tag and the description, without control characters', () => {
    const body = JSON.stringify({ error: 'empty_batch', error_description: 'no\u001b[2J events' })
    expect(judgeV1(answer(400, body), NOW)).toEqual({
      kind: 'misfit',
      reason: '400 empty_batch no [2J events',
    })
  })

  test.each([
    [503, error('service_unavailable')],
    [429, error('rate_limited')],
    [408, error('request_timeout')],
    [200, '{"results":{"a":{"result":"retry","details":"not_persisted"}}}'],
  ])('%i waits as Retry-After asks', (status, body) => {
    expect(judgeV1(answer(status, body, { 'retry-after': '7' }), NOW)).toMatchObject({ waitMs: 7000 })
  })

  test.each([true, false])('a failure of the network is tried again: %s', (notOurService) => {
    const verdict = judgeV1({ network: notOurService ? 'tls' : 'reset', message: 'it broke' }, NOW)
    expect(verdict).toEqual({ kind: 'retry', reason: 'it broke', ...(notOurService && { notOurService }) })
  })
})

describe('what the answer says of an event', () => {
  test.each([
    ['ok', undefined, 'taken', ''],
    ['ok', null, 'taken', ''],
    ['ok', 'person_processing_disabled', 'taken', 'person_processing_disabled'],
    ['warning', 'person_processing_disabled', 'taken', 'person_processing_disabled'],
    ['warning', 'another_warning', 'taken', 'another_warning'],
    ['warning', undefined, 'taken', 'warning'],
    ...`missing_event_name event_name_too_long missing_distinct_id distinct_id_too_large
      invalid_event_timestamp malformed_event_properties invalid_options dropped_performance_event
      event_too_big serialization_failed rejected ai_event_too_big gateway_props_unparseable
      event_restriction_drop a_word_of_next_year`
      .split(/\s+/)
      .map((word) => ['drop', word, 'refused', word] as const),
    ['drop', undefined, 'refused', 'drop'],
    ['drop', 'exceptions_over_quota', 'later', 'exceptions_over_quota'],
    ['drop', 'survey_responses_over_quota', 'later', 'survey_responses_over_quota'],
    ['drop', 'llm_events_over_quota', 'later', 'llm_events_over_quota'],
    ['drop', 'ai_byte_rate_limited', 'later', 'ai_byte_rate_limited'],
    ['drop', 'non_historical_import_drop', 'misfit', 'non_historical_import_drop'],
    ['drop', 'misrouted_event', 'misfit', 'misrouted_event'],
    ['drop', 'non_ai_event', 'misfit', 'non_ai_event'],
    ['retry', 'not_persisted', 'again', 'not_persisted'],
    ['retry', undefined, 'again', 'retry'],
    ['deferred', undefined, 'unknown', 'deferred'],
    [7, undefined, 'unknown', ''],
  ] as const)('%s %s: %s', (result, details, fate, word) => {
    expect(judgeEvent({ result, ...(details !== undefined && { details }) })).toEqual({ fate, word })
  })

  test.each([[undefined], [null], ['ok'], [{}], [[]]])('%j is unknown', (entry) => {
    expect(judgeEvent(entry)).toEqual({ fate: 'unknown', word: '' })
  })

  test('a word is a reason; any other text is not', () => {
    expect(rejectReason('event_too_big')).toBe('refused_event_too_big')
    expect(rejectReason('Event too big!')).toBe('refused_by_service')
  })
})
