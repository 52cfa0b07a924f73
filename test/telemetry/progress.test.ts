import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { barLine, progressFor, startProgress } from '../../src/telemetry/progress.ts'
import { screen, timeless } from '../helpers/screen.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The progress of an import, which stands at its beginning unless `look` says more. */
function started(terminal: boolean, look = () => ({ doneBytes: 0, totalBytes: 1 })) {
  const shown = screen(terminal)
  return { ...shown, progress: startProgress({ telemetry: shown.telemetry, label: 'import', look }) }
}

test('without a terminal there is a line every 30 s, and no bar', () => {
  let doneBytes = 0
  const { text, progress } = started(false, () => ({ doneBytes, totalBytes: 4096, events: doneBytes / 4 }))
  doneBytes = 1024
  vi.advanceTimersByTime(29_000)
  expect(timeless(text())).toBe('')
  vi.advanceTimersByTime(1_000)
  expect(timeless(text())).toBe('INFO import: 25% of 4.0 KiB, 256 events, 9/s, 1 min 30 s left\n')
  vi.advanceTimersByTime(30_000)
  expect(timeless(text()).split('\n').length).toBe(3)
  progress.stop()
  vi.advanceTimersByTime(90_000)
  expect(timeless(text()).split('\n').length).toBe(3)
})

test('on a terminal there is a bar that fits into 80 columns', () => {
  let doneBytes = 0
  const { text, progress } = started(true, () => ({ doneBytes, totalBytes: 5e9, events: doneBytes / 300 }))
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
  const { text, progress } = started(false)
  progress.note('odd \u001b[2J name')
  for (let i = 0; i < 12; i++) {
    progress.retrying('503 down', 1500, '503')
    vi.advanceTimersByTime(1000)
  }
  progress.stop()
  expect(timeless(text()).split('\n')).toEqual([
    'INFO import: odd ␛[2J name',
    'WARN import: 503 down; trying again in 2 s',
    'WARN import: 503 down; trying again in 2 s',
    'WARN import: 503 down; trying again in 2 s',
    '',
  ])
})

test('a long note is one line of a log, and folded on a terminal, under the label', () => {
  const reason = 'https://posthog.example.com: the connection broke: other side closed (ECONNRESET)'
  for (const terminal of [false, true]) {
    const { text, progress } = started(terminal)
    progress.retrying(reason, 4000, 'reset')
    progress.stop()
    const folded = `import: ${reason.replace(' (E', '\n  (E')}; trying again in 4 s\n`
    if (terminal) expect(text()).toContain(`\r\u001b[K${folded}`)
    else expect(timeless(text())).toBe(`WARN import: ${reason}; trying again in 4 s\n`)
  }
})

test('work in stages counts bytes, stage by stage', () => {
  const { telemetry, text } = screen(false)
  const progress = progressFor(telemetry)
  progress.start('map', 2048)
  progress.add(1024)
  vi.advanceTimersByTime(30_000)
  progress.start('seal', 1024)
  vi.advanceTimersByTime(30_000)
  progress.stop()
  expect(timeless(text())).toBe(
    'INFO map: 50% of 2.0 KiB, 1.0 KiB, 34 B/s, 30 s left\nINFO seal: 0% of 1.0 KiB, 0 B, 0 B/s\n',
  )
})

test('a bar leaves nothing behind, and the cursor stays below the notes that came meanwhile', () => {
  const { telemetry, text, progress } = started(true, () => ({ doneBytes: 1, totalBytes: 4 }))
  progress.note('a note')
  progress.stop()
  telemetry.stderr.write('import: done\n')
  expect(text()).toContain('import: a note\n')
  expect(text()).not.toContain('\u001b8')
  // Shown again, with wrapped lines; the bar's line is the summary's.
  expect(text()).toContain('\u001b[?25h')
  expect(text()).toContain('\u001b[?7h')
  expect(text().endsWith('\n\u001b[1A\r\u001b[Kimport: done\n')).toBe(true)
})

const words = '1,234,567 events, 10,000/s, 2 h 3 min left'

test.each([
  [80, `import ${'█'.repeat(8)}${'░'.repeat(8)} 50% ${words}`],
  [60, `import 50% ${words}`],
  [40, 'import 50% 1,234,567 events, 10,000/s,…'],
  [8, 'import…'],
])('a bar on a terminal of %i columns', (columns, line) => {
  expect(barLine('import', 0.5, words, columns)).toBe(line)
})
