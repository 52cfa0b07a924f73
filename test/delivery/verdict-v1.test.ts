import { describe, expect, test } from 'vitest'
import { judgeEvent, judgeV1, rejectReason } from '../../src/delivery/verdict-v1.ts'
import type { Reply } from '../../src/http/answer.ts'
import type { NetworkKind } from '../../src/http/network-error.ts'

const NOW = Date.UTC(2027, 11, 31)
const answer = (status: number, body: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body,
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

  test.each<[NetworkKind, boolean]>([
    ['reset', false],
    ['timeout', false],
    ['tls', true],
    ['proxy', true],
  ])('a failure of the network (%s) is tried again', (network, notOurService) => {
    const verdict = judgeV1({ network, message: 'it broke' }, NOW)
    expect(verdict).toMatchObject({ kind: 'retry', reason: 'it broke' })
    expect('notOurService' in verdict).toBe(notOurService)
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
    ...[
      'missing_event_name',
      'event_name_too_long',
      'missing_distinct_id',
      'distinct_id_too_large',
      'invalid_event_timestamp',
      'malformed_event_properties',
      'invalid_options',
      'dropped_performance_event',
      'event_too_big',
      'serialization_failed',
      'rejected',
      'ai_event_too_big',
      'gateway_props_unparseable',
      'event_restriction_drop',
      'a_word_of_next_year',
    ].map((word) => ['drop', word, 'refused', word] as const),
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
