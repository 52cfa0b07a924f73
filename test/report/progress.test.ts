import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { progressFor, startProgress } from '../../src/report/progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function screen(terminal: boolean) {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  Object.assign(
    stream,
    terminal ? { isTTY: true, columns: 80, cursorTo() {}, clearLine() {}, moveCursor() {} } : {},
  )
  return { stderr: stream as unknown as NodeJS.WriteStream, text: () => text }
}

test('without a terminal there is a line every 30 s, and no bar', () => {
  const { stderr, text } = screen(false)
  let doneBytes = 0
  const look = () => ({ doneBytes, totalBytes: 4096, events: doneBytes / 4 })
  const progress = startProgress({ stderr, label: 'import', look })
  doneBytes = 1024
  vi.advanceTimersByTime(29_000)
  expect(text()).toBe('')
  vi.advanceTimersByTime(1_000)
  expect(text()).toBe('import: 25% of 4.0 KiB, 256 events, 9/s, 1 min 30 s left\n')
  vi.advanceTimersByTime(30_000)
  expect(text().split('\n').length).toBe(3)
  progress.stop()
  vi.advanceTimersByTime(90_000)
  expect(text().split('\n').length).toBe(3)
})

test('on a terminal there is a bar that fits into 80 columns', () => {
  const { stderr, text } = screen(true)
  let doneBytes = 0
  const look = () => ({ doneBytes, totalBytes: 5e9, events: doneBytes / 300 })
  const progress = startProgress({ stderr, label: 'import', look, perSecond: 160 })
  doneBytes = 123_456_789
  vi.advanceTimersByTime(1_000)
  progress.stop()
  // The terminal's own commands take no columns.
  const commands = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[a-zA-Z]`, 'g')
  const lines = text()
    .replaceAll(commands, '\n')
    .split(/[\r\n]+/)
  expect(lines.some((line) => /^import [█░]{16} 2% 411,523 events, .* left$/.test(line))).toBe(true)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

test('notes stay, and are shown, not obeyed; retries are told of every few seconds at most', () => {
  const { stderr, text } = screen(false)
  const progress = startProgress({ stderr, label: 'import', look: () => ({ doneBytes: 0, totalBytes: 1 }) })
  progress.note('odd \u001b[2J name')
  for (let i = 0; i < 12; i++) {
    progress.retrying('503 down', 1500)
    vi.advanceTimersByTime(1000)
  }
  progress.stop()
  expect(text().split('\n')).toEqual([
    'import: odd ␛[2J name',
    'import: 503 down; trying again in 2 s',
    'import: 503 down; trying again in 2 s',
    'import: 503 down; trying again in 2 s',
    '',
  ])
})

test('a long note is folded, under the label', () => {
  const { stderr, text } = screen(false)
  const progress = startProgress({ stderr, label: 'import', look: () => ({ doneBytes: 0, totalBytes: 1 }) })
  progress.retrying('https://posthog.example.com: the connection broke: other side closed (ECONNRESET)', 4000)
  progress.stop()
  expect(text()).toBe(
    [
      'import: https://posthog.example.com: the connection broke: other side closed',
      '  (ECONNRESET); trying again in 4 s\n',
    ].join('\n'),
  )
})

test('one event is one event', () => {
  const { stderr, text } = screen(false)
  const look = () => ({ doneBytes: 1, totalBytes: 1, events: 1 })
  const progress = startProgress({ stderr, label: 'import', look })
  vi.advanceTimersByTime(30_000)
  progress.stop()
  expect(text()).toBe('import: 100% of 1 B, 1 event, 0/s\n')
})

test('work in stages counts bytes, stage by stage', () => {
  const { stderr, text } = screen(false)
  const progress = progressFor(stderr)
  progress.start('map', 2048)
  progress.add(1024)
  vi.advanceTimersByTime(30_000)
  progress.start('seal', 1024)
  vi.advanceTimersByTime(30_000)
  progress.stop()
  expect(text()).toBe('map: 50% of 2.0 KiB, 1.0 KiB, 34 B/s, 30 s left\nseal: 0% of 1.0 KiB, 0 B, 0 B/s\n')
})
