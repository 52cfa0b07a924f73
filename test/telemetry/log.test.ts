import { expect, test } from 'vitest'
import type { Level } from '../../src/telemetry/entry.ts'
import type { LogFormat, LogSettings } from '../../src/telemetry/log.ts'
import { screen, timeless } from '../helpers/screen.ts'

const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** A telemetry that is open, with what a short import tells. */
async function told(
  format: LogFormat,
  { terminal = false, ...more }: Partial<LogSettings> & { terminal?: boolean },
) {
  const shown = screen(terminal)
  const { telemetry } = shown
  await telemetry.open({ command: 'import', log: { format, least: 'info', ...more } })
  telemetry.note('import', 'the days of this file are mixed, which makes batches small: \u001b[2J sorts it')
  telemetry.note('import', 'a refusal', 'warn')
  telemetry.tell({ event: 'progress', level: 'info', label: 'import', message: '12%' })
  telemetry.retried('503', 1500)
  const counts = { read: 3, written: 2, rejected: 1, filtered: 0, duplicate: 0, pending: 0 }
  telemetry.summary('import', { json: { finished: true, counts }, text: 'import: done\n  written  2\n' })
  telemetry.stderr.write('  next: posthaul verify events\n')
  await telemetry.close(3)
  return shown
}

test('a mail has times on what happened, and the closing block as it can be copied; the last line is the result', async () => {
  const { text } = await told('auto', {})
  expect(timeless(text())).toBe(
    [
      'INFO import: the days of this file are mixed, which makes batches small: ␛[2J sorts it',
      'WARN import: a refusal',
      'INFO import: 12%',
      'import: done',
      '  written  2',
      '  next: posthaul verify events',
      'WARN import: done, with rejects: 2 written, 1 rejected, in … (exit code 3)',
      '',
    ].join('\n'),
  )
})

test('a terminal has no times, folds, and leaves the progress to the bar and the result to the summary', async () => {
  const { text } = await told('auto', { terminal: true })
  expect(text()).toBe(
    [
      'import: the days of this file are mixed, which makes batches small: ␛[2J sorts',
      '  it',
      'import: a refusal',
      'import: done',
      '  written  2',
      '  next: posthaul verify events',
      '',
    ].join('\n'),
  )
})

test.each([true, false])(
  'as text every line has its time and level, on a terminal too (%s)',
  async (terminal) => {
    const { text, lines } = await told('text', { terminal })
    for (const line of lines()) expect(line).toMatch(/^\S+Z (?:INFO|WARN) /)
    expect(timeless(text())).toContain('INFO import: done\nINFO   written  2\nINFO   next: posthaul verify')
    expect(lines().at(-1)).toContain('(exit code 3)')
  },
)

test('as JSON every line is one object; the summary is what --json prints, and the last one the result', async () => {
  const { lines, text } = await told('json', {})
  const objects = lines().map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(text()).not.toContain('\u001b')
  for (const { version, time, level, command } of objects) {
    expect([version, level, command]).toEqual([1, expect.stringMatching(/^(?:info|warn)$/), 'import'])
    expect(time).toMatch(AT)
  }
  expect(objects.map(({ event }) => event)).toEqual(['note', 'note', 'progress', 'summary', 'text', 'result'])
  const counts = { read: 3, written: 2, rejected: 1, filtered: 0, duplicate: 0, pending: 0 }
  expect(objects[3]).toMatchObject({ summary: { finished: true, counts } })
  expect(objects.at(-1)).toMatchObject({
    exit_code: 3,
    outcome: 'rejects',
    finished: true,
    seconds: expect.any(Number),
    counts,
    waits: { count: 1, seconds: 1.5 },
    retries: { '503': 1 },
  })
})

test.each<[Level, boolean, number]>([
  ['warn', false, 2],
  ['warn', true, 2],
  ['info', false, 5],
])('%s and above is written, and always the result (terminal: %s)', async (least, terminal, count) => {
  const { lines } = await told('auto', { least, terminal })
  expect(lines().filter((line) => !line.startsWith('  '))).toHaveLength(count)
  if (least === 'warn') expect(lines().at(-1)).toContain('code 3)')
})

test.each([
  ['verify', 3, undefined, false, 'WARN verify: done in …: problems were found (exit code 3)'],
  ['import', 3, undefined, true, 'WARN import: stopped by what was found after … (exit code 3)'],
  [
    'transform',
    2,
    { written: 0, rejected: 4 },
    true,
    'ERROR transform: stopped: 0 written, 4 rejected, after … (exit code 2)',
  ],
  ['transform', 2, undefined, true, 'ERROR transform: not begun (exit code 2)'],
  ['import', 130, undefined, true, 'WARN import: interrupted after … (exit code 130)'],
] as const)(
  'the last line says how a run of %s ended (%i)',
  async (command, code, counts, isStopped, line) => {
    const { telemetry, text } = screen(false)
    await telemetry.open({ command, log: { format: 'auto', least: 'info' } })
    if (counts) telemetry.summary(command, { json: { finished: false, counts }, text: '' })
    if (isStopped) telemetry.tell({ event: 'error', level: 'error', label: command, message: 'no' })
    await telemetry.close(code)
    expect(timeless(text()).trimEnd().split('\n').at(-1)).toBe(line)
  },
)

test('--quiet hides no summary that warns, and no findings that end a run', async () => {
  const { telemetry, text } = screen(false)
  await telemetry.open({ command: 'transform', log: { format: 'auto', least: 'warn' } })
  telemetry.summary('transform', { json: { finished: true }, text: 'transform: done\n' })
  telemetry.summary('transform', {
    json: {},
    text: 'transform: done\n  warning   properties.drop "pasword" matches nothing\n',
  })
  telemetry.stderr.write('  ok  the key\n')
  telemetry.stderr.write('  error  the key is of no project\n', 'warn')
  expect(text()).toBe(
    'transform: done\n  warning   properties.drop "pasword" matches nothing\n  error  the key is of no project\n',
  )
})
