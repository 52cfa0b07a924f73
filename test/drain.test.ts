import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Drain } from '../src/drain.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)

/** A run that hangs, and how it ended so far. */
function hanging(interrupted = new AbortController()) {
  const drain = new Drain(interrupted.signal)
  const seen: { error?: unknown } = {}
  drain.within(never()).catch((error: unknown) => Object.assign(seen, { error }))
  return { drain, interrupted, seen }
}

test('requests under way get the time of the drain after a signal, and the run a second more', async () => {
  const { drain, interrupted, seen } = hanging()
  drain.allow(10_000)
  await vi.advanceTimersByTimeAsync(60_000)
  interrupted.abort('SIGTERM')
  await vi.advanceTimersByTimeAsync(9_999)
  expect(drain.over.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect([drain.over.aborted, seen.error]).toEqual([true, undefined])
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen.error).toMatchObject({ code: 'interrupted' })
  expect(drain.isOverdue).toBe(true)
})

test('a run that only reads ends a second after the signal', async () => {
  const { interrupted, seen } = hanging()
  interrupted.abort('SIGINT')
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen.error).toMatchObject({ code: 'interrupted', message: 'interrupted' })
})

test('the time counts from the signal, also where it came before anything was under way', async () => {
  const { drain, interrupted, seen } = hanging()
  interrupted.abort('SIGINT')
  await vi.advanceTimersByTimeAsync(500)
  drain.allow(10_000)
  await vi.advanceTimersByTimeAsync(10_499)
  expect(seen.error).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(seen.error).toMatchObject({ code: 'interrupted' })
})

test('a run that stops by itself has the same time, and asks for another try', async () => {
  const { drain, seen } = hanging()
  drain.allow(2000)
  drain.begin()
  await vi.advanceTimersByTimeAsync(1000)
  drain.begin()
  await vi.advanceTimersByTimeAsync(2000)
  expect(seen.error).toMatchObject({ code: 'unavailable' })
})

test('a lock that cannot be given back does not change how the run ended', async () => {
  const interrupted = new AbortController()
  const drain = new Drain(interrupted.signal)
  drain.allow(1000)
  const run = drain.within(drain.tidy(never()).then(() => 'done'))
  interrupted.abort('SIGTERM')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await run).toBe('done')
  await expect(drain.tidy(Promise.reject(new Error('gone')))).rejects.toThrow('gone')
})

test('a run that ends keeps no timer, and its own result or error', async () => {
  const drain = new Drain(AbortSignal.abort('SIGTERM'))
  expect(vi.getTimerCount()).toBe(0)
  drain.allow(10_000)
  expect(await drain.within(Promise.resolve(7))).toBe(7)
  await expect(drain.within(Promise.reject(new Error('its own')))).rejects.toThrow('its own')
  expect([vi.getTimerCount(), drain.isOverdue]).toEqual([0, false])
})

test('a drain that is longer than a timer can be is no shorter one', async () => {
  const { drain, interrupted, seen } = hanging()
  drain.allow(60 * 86_400_000)
  interrupted.abort('SIGTERM')
  await vi.advanceTimersByTimeAsync(20 * 86_400_000)
  expect([drain.over.aborted, seen.error]).toEqual([false, undefined])
})
