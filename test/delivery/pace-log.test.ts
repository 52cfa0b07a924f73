import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lastPace, PaceLog, type PaceLogOptions } from '../../src/delivery/pace-log.ts'
import { testFolder } from '../helpers/folder.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] })
  vi.setSystemTime(Date.UTC(2024, 5, 1))
})
afterEach(() => void vi.useRealTimers())

const done = { delivered: 0, rejected: 0, pending: undefined, doneBytes: 0, totalBytes: 5000 }
beforeEach(() => void Object.assign(done, { delivered: 100, rejected: 0, doneBytes: 0 }))

function logTo(
  file: PaceLogOptions['file'],
  failed: (error: unknown) => void = (error) => expect(error).toBe(''),
) {
  return new PaceLog({ file, look: () => ({ ...done }), failed })
}

const lineIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('the last minute, in the place of the one before, and the rest of a run', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  const log = logTo(path)
  done.delivered = 10_100
  vi.advanceTimersByTime(60_000)
  log.waiting(1500, 'a reset')
  log.waiting(2500, 'the service answered 503')
  done.rejected = 3
  done.doneBytes = 700
  vi.advanceTimersByTime(60_000)
  done.delivered = 10_600
  vi.advanceTimersByTime(5000)
  await log.stop()
  const none = { rejected: 0, waits: 0, waited_ms: 0, bytes_done: 0, bytes_total: 5000, last_error: null }
  const error = { at: '2024-06-01T00:01:00.000Z', reason: 'the service answered 503' }
  expect(lineIn(path)).toEqual({
    ...none,
    at: '2024-06-01T00:02:05.000Z',
    delivered: 10_600,
    rejected: 3,
    per_minute: 500,
    bytes_done: 700,
    last_error: error,
  })
})

test('a run in which nothing happens writes nothing', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  writeFileSync(path, '{"at":"before"}\n')
  await logTo(path).stop()
  expect(lineIn(path)).toEqual({ at: 'before' })
})

test('a log that cannot be written is said once', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  mkdirSync(path)
  const failures: unknown[] = []
  const log = logTo(path, (error) => failures.push(error))
  vi.advanceTimersByTime(180_000)
  await log.stop()
  expect(failures).toHaveLength(1)
})

test('why a run ended is in its last line, also where nothing else happened', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  await logTo(path).stop(`the service answered 401 ${'x'.repeat(1000)}`)
  const last = await lastPace(path)
  expect(last?.last_error).toMatchObject({ reason: expect.stringMatching(/^the service answered 401 x+$/) })
  expect(last?.last_error?.reason).toHaveLength(500)
})

test('it is read from a file and a bucket; what is none is nothing', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  expect(await lastPace(path)).toBeUndefined()
  const store = new MemoryStore()
  for (const file of [path, { store, name: 'x' }]) {
    done.delivered++
    await logTo(file).stop('why')
    expect(await lastPace(file)).toMatchObject({ delivered: done.delivered, last_error: { reason: 'why' } })
  }
  writeFileSync(path, '{"at":"2024-')
  expect(await lastPace(path)).toBeUndefined()
})
