import { expect, test } from 'vitest'
import { readHead } from '../../../../src/sandbox/ingest/v1/head.ts'

const HEADERS = {
  authorization: 'Bearer phc_key',
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'test',
  'posthog-sdk-info': 'lib/1.2.3',
  'posthog-attempt': '1',
  'posthog-request-id': '018f0000-0000-7000-8000-000000000001',
  'posthog-request-timestamp': '2024-03-01T12:00:00.5+01:00',
}
const read = (changes: object = {}) => readHead({ ...HEADERS, ...changes })

test('says what the headers say', () => {
  expect(read({ 'content-encoding': 'GZip' })).toEqual({
    token: 'phc_key',
    encoding: 'gzip',
    sentAt: BigInt(Date.parse('2024-03-01T11:00:00.5Z')) * 1000n,
    lib: { name: 'lib', version: '1.2.3' },
  })
})

test.each([
  [
    'no Authorization',
    { authorization: undefined, 'posthog-attempt': undefined },
    401,
    'missing_authorization',
  ],
  ['no User-Agent', { 'user-agent': undefined }, 400, 'missing_required_headers'],
  ['no PostHog-Sdk-Info', { 'posthog-sdk-info': undefined }, 400, 'missing_required_headers'],
  ['another scheme', { authorization: 'Basic phc_key' }, 400, 'invalid_header_value'],
  ['a personal key', { authorization: 'Bearer phx_key' }, 401, 'invalid_api_token'],
  ['a long key', { authorization: `Bearer ${'k'.repeat(65)}` }, 401, 'invalid_api_token'],
  ['a key that is not ASCII', { authorization: 'Bearer schlüssel' }, 400, 'invalid_header_value'],
  ['another type', { 'content-type': 'text/plain' }, 415, 'unsupported_content_type'],
  ['another encoding', { 'content-encoding': 'lz4' }, 415, 'unsupported_encoding'],
  ['two encodings', { 'content-encoding': 'gzip, br' }, 415, 'unsupported_encoding'],
  ['attempt 0', { 'posthog-attempt': '0' }, 400, 'invalid_header_value'],
  ['attempt 1.5', { 'posthog-attempt': '1.5' }, 400, 'invalid_header_value'],
  ['a request id that is no UUID', { 'posthog-request-id': '7' }, 400, 'invalid_header_value'],
  [
    'a time without a zone',
    { 'posthog-request-timestamp': '2024-03-01T12:00:00' },
    400,
    'invalid_header_value',
  ],
])('refuses %s', (_, changes, status, tag) => {
  expect(() => read(changes)).toThrow(expect.objectContaining({ status, tag }))
})

test.each([
  ['bearer   phc_key  ', 'phc_key'],
  ['BEARER phc_key', 'phc_key'],
])('takes the key of "%s"', (authorization, token) => {
  expect(read({ authorization }).token).toBe(token)
})

test.each([
  ['a/b/2.0', { name: 'a/b', version: '2.0' }],
  [' lib / 1 ', { name: 'lib', version: '1' }],
  ['posthaul', undefined],
  ['/1.0', undefined],
  ['lib/', undefined],
  [`lib/${'9'.repeat(200)}`, undefined],
])('the library of %s', (info, lib) => {
  expect(read({ 'posthog-sdk-info': info }).lib).toEqual(lib)
})
