import { describe, expect, test } from 'vitest'
import { V1_ENVELOPE } from '../../src/delivery/v1-request.ts'
import type { Reply } from '../../src/http/network-error.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { ENVELOPE } from '../helpers/fake-post.ts'
import { FakeV1, type V1Event } from '../helpers/fake-v1.ts'
import { seeded } from '../helpers/random.ts'
import { batchOfLines } from './batch-of.ts'
import { type SenderSetup, senderWith } from './sender-with.ts'

const answer = (status: number, error: string, headers = {}): Reply => ({
  status,
  headers,
  body: error.startsWith('<') || error === '' ? error : JSON.stringify({ error, error_description: 'why' }),
})

const batchOf = (...lines: readonly string[]) => batchOfLines(lines, V1_ENVELOPE)

const events = (count: number, from = 0) => Array.from({ length: count }, (_, n) => makeEvent(from + n))
const batch = (count: number, from = 0) => batchOf(...events(count, from).map(eventLine))
const named = (name: string, n: number): string =>
  eventLine({ ...makeEvent(n), event: name } satisfies TestEvent)

function sender(said: ConstructorParameters<typeof FakeV1>[0], more: SenderSetup = {}) {
  const v1 = new FakeV1(said)
  return { v1, ...senderWith({ via: 'v1', ...more, v1 }) }
}

const numberOf = ({ properties }: V1Event) => properties.n as number
const numbers = (v1: FakeV1) => v1.accepted.map(numberOf)
const sizes = (v1: FakeV1) => v1.requests.map((request) => request.events.length)
const range = (count: number) => Array.from({ length: count }, (_, n) => n)
const of =
  (say: string, ...which: number[]) =>
  (event: V1Event) =>
    which.includes(numberOf(event)) ? say : 'ok'

describe('a batch', () => {
  test('with dropped events: exactly those are rejects, with the word of the service, and no request more', async () => {
    const { v1, send } = sender(() => of('drop:event_too_big', 2, 5))
    const sent = await send(batch(8))
    expect(sent?.refused).toEqual(
      [2, 5].map((n) => ({
        line: n + 1,
        offset: n * 10,
        reason: 'refused_event_too_big',
        message: 'the service dropped it: event_too_big',
        record: eventLine(makeEvent(n)),
      })),
    )
    // The service took others of the same request, so these are not in doubt.
    expect(sent?.lastRefusal).toBe(0)
    expect(sizes(v1)).toEqual([8])
    expect(numbers(v1)).toEqual([0, 1, 3, 4, 6, 7])
  })

  test('with a uuid twice: the second goes in another request, where it merges', async () => {
    const { v1, send } = sender(() => () => 'ok')
    const lines = events(5).map(eventLine)
    await send(
      batchOf(
        lines[0]!,
        lines[1]!,
        lines[0]!,
        lines[2]!,
        lines[2]!.replace(/^.{45}/, (head) => head),
      ),
    )
    expect(v1.requests.map((request) => request.events.map(numberOf))).toEqual([[0, 1], [0, 2], [2]])
    expect(new Set(v1.requests.map(({ id }) => id)).size).toBe(3)
  })

  test('with events that V1 would drop: rejects that are not sent, and no refusal of the service', async () => {
    const { v1, taken, made, send } = sender(() => () => 'ok')
    const long = named('é'.repeat(101), 1)
    const sent = await send(batchOf(named('a', 0), long, named('b', 2)))
    expect(sent?.refused).toMatchObject([{ line: 2, reason: 'event_name_too_long', record: long }])
    expect(taken).toEqual([2])
    // 200 characters, which /batch/ takes.
    const wideId = eventLine({ ...makeEvent(1), distinct_id: 'é'.repeat(200) })
    expect(await send(batchOf(wideId))).toMatchObject({
      refused: [{ reason: 'distinct_id_too_long', message: expect.stringContaining('--via batch takes it') }],
    })
    expect(await send(batchOf(long))).toMatchObject({ refused: [{ line: 1 }], lastRefusal: 0 })
    expect(sizes(v1)).toEqual([2])
    expect(made.confirmed).toBe(0)
  })

  test.each([1, 2, 3])('filled with forms makes the same requests as one of lines (%i)', async (seed) => {
    const random = seeded(seed)
    const good = events(60).map(eventLine)
    const lines = good.flatMap((line, n) => {
      const at = random()
      if (at < 0.1) return [named('', n)]
      return at < 0.2 ? [line, line] : [line]
    })
    const [ofLines, ofForms] = await Promise.all(
      [ENVELOPE, V1_ENVELOPE].map(async (envelope) => {
        const one = batchOfLines(lines, envelope)
        const said = ({ uuid }: V1Event, at: number) => `${at === 0 && uuid > '8' ? 'retry' : 'ok'}`
        const { v1, send } = sender((_, at) => (event) => said(event, at))
        const sent = await send(one)
        return {
          requests: v1.requests.map(({ id: _, ...request }) => request),
          refused: sent?.refused,
          texts: lines.map((_, index) => one.textOf(index)),
        }
      }),
    )
    expect(ofForms).toEqual(ofLines)
    expect(ofForms?.texts).toEqual(lines)
    expect(ofForms?.requests.length).toBeGreaterThan(2)
    expect(ofForms?.refused?.length).toBeGreaterThan(0)
  })

  test('of more than 10 MiB goes in requests of less', async () => {
    const { v1, send } = sender(() => () => 'ok')
    const padding = 'x'.repeat(900_000)
    const lines = events(15).map((event) =>
      eventLine({ ...event, properties: { ...event.properties, padding } }),
    )
    await send(batchOf(...lines))
    expect(sizes(v1)).toEqual([11, 4])
    expect(Math.max(...v1.requests.map(({ bytes }) => bytes))).toBeLessThan(10 * 1024 * 1024)
    expect(numbers(v1)).toEqual(range(15))
  })
})

describe('an answer to the request', () => {
  test('of a bad event is halved until it is alone; each half is a request of its own', async () => {
    const { v1, made, send } = sender((request) =>
      request.events.some((event) => numberOf(event) === 5)
        ? answer(400, 'request_parsing_error')
        : () => 'ok',
    )
    const sent = await send(batch(8))
    expect(sent?.refused).toMatchObject([
      { line: 6, reason: 'refused_by_service', message: '400 request_parsing_error why' },
    ])
    expect(numbers(v1)).toEqual([0, 1, 2, 3, 4, 6, 7])
    expect(new Set(v1.requests.map(({ id }) => id)).size).toBe(v1.requests.length)
    expect(made.confirmed).toBe(1)
  })

  test.each([
    [
      answer(400, 'missing_required_headers'),
      'config',
      /takes no import by Capture V1: 400 missing_required/,
    ],
    [answer(404, ''), 'unavailable', /not reached: 404/],
    [answer(200, '<html>Sign in</html>'), 'unavailable', /not reached: 200/],
    [{ status: 200, headers: {}, body: '{"results":{"x":{"result":"ok"}}}' }, 'paused', /names none/],
    [{ status: 200, headers: {}, body: '{"results":{}}' }, 'paused', /names none/],
  ] as const)('%j stops the run', async (reply, code, words) => {
    const { v1, send } = sender(() => reply)
    await expect(send(batch(3))).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    expect(sizes(v1)).toEqual([3])
  })
})

describe('events that were not stored', () => {
  test('are sent again alone, in the same request: its id, its time, one attempt more', async () => {
    const { v1, taken, told, send } = sender((_, at) =>
      at === 0 ? of('retry:not_persisted', 1, 3) : () => 'ok',
    )
    expect(await send(batch(5))).toMatchObject({ refused: [] })
    expect(v1.requests.map((request) => request.events.map(numberOf))).toEqual([range(5), [1, 3]])
    const [first, again] = v1.requests
    expect(again).toMatchObject({ id: first!.id, createdAt: first!.createdAt, attempt: 2 })
    expect(taken).toEqual([5, 2])
    expect(told).toEqual(['200, but 2 of 5 events were not stored'])
  })

  test('are given up when the time for retries is over', async () => {
    const { v1, clock, send } = sender(() => of('retry:not_persisted', 1), { retryForMs: 60_000 })
    await expect(send(batch(3))).rejects.toMatchObject({ code: 'unavailable' })
    expect(clock.now()).toBeLessThanOrEqual(60_000)
    expect(new Set(sizes(v1).slice(1))).toEqual(new Set([1]))
  })

  test('because of the quota of their kind pause the run, and name the event', async () => {
    const { send } = sender(() => of('drop:exceptions_over_quota', 1))
    await expect(send(batchOf(named('a', 0), named('$exception', 1)))).rejects.toMatchObject({
      code: 'paused',
      message: 'the service takes no more events like $exception for now: exceptions_over_quota',
      hint: expect.stringContaining('--accept refusals'),
    })
  })

  test('because of the quota of their kind are rejects when the user says so', async () => {
    const { send } = sender(() => of('drop:ai_byte_rate_limited', 1), { acceptRefusals: true })
    expect(await send(batch(3))).toMatchObject({
      refused: [{ line: 2, reason: 'refused_ai_byte_rate_limited' }],
    })
  })

  test.each(['non_historical_import_drop', 'misrouted_event', 'non_ai_event'])(
    'because the service is not one for imports stop it: %s',
    async (word) => {
      const { send } = sender(() => of(`drop:${word}`, 0), { acceptRefusals: true })
      await expect(send(batch(2))).rejects.toMatchObject({
        code: 'config',
        hint: expect.stringContaining('--via batch'),
      })
    },
  )
})

describe('events that were stored', () => {
  test('without their person are counted, and named if they were to merge people or to change a group', async () => {
    const { send } = sender(() => (event: V1Event) => {
      if (numberOf(event) === 0) return 'ok:person_processing_disabled'
      return numberOf(event) === 9 ? 'warning:another_word' : 'warning:person_processing_disabled'
    })
    const names = '$identify $groupidentify $pageview $create_alias $identify $merge_dangerously'.split(' ')
    const sent = await send(batchOf(...names.map((name, n) => named(name, n)), named('a', 9)))
    expect(sent).toMatchObject({
      refused: [],
      remarks: {
        warnings: { person_processing_disabled: 6, another_word: 1 },
        unmerged: { $identify: 2, $groupidentify: 1, $create_alias: 1, $merge_dangerously: 1 },
        unknown: 0,
      },
    })
  })

  test('or not, since the answer does not say: they are counted, and not sent again', async () => {
    const { v1, send } = sender(() => (event: V1Event) => ['ok', undefined, 'deferred'][numberOf(event)])
    expect(await send(batch(3))).toMatchObject({ refused: [], remarks: { unknown: 2 } })
    expect(sizes(v1)).toEqual([3])
  })
})

test('a request whose whole answer is an unknown word pauses the run, and counts nothing', async () => {
  const { v1, send } = sender(() => () => 'deferred')
  const message = "Capture V1 does not say whether it stored the events: its answer is 'deferred'"
  await expect(send(batch(3))).rejects.toMatchObject({ code: 'paused', message })
  expect(sizes(v1)).toEqual([3])
})

describe('refusals of all events of a request', () => {
  const all = (word: string) => () => `drop:${word}`

  test('pause the run when there are 20 in a row', async () => {
    await expect(sender(() => all('rejected')).send(batch(30))).rejects.toMatchObject({
      code: 'paused',
      message: 'the service refused 20 events in a row and took none between: rejected',
    })
  })

  test('are in doubt until a later event is taken', async () => {
    const { made, send } = sender((_, at) => (at === 0 ? all('rejected') : () => 'ok'))
    expect(await send(batch(3))).toMatchObject({ lastRefusal: 3 })
    expect(made.confirmed).toBe(0)
    await send(batch(1, 5))
    expect(made.confirmed).toBe(3)
  })

  test('at the end of the input are checked by the event that was taken last', async () => {
    const { made, v1, halt, send } = sender((_, at) => (at === 1 ? all('rejected') : () => 'ok'))
    await send(batch(3))
    await send(batch(2, 3))
    await made.check(halt.signal)
    expect(made.confirmed).toBe(2)
    expect(numbers(v1)).toEqual([0, 1, 2, 2])
  })
})
