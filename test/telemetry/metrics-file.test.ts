import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ExitCode } from '../../src/errors.ts'
import type { MeterReading } from '../../src/telemetry/entry.ts'
import { metricsText } from '../../src/telemetry/metrics.ts'
import { MetricsFile } from '../../src/telemetry/metrics-file.ts'
import { StageBook } from '../../src/telemetry/stage-book.ts'
import { readExposition, seriesOf } from '../helpers/exposition.ts'
import { testFolder } from '../helpers/folder.ts'
import { screen, timeless } from '../helpers/screen.ts'

const file = (name = 'acme.prom') => join(testFolder(), name)

const READING: MeterReading = { done: 10, total: 100, unit: 'bytes', counts: { written: 200, rejected: 1 } }
const DONE = { written: 299, rejected: 1, filtered: 0, duplicate: 0, pending: 0 }

/** A telemetry with a file of metrics, as a command has it. */
async function opened(metricsFile: string) {
  const shown = screen()
  const { telemetry } = shown
  await telemetry.open({ command: 'import', log: { format: 'auto', least: 'info' }, metricsFile })
  return shown
}

/** A whole run of an import that had delivered 200 events before it began. */
async function ran(path: string, code: ExitCode, counts: Partial<typeof DONE> = DONE): Promise<string> {
  const { telemetry } = await opened(path)
  telemetry.book.begin('import', () => READING)()
  telemetry.summary('import', { json: { counts, finished: true }, text: '' })
  await telemetry.close(code)
  return readFileSync(path, 'utf8')
}

const only = (text: string, name: string) => seriesOf(text, name)['']

test('a strict reader takes the file, which says of a run what its summary says', async () => {
  const path = file()
  const { telemetry } = await opened(path)
  telemetry.book.begin('import', () => READING)
  telemetry.summary('import', { json: { counts: { read: 300, ...DONE }, finished: true }, text: '' })
  await telemetry.close(0)
  const text = readFileSync(path, 'utf8')
  for (const { series } of readExposition(text).values())
    for (const labels of Object.keys(series)) expect(labels).toContain('run="acme"')
  expect(seriesOf(text, 'posthaul_events_total')).toEqual({
    'fate="written",stage="import"': 299,
    'fate="rejected",stage="import"': 1,
    'fate="filtered",stage="import"': 0,
    'fate="duplicate",stage="import"': 0,
  })
  expect(seriesOf(text, 'posthaul_events_pending')).toEqual({ 'stage="import"': 0 })
  expect([only(text, 'posthaul_run_active'), only(text, 'posthaul_last_exit_code')]).toEqual([0, 0])
  expect(only(text, 'posthaul_last_success_timestamp_seconds')).toBeGreaterThanOrEqual(
    only(text, 'posthaul_run_start_time_seconds')!,
  )
})

test('the last success and exit code outlive runs that have none', async () => {
  const path = file()
  const success = (text: string) => only(text, 'posthaul_last_success_timestamp_seconds')
  expect(await ran(path, 5, { ...DONE, written: 200 })).not.toMatch(/last_success/)
  const good = await ran(path, 0)
  const failed = await ran(path, 5, { ...DONE, written: 200 })
  expect([only(failed, 'posthaul_last_exit_code'), success(failed)]).toEqual([5, success(good)])
  const { telemetry } = await opened(path)
  const begun = readFileSync(path, 'utf8')
  expect([only(begun, 'posthaul_run_active'), only(begun, 'posthaul_last_exit_code')]).toEqual([1, 5])
  expect(success(begun)).toEqual(success(good))
  await telemetry.close(7)
})

test('who reads while it is replaced finds a whole file each time, and no other is left', async () => {
  const path = file()
  const book = new StageBook()
  for (let i = 0; i < 300; i++) book.know(`stage ${i}`, { written: i })
  const written = metricsText({ startedAt: 0, code: undefined, book }, 'acme', '')
  let reads = 0
  let done = false
  const reading = (async () => {
    while (!done || reads === 0) {
      const text = await readFile(path, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      expect(Object.keys(readExposition(text).get('posthaul_events_total')!.series)).toHaveLength(300)
      reads++
    }
  })()
  for (let i = 0; i < 10; i++) {
    const metrics = await MetricsFile.open({ path, text: () => written, failed: expect.unreachable })
    await metrics!.close()
  }
  done = true
  await reading
  expect(readdirSync(join(path, '..'))).toEqual(['acme.prom'])
})

test.skipIf(process.platform === 'win32')('a collector that runs as another user may read it', async () => {
  const path = file()
  const before = process.umask(0o077)
  onTestFinished(() => void process.umask(before))
  await ran(path, 0)
  expect(statSync(path).mode & 0o777).toBe(0o644)
})

test('a file that cannot be written is a warning, once, and the result is the last line all the same', async () => {
  const { telemetry, lines } = await opened('/nowhere/x.prom')
  await telemetry.close(0)
  expect(lines().map(timeless)).toEqual([
    expect.stringMatching(
      /^WARN posthaul: the metrics file is not written: cannot write \/nowhere\/x\.prom: /,
    ),
    expect.stringContaining('(exit code 0)'),
  ])
})

test('a file of something else is left as it is', async () => {
  const path = file('events.ndjson')
  writeFileSync(path, '{"event":"a"}\n')
  const { telemetry, text } = await opened(path)
  await telemetry.close(0)
  expect(readFileSync(path, 'utf8')).toBe('{"event":"a"}\n')
  expect(text()).toContain('is a file of something else')
})
