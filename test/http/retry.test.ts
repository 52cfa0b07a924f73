import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { GaveUp, retrying } from '../../src/http/retry.ts'
import { FakeClock } from '../helpers/fake-clock.ts'

const cut = () => new PosthaulError('cut', { code: 'unavailable', fate: 'retry' })
const signal = new AbortController().signal

function setUp(random = 0.5, retryForMs = 3_600_000) {
  const clock = new FakeClock(0)
  const waits: number[] = []
  const onRetry = (_: PosthaulError, waitMs: number) => void waits.push(waitMs)
  return { waits, clock, options: { retryForMs, clock, random: () => random, signal, onRetry } }
}

function failing(times: number, error: () => Error): () => Promise<string> {
  let left = times
  return async () => {
    if (left-- > 0) throw error()
    return 'done'
  }
}

test('waits grow and are spread over their whole length, up to a minute', async () => {
  for (const random of [0, 0.5, 0.999]) {
    const { waits, options } = setUp(random)
    expect(await retrying(failing(10, cut), options)).toBe('done')
    const most = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]
    expect(waits).toEqual(most.map((ms) => Math.max(100, ms * random)))
  }
})

test('a pause that the vendor asks for is the least', async () => {
  const { waits, options } = setUp()
  const busy = () => new PosthaulError('busy', { code: 'unavailable', fate: 'retry', waitMs: 30_000 })
  await retrying(failing(2, busy), options)
  expect(waits).toEqual([30_000, 30_000])
})

test('gives up when the budget is spent, and says since when', async () => {
  const { clock, options } = setUp(0.999, 100_000)
  clock.pass(5000)
  const error = await retrying(failing(99, cut), options).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(GaveUp)
  expect(error).toMatchObject({ since: 5000, fate: 'stop', code: 'unavailable', message: 'cut' })
  expect(clock.wall()).toBeLessThanOrEqual(105_000)
})

test.each([
  new PosthaulError('no', { code: 'auth' }),
  new PosthaulError('this window', { code: 'unavailable', fate: 'reject' }),
  new Error('a bug'),
])('%s is not tried again', async (error) => {
  const { waits, options } = setUp()
  await expect(
    retrying(
      failing(1, () => error),
      options,
    ),
  ).rejects.toBe(error)
  expect(waits).toEqual([])
})
