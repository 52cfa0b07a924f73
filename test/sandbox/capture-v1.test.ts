import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { type Answer, rows, startHarness, uuid } from './harness.ts'

const REQUEST_ID = '018f0000-0000-7000-8000-0000000000ff'
const TIME = '2024-03-01T12:34:56.789Z'
const STORED = 'SELECT event FROM events ORDER BY event'

const event = (n: number, more: object = {}) => ({
  uuid: uuid(n),
  event: `e${n}`,
  distinct_id: `u${n}`,
  timestamp: TIME,
  options: { disable_skew_correction: true },
  properties: { n },
  ...more,
})
const FOUR = [1, 2, 3, 4].map((n) => event(n))

/** A sandbox, and requests of Capture V1 with the right headers. */
async function startV1(options: SandboxOptions = {}) {
  const harness = await startHarness(options)
  const { url, projectKey } = harness.sandbox
  const send = async (body: Uint8Array | string, headers: Record<string, string> = {}, path = '') => {
    const response = await fetch(`${url}/i/v1/analytics/events${path}`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${projectKey}`,
        'content-type': 'application/json',
        'posthog-sdk-info': 'posthaul',
        'posthog-attempt': '1',
        'posthog-request-id': REQUEST_ID,
        'posthog-request-timestamp': new Date().toISOString(),
        ...headers,
      },
    })
    const text = await response.text()
    const answer: Answer = {
      status: response.status,
      text,
      headers: response.headers,
      json: () => JSON.parse(text),
    }
    return answer
  }
  const ask = (events: readonly object[] = FOUR, headers: Record<string, string> = {}) =>
    send(bodyOf(events), headers)
  return { ...harness, send, ask }
}

const bodyOf = (events: readonly object[]) =>
  JSON.stringify({ created_at: new Date().toISOString(), historical_migration: true, batch: events })
const results = (answer: Answer) => Object.values((answer.json() as { results: object }).results)

describe('Capture V1', () => {
  test('answers for each event, and stores those that are ok', async () => {
    const { ask, sandbox } = await startV1()
    const answer = await ask([event(1), event(2, { timestamp: 'soon' }), event(3, { distinct_id: 'null' })])
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(
      `{"results":{"${uuid(1)}":{"result":"ok"},"${uuid(2)}":{"result":"drop","details":"invalid_event_timestamp"},` +
        `"${uuid(3)}":{"result":"ok","details":"person_processing_disabled"}}}`,
    )
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('posthog-request-id')).toBe(REQUEST_ID)
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(await rows(sandbox, STORED)).toEqual([['e1'], ['e3']])
    expect(sandbox.stats()).toMatchObject({ requests: 1, accepted: 1, events: 2, statuses: { 200: 1 } })
  })

  test('stores what /batch/ stores of the same event, but for what says that the time is right', async () => {
    const { ask, send, post, sandbox } = await startV1()
    const properties = {
      $set: { plan: 'pro' },
      $groups: { company: 'acme' },
      $lib: 'web',
      text: 'é\u2028😀',
      n: 1.5,
    }
    const same = { ...event(1), properties }
    const { options: _, ...plain } = same
    await post('/batch/', { api_key: sandbox.projectKey, historical_migration: true, batch: [plain] })
    const columns = 'uuid, event, distinct_id, timestamp, historical_migration, $group_0, properties'
    const [[...before] = []] = await rows(sandbox, `SELECT ${columns} FROM events`)
    expect((await ask([same])).status).toBe(200)
    const [[...after] = []] = await rows(sandbox, `SELECT ${columns} FROM events`)
    const { $sent_at, $ignore_sent_at, ...left } = JSON.parse(String(after.pop()))
    expect([Number.isNaN(Date.parse($sent_at)), $ignore_sent_at]).toEqual([false, true])
    expect(left).toEqual(JSON.parse(String(before.pop())))
    expect(after).toEqual(before)
    expect(sandbox.stats().events).toBe(2)
    expect((await send(bodyOf([same]), {}, '/')).status).toBe(200)
  })

  test('takes gzip and no other encoding', async () => {
    const { send, sandbox } = await startV1()
    const body = Buffer.from(bodyOf(FOUR))
    const packed: [encoding: string, body: Uint8Array, status: number, text: string][] = [
      ['gzip', gzipSync(body), 200, '{"results"'],
      ['gzip', body, 400, '{"error":"request_decoding_error"'],
      ['lz4', body, 415, '{"error":"unsupported_encoding"'],
    ]
    for (const [encoding, bytes, status, text] of packed) {
      const answer = await send(bytes, { 'content-encoding': encoding })
      expect.soft([answer.status, answer.text.slice(0, text.length)], encoding).toEqual([status, text])
    }
    // Nothing is guessed: gzip without its header is no JSON.
    expect((await send(gzipSync(body))).json()).toMatchObject({ error: 'request_parsing_error' })
    expect(sandbox.stats().events).toBe(4)
  })

  test('refuses what is too large, on the wire and unpacked', async () => {
    const { send } = await startV1()
    expect((await send(' '.repeat(10 * 1024 * 1024 + 1))).status).toBe(413)
    const wide = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20))
    const answer = await send(wide, { 'content-encoding': 'gzip' })
    expect([answer.status, answer.json()]).toEqual([
      413,
      expect.objectContaining({ error: 'payload_too_large' }),
    ])
  })

  test('refuses the whole request in a JSON of its own, with the request id', async () => {
    const { send, ask } = await startV1()
    const empty = await send('')
    expect([empty.status, empty.json()]).toEqual([
      400,
      {
        error: 'empty_body',
        error_description: 'request body is empty',
        error_uri: 'https://posthog.com/docs/api',
      },
    ])
    expect(empty.headers.get('posthog-request-id')).toBe(REQUEST_ID)
    expect((await ask([event(1), event(1)])).json()).toMatchObject({ error: 'duplicate_event_uuid' })
    expect((await ask(FOUR, { authorization: 'Bearer phx_x' })).status).toBe(401)
  })

  test('takes an unknown key, and its events vanish', async () => {
    const { ask, sandbox } = await startV1()
    expect(results(await ask([event(1)], { authorization: 'Bearer phc_nobody' }))).toEqual([{ result: 'ok' }])
    expect(await rows(sandbox, STORED)).toEqual([])
  })

  test('lets pass what breaks /batch/, and stores what is left of it', async () => {
    const { send, ask, sandbox } = await startV1()
    const text = bodyOf([event(1, { properties: { a: 'HERE', b: 'HERE' } })])
    await send(text.replace('"HERE"', '"\\ud800 \\\\ud800"').replace('"HERE"', '1e400'))
    await ask([
      event(2, { event: '$identify', distinct_id: 'null', properties: { $anon_distinct_id: 'anon' } }),
    ])
    const [[properties] = []] = await rows(sandbox, "SELECT properties FROM events WHERE event = 'e1'")
    expect(JSON.parse(String(properties))).toMatchObject({ a: '\ufffd \\ud800', b: null })
    const person = "SELECT properties.$process_person_profile FROM events WHERE event = '$identify'"
    expect(await rows(sandbox, person)).toEqual([['false']])
    expect(await rows(sandbox, 'SELECT distinct_ids FROM persons')).toEqual([[['u1']]])
  })

  test('is POST only', async () => {
    const { sandbox } = await startV1()
    const answer = await fetch(`${sandbox.url}/i/v1/analytics/events/`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('is not there on an older server', async () => {
    const { ask } = await startV1({ dialect: { captureV1: 'absent' } })
    expect((await ask()).status).toBe(404)
  })

  test('answers 503 to every valid request on a server that has not set it up', async () => {
    const { ask, sandbox } = await startV1({ dialect: { captureV1: 'unconfigured' } })
    const answer = await ask()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(answer.json()).toMatchObject({ error: 'service_unavailable' })
    expect((await ask([])).json()).toMatchObject({ error: 'empty_batch' })
    expect(sandbox.stats().events).toBe(0)
  })
})

describe('faults on Capture V1', () => {
  const faults: [fault: string, status: number, text: string, stored: number][] = [
    ['429', 429, '{"error":"rate_limited"', 0],
    ['429:on=batch', 200, '{"results"', 4],
    ['500', 500, '{"error":"internal_error"', 0],
    ['502', 502, '', 0],
    ['503:on=v1', 503, '{"error":"service_unavailable"', 0],
    ['404:on=v1', 404, '', 0],
    ['billing', 429, '{"error":"billing_limit_exceeded"', 0],
    ['413', 413, '{"error":"payload_too_large"', 0],
    ['413:events=4', 200, '{"results"', 4],
    ['html', 200, '<!doctype html>', 0],
    ['partial', 500, '{"error":"internal_error"', 2],
    ['slow:ms=20', 200, '{"results"', 4],
    ['quota', 402, '{"error":"billing_limit_exceeded"', 0],
  ]

  test('are answered in its own words', async () => {
    const { ask, sandbox } = await startV1()
    for (const [fault, status, text, stored] of faults) {
      const before = sandbox.stats().events
      sandbox.setFaults([fault])
      const answer = await ask()
      expect.soft([answer.status, answer.text.slice(0, text.length)], fault).toEqual([status, text])
      if (text === '') expect.soft(answer.text, fault).toBe('')
      // A portal of a network knows no such header.
      const id = fault === 'html' ? null : REQUEST_ID
      expect.soft(answer.headers.get('posthog-request-id'), fault).toBe(id)
      expect.soft(sandbox.stats().events - before, fault).toBe(stored)
    }
  })

  test('cut the connection', async () => {
    const { ask, sandbox } = await startV1({ faults: ['reset'] })
    await expect(ask()).rejects.toThrow('fetch failed')
    expect(sandbox.stats().events).toBe(0)
    sandbox.setFaults(['lost'])
    await expect(ask()).rejects.toThrow('fetch failed')
    expect(sandbox.stats().events).toBe(4)
  })

  test('v1-retry keeps none of the events it names, and says when to come again', async () => {
    const { ask, sandbox } = await startV1({ faults: ['v1-retry:times=2'] })
    const answer = await ask()
    expect(results(answer)).toEqual([
      { result: 'retry', details: 'not_persisted' },
      { result: 'retry', details: 'not_persisted' },
      { result: 'ok' },
      { result: 'ok' },
    ])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await rows(sandbox, STORED)).toEqual([['e3'], ['e4']])
    expect(sandbox.stats().faults).toEqual({ 'v1-retry': 2 })
    await ask(FOUR.slice(0, 2))
    expect(await rows(sandbox, STORED)).toEqual([['e1'], ['e2'], ['e3'], ['e4']])
  })

  test('v1-drop drops with its word, v1-warning keeps without a person', async () => {
    const { ask, sandbox } = await startV1({
      faults: ['v1-drop:times=1,word=event_restriction_drop', 'v1-warning:times=1'],
    })
    const events = [
      event(1),
      event(2, { properties: { $set: { a: 1 }, $groups: { company: 'acme' } } }),
      event(3),
    ]
    expect(results(await ask(events))).toEqual([
      { result: 'drop', details: 'event_restriction_drop' },
      { result: 'warning', details: 'person_processing_disabled' },
      { result: 'ok' },
    ])
    expect(await rows(sandbox, STORED)).toEqual([['e2'], ['e3']])
    expect(await rows(sandbox, 'SELECT distinct_ids FROM persons')).toEqual([[['u3']]])
    expect(await rows(sandbox, "SELECT count() FROM events WHERE $group_0 != ''")).toEqual([[0]])
  })

  test('quota refuses events that have a quota of their own, too', async () => {
    const { ask, sandbox } = await startV1({ faults: ['quota'] })
    expect((await ask([event(1), event(2, { event: '$exception' })])).status).toBe(402)
    // Without a valid event a request is a 200 all the same.
    expect(results(await ask([event(1, { event: '' })]))).toEqual([
      { result: 'drop', details: 'missing_event_name' },
    ])
    expect(sandbox.stats().events).toBe(0)
  })
})
