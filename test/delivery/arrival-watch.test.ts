import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ArrivalSample, ArrivalWatch, meterOf } from '../../src/delivery/arrival-watch.ts'
import { Batch } from '../../src/delivery/batch.ts'
import { PosthaulError } from '../../src/errors.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { ENVELOPE, FakePost } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, statePaths } from '../helpers/import-run.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

const MINUTE = 60_000
const WAIT = 30 * MINUTE
const START = Date.UTC(2024, 5, 1)
const DOWN = new PosthaulError('no connection', { code: 'unavailable' })

type Ask = (samples: readonly ArrivalSample[]) => Promise<ReadonlySet<string>>

/** A service that acknowledges everything, and shows what `keeps` says `lagMs` later. */
class Service {
  readonly clock = new FakeClock(START)
  readonly questions: (readonly ArrivalSample[])[] = []
  readonly notes: string[] = []
  readonly #shownAt = new Map<string, number>()
  #sent = 0

  readonly #keeps: (event: string, ms: number) => boolean
  readonly #lagMs: number

  constructor(keeps: (event: string, ms: number) => boolean, lagMs = 12 * MINUTE) {
    this.#keeps = keeps
    this.#lagMs = lagMs
  }

  readonly ask: Ask = async (samples) => {
    this.questions.push(samples)
    const now = this.clock.wall()
    return new Set(
      samples.map(({ uuid }) => uuid).filter((uuid) => (this.#shownAt.get(uuid) ?? now + 1) <= now),
    )
  }

  watch(ask = this.ask, shownFrom?: string): ArrivalWatch {
    const note = (text: string) => void this.notes.push(text)
    return new ArrivalWatch({ ask, waitMs: WAIT, shownFrom, clock: this.clock, note })
  }

  /** Acknowledges a batch: every tenth event is an exception. */
  take(watch: ArrivalWatch, refused: readonly number[] = []): void {
    const batch = new Batch({ lane: 0, epoch: 0, from: { part: 0, offset: 0, line: 1 } }, ENVELOPE)
    for (let n = 0; n < 10; n++) {
      const event = { ...makeEvent(this.#sent++), event: n === 3 ? '$exception' : 'signup' }
      const line = Buffer.from(eventLine(event))
      batch.add(line, 0, line.length, { offset: n, line: n + 1, file: undefined, record: undefined })
      const now = this.clock.wall()
      if (this.#keeps(event.event, now - START) && !refused.includes(n)) {
        this.#shownAt.set(event.uuid!, now + this.#lagMs)
      }
    }
    batch.seal()
    watch.delivered(
      batch,
      refused.map((n) => batch.rejectOf(n, 'refused_by_service', 'no')),
    )
  }

  /** Sends ten batches a minute and asks each minute. Resolves to how the watch ended the run, and when. */
  async run(watch: ArrivalWatch, minutes: number): Promise<{ error: PosthaulError | undefined; ms: number }> {
    for (let minute = 0; minute < minutes; minute++) {
      for (let n = 0; n < 10; n++) {
        this.take(watch)
        this.clock.pass(MINUTE / 10)
      }
      try {
        await watch.look()
      } catch (error) {
        return { error: error as PosthaulError, ms: this.clock.wall() - START }
      }
    }
    return { error: undefined, ms: this.clock.wall() - START }
  }
}

describe('the watch over arrival', () => {
  test('lets an import pass whose events arrive late, and asks for few of them', async () => {
    const service = new Service(() => true)
    const watch = service.watch()
    expect((await service.run(watch, 120)).error).toBeUndefined()
    expect(watch.seen).toBe(true)
    expect(Math.max(...service.questions.map((samples) => samples.length))).toBeLessThan(40)
  })

  test.each([
    ['from the first event on', 0, 'nothing of the events sent since 2024-06-01 00:00 UTC has arrived'],
    ['in the middle', 50 * MINUTE, 'nothing of the events sent since 2024-06-01 00:50 UTC has arrived'],
  ])('pauses when the quota is over %s', async (_, from, said) => {
    // Exceptions have a quota of their own, and go on arriving.
    const service = new Service((event, ms) => event === '$exception' || ms < from)
    const { error, ms } = await service.run(service.watch(), 120)
    expect(error).toMatchObject({ code: 'paused', message: expect.stringContaining(said) })
    expect(ms - from).toBeGreaterThanOrEqual(WAIT)
    expect(ms - from).toBeLessThanOrEqual(WAIT + 2 * MINUTE)
  })

  test('does not wait for events that the project hides', async () => {
    const service = new Service(() => false)
    const watch = service.watch(service.ask, '9999-01-01')
    const before = { meter: 'events', at: START, day: '2024-01-01', event: 'signup', uuid: 'a' } as const
    await watch.begin({ unseen: [before], doubt: false })
    expect((await service.run(watch, 120)).error).toBeUndefined()
    expect(watch.seen).toBeUndefined()
    expect(watch.state.unseen).toEqual([])
  })

  test('pauses when only the exceptions are dropped', async () => {
    const service = new Service((event) => event !== '$exception')
    const { error } = await service.run(service.watch(), 120)
    expect(error?.message).toMatch(/^nothing of the \$exception events/)
  })

  test('a service that lags more than the wait pauses too', async () => {
    const service = new Service(() => true, WAIT + 5 * MINUTE)
    expect((await service.run(service.watch(), 120)).error).toMatchObject({ code: 'paused' })
  })

  test('looks for no event that the service refused', async () => {
    const service = new Service(() => true, 0)
    const watch = service.watch()
    service.take(watch, [0, 1, 2])
    expect(watch.state.unseen.map(({ event }) => event).sort()).toEqual(['$exception', 'signup'])
    await watch.look()
    expect([watch.state.unseen, watch.seen]).toEqual([[], true])
  })

  test('short runs are watched like a long one, and the run after a pause begins a new time', async () => {
    const service = new Service(() => false)
    const first = service.watch()
    expect((await service.run(first, 20)).error).toBeUndefined()
    expect(first.seen).toBe(false)
    service.clock.pass(15 * MINUTE)
    const second = service.watch()
    await expect(second.begin(first.state)).rejects.toMatchObject({ code: 'paused' })
    // A batch that was under way: looked for later, it would stop the next run before its first batch.
    service.take(second)
    expect(second.state).toEqual({ unseen: [], doubt: true })
    const third = service.watch()
    await third.begin(second.state)
    expect(service.notes).toEqual([expect.stringMatching(/one batch goes first/)])
    expect((await service.run(third, 20)).error).toBeUndefined()
  })

  test('a question that fails is said once and asked again', async () => {
    const service = new Service(() => true)
    let n = 0
    const watch = service.watch((samples) => (n++ % 3 === 0 ? service.ask(samples) : Promise.reject(DOWN)))
    expect((await service.run(watch, 120)).error).toBeUndefined()
    expect(service.notes).toEqual([expect.stringMatching(/could not ask .*: no connection; asking again/)])
  })

  test('a question that fails for the whole wait pauses', async () => {
    const service = new Service(() => true)
    const { error, ms } = await service.run(
      service.watch(() => Promise.reject(DOWN)),
      120,
    )
    expect(error).toMatchObject({
      code: 'paused',
      message: expect.stringMatching(/could not ask .*no connection/),
    })
    expect(ms).toBeLessThanOrEqual(WAIT + 2 * MINUTE)
  })

  test('a machine that slept through the wait is not stopped by one failed question', async () => {
    const service = new Service(() => true)
    const answers: Ask[] = [service.ask, () => Promise.reject(DOWN), service.ask]
    const watch = service.watch((samples) => answers.shift()!(samples))
    expect((await service.run(watch, 1)).error).toBeUndefined()
    service.clock.pass(3 * WAIT)
    await watch.look()
    await watch.look()
    expect([watch.seen, watch.state.unseen]).toEqual([true, []])
  })

  test.each([
    [WAIT, MINUTE],
    [10_000, 5000],
    [1000, 2000],
  ])('a wait of %i ms asks every %i ms, until the run ends', async (waitMs, every) => {
    const clock = new SleepyClock()
    const ended = new AbortController()
    const times: number[] = []
    const ask: Ask = async () => {
      times.push(clock.now())
      if (times.length === 3) ended.abort()
      return new Set(['00000000-0000-4000-8000-000000000001'])
    }
    const watch = new ArrivalWatch({ ask, waitMs, clock, note: () => undefined })
    const sample = { meter: 'events', day: '2024-03-01', event: 'a' } as const
    const later = { ...sample, at: clock.wall() + 1e9, uuid: '00000000-0000-4000-8000-000000000002' }
    await watch.begin({
      unseen: [{ ...sample, at: clock.wall(), uuid: '00000000-0000-4000-8000-000000000001' }, later],
      doubt: false,
    })
    await watch.run(ended.signal)
    expect(times).toEqual([0, every, 2 * every])
  })
})

const FOR_EVER = 1e15

describe('an import that is watched', () => {
  function input() {
    const path = join(testFolder(), 'events.ndjson')
    writeFileSync(path, Array.from({ length: 50 }, (_, n) => `${eventLine(makeEvent(n))}\n`).join(''))
    return path
  }
  const watchBy = (ask: Ask, waitMs: number, clock = new SleepyClock()) =>
    new ArrivalWatch({ ask, waitMs, clock, note: () => undefined })

  test('sends nothing if the question is refused', async () => {
    const post = new FakePost()
    const refused = new PosthaulError('lacks the scope query:read', { code: 'auth', hint: 'add it' })
    const watch = watchBy(() => Promise.reject(refused), WAIT)
    const { error } = await importFile({ path: input(), post, watch })
    expect(error).toMatchObject({
      code: 'auth',
      hint: expect.stringMatching(/^add it; .*POSTHAUL_ARRIVAL_WAIT=0/),
    })
    expect(post.requests).toEqual([])
  })

  test('keeps what it has not seen in the checkpoint, and asks for it before it sends more', async () => {
    const path = input()
    const nothing: Ask = async () => new Set()
    const caps = { perMinute: 1e9, events: 20, approved: true }
    const first = await importFile({ path, post: new FakePost(), watch: watchBy(nothing, FOR_EVER), caps })
    expect([first.arrived, first.deliveredNow]).toEqual([false, 20])
    const saved = await loadCheckpoint(statePaths(path).checkpoint)
    expect(saved?.state.arrival?.unseen).toHaveLength(1)
    const post = new FakePost()
    const later = new SleepyClock()
    later.advance(2e12)
    const second = await importFile({ path, post, watch: watchBy(nothing, 1e12, later) })
    expect(second.error).toMatchObject({ code: 'paused' })
    expect(post.requests).toEqual([])
  })
})

test('a run that ended over the quota is remembered by those after it, until a restart', async () => {
  const clock = new FakeClock(START)
  const watch = (isOver: boolean) =>
    new ArrivalWatch({
      ask: async () => new Set(),
      waitMs: WAIT,
      isOver: async () => isOver,
      clock,
      note: () => undefined,
    })
  const first = watch(true)
  await first.begin()
  expect(first.state).toEqual({ unseen: [], doubt: false })
  await first.end()
  const at = new Date(START).toISOString()
  expect(first.state).toEqual({ unseen: [], doubt: false, over_quota_at: at })
  const second = watch(false)
  await second.begin(first.state)
  await second.end()
  expect(second.state).toEqual(first.state)
  const restarted = watch(false)
  await restarted.begin()
  await restarted.end()
  expect(restarted.state).toEqual({ unseen: [], doubt: false })
})

test.each([
  ['signup', {}, 'events'],
  ['$exception', {}, 'exceptions'],
  ['$ai_generation', {}, 'ai'],
  ['survey sent', {}, 'surveys'],
  ['survey sent', { $product_tour_id: 1 }, 'events'],
  // Looked for among the events, these would seem lost.
  ['$$heatmap', {}, undefined],
  ['$feature_flag_called', {}, undefined],
])('%s with %j counts on: %s', (event, properties, meter) => {
  expect(meterOf(event, properties)).toBe(meter)
})
