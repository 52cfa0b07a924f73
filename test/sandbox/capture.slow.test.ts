import { describe, expect, test } from 'vitest'
import { rows, startHarness, uuid } from './harness.ts'

const event = (n: number, more: object = {}) => ({
  uuid: uuid(n),
  event: 'signup',
  distinct_id: `u${n}`,
  timestamp: '2024-03-01T12:34:56.789123Z',
  properties: { n },
  ...more,
})

describe('a batch', () => {
  test('is stored as it says', async () => {
    const { sandbox, post } = await startHarness()
    const properties = (n: number) => ({ n, $ip: '198.51.100.7', $geoip_disable: true })
    const text = (n: number) => JSON.stringify(properties(n))
    const batch = [1, 2].map((n) => event(n, { properties: properties(n) }))
    const body = { api_key: sandbox.projectKey, historical_migration: true, batch }
    const answer = await post('/batch/', body, { gzip: true })
    expect([answer.status, answer.text]).toEqual([200, '{"status":"Ok"}'])
    expect(
      await rows(
        sandbox,
        'SELECT uuid, event, distinct_id, timestamp, properties, historical_migration FROM events ORDER BY uuid',
      ),
    ).toEqual([1, 2].map((n) => [uuid(n), 'signup', `u${n}`, '2024-03-01T12:34:56.789000Z', text(n), true]))
  })

  test.each([
    ['a bad uuid', { uuid: 'x' }, 400, 'failed to hydrate events from request: UUID parsing failed'],
    ['a numeric timestamp', { timestamp: 1 }, 400, 'failed to hydrate events from request'],
    ['an event too big', { properties: { x: 'y'.repeat(1e6) } }, 413, 'maximum event size exceeded: '],
  ])('is refused as a whole for one event with %s', async (_, flaw, status, text) => {
    const { sandbox, post } = await startHarness()
    const batch = [event(1), event(2, flaw), event(3)]
    const answer = await post('/batch/', { api_key: sandbox.projectKey, batch })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(answer.text.startsWith(text)).toBe(true)
    expect(await rows(sandbox, 'SELECT count() FROM events')).toEqual([[0]])
  })

  const bodies: [body: string, status: number, text: string][] = [
    ['{', 400, 'failed to parse request: '],
    ['{"api_key":"phc_x","batch":[]}', 400, 'request holds no event'],
    ['[]', 400, 'request holds no event'],
    ['7', 400, 'failed to parse request: '],
    ['{"api_key":"phc_x","batch":{}}', 400, 'failed to parse request: '],
    ['{"api_key":"phc_x","historical_migration":1,"batch":[]}', 400, 'failed to parse request: '],
    ['{"batch":[{"event":"a","distinct_id":"u"}]}', 401, 'event submitted without an api_key'],
    ['{"event":"a","distinct_id":"u"}', 401, 'event submitted without an api_key'],
    [
      '[{"event":"a","token":"a"},{"event":"a","properties":{"token":"b"}}]',
      401,
      'batch submitted with inconsistent api_key values',
    ],
    ['{"api_key":" ","batch":[{"event":"a"}]}', 401, 'API key is not valid: empty'],
    ['{"api_key":"phx_1","batch":[{"event":"a"}]}', 401, 'API key is not valid: personal_api_key'],
    ['{"api_key":"schlüssel","batch":[{"event":"a"}]}', 401, 'API key is not valid: not_ascii'],
    ['{"api_key":"a\\u0000b","batch":[{"event":"a"}]}', 401, 'API key is not valid: null_byte'],
    [`{"api_key":"${'k'.repeat(65)}","batch":[{"event":"a"}]}`, 401, 'API key is not valid: too_long'],
  ]

  test('is refused for its envelope or its key', async () => {
    const { post } = await startHarness()
    for (const [body, status, text] of bodies) {
      const answer = await post('/batch', body)
      expect.soft([answer.status, answer.text.slice(0, text.length)], body).toEqual([status, text])
    }
  })

  test('with an unknown key is taken, and its events vanish', async () => {
    const { sandbox, post } = await startHarness()
    expect((await post('/batch/', { api_key: 'phc_nobody', batch: [event(1)] })).text).toBe('{"status":"Ok"}')
    expect(await rows(sandbox, 'SELECT count() FROM events')).toEqual([[0]])
  })

  test('that is broken gzip or too much gzip', async () => {
    const { sandbox } = await startHarness()
    const send = (body: Uint8Array) => fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
    const broken = await send(Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3]))
    expect([broken.status, await broken.text()]).toEqual([400, 'failed to decode request: invalid GZIP data'])
    const wide = await send(new Uint8Array(20 * 1024 * 1024 + 1))
    expect([wide.status, (await wide.text()).slice(0, 28)]).toEqual([413, 'maximum event size exceeded:'])
  })

  test('of more than 100 MiB once it is unpacked', async () => {
    const { post } = await startHarness()
    const answer = await post('/batch/', ' '.repeat(100 * 1024 * 1024 + 1), { gzip: true })
    expect([answer.status, answer.text.slice(0, 28)]).toEqual([413, 'maximum event size exceeded:'])
  })
})

describe('the other routes', () => {
  test.each(['/capture', '/capture/', '/e', '/e/', '/i/v0/e', '/i/v0/e/', '/batch'])(
    '%s takes one event and many',
    async (path) => {
      const { sandbox, post } = await startHarness()
      const { projectKey } = sandbox
      const inner = event(2, { properties: { token: projectKey } })
      expect((await post(path, event(1, { api_key: projectKey }))).status).toBe(200)
      expect((await post(path, [inner, event(3, { $token: projectKey })])).status).toBe(200)
      expect(await rows(sandbox, 'SELECT distinct_id FROM events ORDER BY distinct_id')).toEqual([
        ['u1'],
        ['u2'],
        ['u3'],
      ])
    },
  )
})

describe('duplicates', () => {
  const other = { timestamp: '2024-03-01T23:00:00Z' }

  test.each([
    ['the time', 'json', 2],
    ['in the table of before the day', 'table', 1],
  ] as const)(
    'merge when uuid, event, distinct_id and %s agree, and the last to arrive stays',
    async (_, storage, left) => {
      const { sandbox, send } = await startHarness({ storage })
      await send([event(1), event(1, other)])
      await send([event(1, { properties: { n: 'last' } })])
      expect(await rows(sandbox, 'SELECT count(), max(properties.n) FROM events')).toEqual([[left, 'last']])
      expect(sandbox.stats().events).toBe(3)
    },
  )

  test.each([
    ['event', { event: 'login' }],
    ['distinct_id', { distinct_id: 'u2' }],
    ['time', { timestamp: '2024-03-01T12:34:56.790Z' }],
    ['day', { timestamp: '2024-03-02T00:00:00Z' }],
  ])('stay apart when the %s differs', async (_, difference) => {
    const { sandbox, send } = await startHarness({ storage: 'json' })
    await send([event(1), event(1, difference), event(1)])
    expect(await rows(sandbox, 'SELECT count(), count(DISTINCT uuid) FROM events')).toEqual([[2, 1]])
  })
})
