import { describe, expect, test } from 'vitest'
import type { Batch } from '../../src/delivery/batch.ts'
import type { Reply } from '../../src/http/network-error.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { ENVELOPE, FakePost, OK, type Sent } from '../helpers/fake-post.ts'
import { seeded } from '../helpers/random.ts'
import { batchOfLines } from './batch-of.ts'
import { type SenderSetup, senderWith } from './sender-with.ts'

const answer = (status: number, body: string, headers = {}): Reply => ({ status, headers, body })
const REFUSED = answer(400, 'event submitted without a distinct_id')

const batchOf = (count: number) =>
  batchOfLines(
    Array.from({ length: count }, (_, n) => eventLine(makeEvent(n))),
    ENVELOPE,
  )

function sender(answerOf: (request: Sent, at: number) => Reply | Promise<Reply>, more: SenderSetup = {}) {
  const post = new FakePost(answerOf)
  const { send, ...made } = senderWith({ ...more, post })
  return { ...made, post, send: async (batch: Batch) => (await send(batch))?.refused }
}

const numbers = (post: FakePost) => post.accepted.map((event) => event.properties.n)

describe('a batch with bad events', () => {
  test.each([
    [1, [0]],
    [2, [1]],
    [7, [3]],
    [64, [0, 63]],
    [100, [10, 11, 12, 55]],
    [19, Array.from({ length: 19 }, (_, n) => n)],
    [60, Array.from({ length: 59 }, (_, n) => n).filter((n) => n % 20 !== 19)],
  ])('of %i events: exactly those refused become rejects, the rest arrives in order', async (count, bad) => {
    const { post, send } = sender(({ events }) =>
      events.some(({ properties }) => bad.includes(properties.n as number)) ? REFUSED : OK,
    )
    const refused = await send(batchOf(count))
    expect(refused?.map(({ line }) => line - 1)).toEqual(bad)
    expect(numbers(post)).toEqual(Array.from({ length: count }, (_, n) => n).filter((n) => !bad.includes(n)))
    expect(refused?.[0]).toEqual({
      line: bad[0]! + 1,
      offset: bad[0]! * 10,
      reason: 'refused_by_service',
      message: '400 event submitted without a distinct_id',
      record: eventLine(makeEvent(bad[0]!)),
    })
  })

  test('one bad event in a thousand costs about twenty requests, and no event changes', async () => {
    const { post, send } = sender(({ events }) =>
      events.some(({ properties }) => properties.n === 617) ? REFUSED : OK,
    )
    await send(batchOf(1000))
    expect(post.requests.length).toBeLessThanOrEqual(21)
    expect(post.accepted.map(eventLine)).toContain(eventLine(makeEvent(616)))
    expect(post.accepted.length).toBe(999)
  })

  test('every request takes its tokens: the whole, each half, each try', async () => {
    const { taken, post, send } = sender(({ events }, at) => {
      if (at % 3 === 1) return answer(503, '')
      return events.some(({ properties }) => properties.n === 6) ? REFUSED : OK
    })
    await send(batchOf(8))
    const sent = post.requests.map(({ events }) => events.length)
    expect(taken).toEqual(sent)
    // The right half of each split takes tokens too: 4 of 8, 2 of 4, 1 of 2, and the retries.
    expect(new Set(sent)).toEqual(new Set([8, 4, 2, 1]))
    expect(sent.reduce((sum, events) => sum + events)).toBeGreaterThan(8 + 8 + 4 + 2)
  })

  test('a request that is too large for a proxy is split until it fits', async () => {
    const { post, send } = sender(({ events }) => (events.length > 10 ? answer(413, '<html>413</html>') : OK))
    expect(await send(batchOf(100))).toEqual([])
    expect(numbers(post)).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  test('an event that is too large for a proxy is no reject: the run pauses and names the proxy', async () => {
    const { post, send } = sender(
      ({ events }) =>
        events.some(({ properties }) => properties.n === 4) ? answer(413, '<html>413</html>') : OK,
      { acceptRefusals: true },
    )
    await expect(send(batchOf(8))).rejects.toMatchObject({
      code: 'paused',
      message: expect.stringMatching(
        /^a proxy in between takes no request of \d+ bytes, .* line 5 needs: 413/,
      ),
      hint: expect.stringContaining('client_max_body_size'),
    })
    expect(numbers(post)).toEqual([0, 1, 2, 3])
  })
})

describe('a refusal', () => {
  const bad =
    (...bad: number[]) =>
    ({ events }: Sent) =>
      events.some(({ properties }) => bad.includes(properties.n as number)) ? REFUSED : OK

  test('is in doubt until the service takes an event that was sent after it', async () => {
    const { made, halt } = sender(bad(3))
    expect(await made.send(batchOf(4), halt.signal)).toMatchObject({ lastRefusal: 1 })
    expect(made.confirmed).toBe(0)
    expect(made.unsettled).toMatchObject({
      code: 'paused',
      message: expect.stringContaining('last event: 400'),
    })
    expect(await made.send(batchOf(2), halt.signal)).toMatchObject({ lastRefusal: 0 })
    expect(made.confirmed).toBe(1)
    expect(made.unsettled).toBeUndefined()
  })

  test('is not in doubt when a later event of its batch was taken', async () => {
    const { made, halt } = sender(bad(0, 2))
    expect(await made.send(batchOf(4), halt.signal)).toMatchObject({ lastRefusal: 2 })
    expect(made.confirmed).toBe(2)
  })

  test('is not confirmed by a request that was under way when it came', async () => {
    let answered: (reply: Reply) => void = () => undefined
    const later = new Promise<Reply>((resolve) => {
      answered = resolve
    })
    const { made, halt } = sender(({ events }) => (events.length === 2 ? later : REFUSED))
    const other = made.send(batchOf(2), halt.signal)
    await made.send(batchOf(1), halt.signal)
    answered(OK)
    await other
    expect(made.confirmed).toBe(0)
  })

  test('twenty in a row pause the run, over all batches, and name the answer', async () => {
    const { post, made, halt } = sender(({ events }) => (events.length === 3 ? OK : REFUSED))
    await made.send(batchOf(3), halt.signal)
    for (let n = 0; n < 19; n++) await made.send(batchOf(1), halt.signal)
    await expect(made.send(batchOf(1), halt.signal)).rejects.toMatchObject({
      code: 'paused',
      message:
        'the service refused 20 events in a row and took none between: 400 event submitted without a distinct_id',
      hint: expect.stringContaining('--accept refusals'),
    })
    expect(post.requests.length).toBe(21)
  })

  test('an event that is taken begins the count anew', async () => {
    const { made, halt } = sender(bad(0))
    for (let n = 0; n < 50; n++) await made.send(batchOf(n % 15 === 14 ? 2 : 1), halt.signal)
    expect(made.confirmed).toBe(45)
  })

  test('is never in doubt when the user says that the events are bad', async () => {
    const { made, halt, send } = sender(() => REFUSED, { acceptRefusals: true })
    expect(await send(batchOf(500))).toHaveLength(500)
    expect(made.confirmed).toBe(500)
    await made.send(batchOf(1), halt.signal)
    expect(made.unsettled).toBeUndefined()
  })

  describe('with nothing left to send', () => {
    test('is confirmed by the event that was taken last, sent once more at the pace of all', async () => {
      const { made, halt, post, taken } = sender(bad(3))
      await made.send(batchOf(4), halt.signal)
      await made.check(halt.signal)
      expect(made.confirmed).toBe(1)
      expect(numbers(post)).toEqual([0, 1, 2, 2])
      expect(taken.at(-1)).toBe(1)
    })

    test('pauses the run when that event is refused now', async () => {
      const { made, halt } = sender((_, at) => (at === 0 ? OK : REFUSED))
      await made.send(batchOf(4), halt.signal)
      await made.send(batchOf(3), halt.signal)
      await expect(made.check(halt.signal)).rejects.toMatchObject({
        code: 'paused',
        message: expect.stringMatching(
          /refused the last 3 events, and then one that it had taken before: 400/,
        ),
      })
      expect(made.confirmed).toBe(0)
    })

    test('pauses the run when nothing was taken in it', async () => {
      const { made, halt, post } = sender(() => REFUSED)
      await made.send(batchOf(2), halt.signal)
      await expect(made.check(halt.signal)).rejects.toMatchObject({ code: 'paused' })
      expect(post.requests.length).toBe(3)
    })

    test('waits for an outage to pass', async () => {
      const { made, halt } = sender(({ events }, at) =>
        at === 0 || at > 5 ? OK : at > 1 ? answer(503, '') : bad(0)({ events, bytes: 0 }),
      )
      await made.send(batchOf(2), halt.signal)
      await made.send(batchOf(1), halt.signal)
      await made.check(halt.signal)
      expect(made.confirmed).toBe(1)
    })
  })
})

describe('a failure that passes', () => {
  test('is retried with the same bytes until it is over', async () => {
    const { post, told, send } = sender((_, at) => (at < 5 ? answer(503, 'service unavailable: kafka') : OK))
    expect(await send(batchOf(3))).toEqual([])
    expect(post.requests.length).toBe(6)
    expect(new Set(post.requests.map((request) => JSON.stringify(request))).size).toBe(1)
    expect(told).toEqual(new Array(5).fill('503 service unavailable: kafka'))
  })

  test('waits as the service asks', async () => {
    const { clock, send } = sender((_, at) =>
      at === 0 ? answer(429, 'rate limited', { 'retry-after': '90' }) : OK,
    )
    await send(batchOf(1))
    expect(clock.now()).toBeGreaterThanOrEqual(90_000)
  })

  test('is given up when the time for retries is over', async () => {
    const { clock, send } = sender(() => ({ network: 'reset', message: 'the connection broke' }), {
      retryForMs: 60_000,
    })
    await expect(send(batchOf(1))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/the connection broke/),
    })
    expect(clock.now()).toBeLessThanOrEqual(60_000)
  })

  test('in the middle of a bisection loses and doubles nothing', async () => {
    const roll = seeded(5)
    const { post, send } = sender(({ events }) =>
      roll() < 0.4 ? answer(500, '') : events.some(({ properties }) => properties.n === 20) ? REFUSED : OK,
    )
    expect((await send(batchOf(50)))?.length).toBe(1)
    expect(numbers(post)).toEqual(Array.from({ length: 50 }, (_, n) => n).filter((n) => n !== 20))
  })
})

describe('a failure that does not', () => {
  test.each([
    [answer(401, 'API key is not valid'), 'auth'],
    [answer(429, 'billing limit reached'), 'paused'],
    [answer(200, '{"status":"Ok","quota_limited":["events"]}'), 'paused'],
    [answer(302, ''), 'unavailable'],
  ])('%j stops the run: %s', async (reply, code) => {
    const { post, send } = sender(() => reply)
    await expect(send(batchOf(3))).rejects.toMatchObject({ code })
    expect(post.requests.length).toBe(1)
  })

  test('an answer that is not the service’s is tried again once the service itself has answered', async () => {
    const { post, send } = sender((_, at) => (at === 1 ? answer(200, '<html>Sign in</html>') : OK))
    await send(batchOf(1))
    expect(await send(batchOf(2))).toEqual([])
    expect(post.requests.length).toBe(3)
  })
})

test('a halt in the middle of a bisection leaves the batch undone: its refusals are found again', async () => {
  const { halt, send, post } = sender(({ events }) => {
    if (events.some(({ properties }) => properties.n === 0)) return REFUSED
    halt.abort()
    return answer(503, '')
  })
  expect(await send(batchOf(4))).toBeUndefined()
  expect(post.accepted).toEqual([])
})

test('a request that is given up leaves the batch undone: the service may have taken it', async () => {
  const { halt, made, send } = sender(() => {
    halt.abort()
    return { network: 'aborted', message: 'interrupted' }
  })
  expect(await send(batchOf(3))).toBeUndefined()
  expect(made.unsettled?.message).toMatch(/no answer/)
})

test('a batch of which every event is a reject sends nothing, and takes no pace', async () => {
  const { post, taken, send } = sender(() => OK)
  expect(await send(Object.defineProperty(batchOf(2), 'events', { value: 0 }))).toEqual([])
  expect([post.requests, taken]).toEqual([[], []])
})
