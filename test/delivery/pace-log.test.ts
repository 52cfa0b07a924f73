import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

const linesIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test('a line a minute, and one for the rest', async () => {
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
  expect(linesIn(readFileSync(path, 'utf8'))).toEqual([
    { ...none, at: '2024-06-01T00:01:00.000Z', delivered: 10_100, per_minute: 10_000 },
    {
      at: '2024-06-01T00:02:00.000Z',
      delivered: 10_100,
      rejected: 3,
      per_minute: 0,
      waits: 2,
      waited_ms: 4000,
      bytes_done: 700,
      bytes_total: 5000,
      last_error: error,
    },
    {
      ...none,
      at: '2024-06-01T00:02:05.000Z',
      delivered: 10_600,
      rejected: 3,
      per_minute: 500,
      bytes_done: 700,
      last_error: error,
    },
  ])
})

test('a run in which nothing happens writes nothing; one after a kill ends the half line', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  writeFileSync(path, '{"at":"before"}\n')
  await logTo(path).stop()
  expect(readFileSync(path, 'utf8')).toBe('{"at":"before"}\n')
  appendFileSync(path, '{"at":"2024-06')
  const log = logTo(path)
  done.delivered++
  await log.stop()
  expect(linesIn(readFileSync(path, 'utf8')).map(({ at }) => at)).toEqual([
    'before',
    '2024-06-01T00:00:00.000Z',
  ])
})

test('it is bounded: in a bucket at a week of minutes, on a disk at two', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  const store = new MemoryStore()
  const old = '{"at":"old"}\n'.repeat(20_160)
  writeFileSync(path, old)
  await store.put('x.pace.ndjson', Buffer.from(old))
  for (const file of [path, { store, name: 'x.pace.ndjson' }]) {
    const log = logTo(file)
    done.delivered++
    await log.stop()
  }
  for (const text of [readFileSync(path, 'utf8'), String(store.files.get('x.pace.ndjson'))]) {
    const lines = linesIn(text)
    expect([lines.length, lines.at(-1).per_minute]).toEqual([10_080, 1])
  }
})

test('in a bucket it is sent as a whole, the less often the longer it is, and at the end', async () => {
  const store = new MemoryStore()
  let sent = 0
  const put = store.put.bind(store)
  store.put = (name, body, condition) => {
    sent++
    return put(name, body, condition)
  }
  await put('x', Buffer.from('{"at":"old"}\n'.repeat(10_000)))
  const log = logTo({ store, name: 'x' })
  for (let minute = 0; minute < 60; minute++) {
    done.delivered++
    vi.advanceTimersByTime(60_000)
  }
  await log.stop()
  // 60 times it would be 600,000 lines an hour.
  expect(sent).toBeLessThanOrEqual(7)
  const lines = linesIn(String(store.files.get('x')))
  expect([lines.length, lines.at(-1).delivered]).toEqual([10_060, 160])
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

test('the last line is read past a half written one, and past lines of another form', async () => {
  const path = join(testFolder(), 'x.pace.ndjson')
  expect(await lastPace(path)).toBeUndefined()
  const old = { at: 'then', delivered: 5, rejected: 1, per_minute: 5, waits: 0, waited_ms: 0 }
  const last = { ...old, bytes_done: null, bytes_total: null, last_error: null }
  const text = `${'{"at":"older"}\n'.repeat(5000)}${JSON.stringify(last)}\n${JSON.stringify(old)}\n{"at":"2024-`
  writeFileSync(path, text)
  const store = new MemoryStore()
  await store.put('x', Buffer.from(text))
  for (const file of [path, { store, name: 'x' }]) {
    expect(await lastPace(file)).toEqual(last)
  }
})
