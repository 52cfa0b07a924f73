import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MICROS_PER_DAY } from '../../../src/text/units.ts'
import { KINDS } from '../../../src/transform/run/frame.ts'
import { MOST_LINES, RunWriter } from '../../../src/transform/run/writer.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { mergedLines } from '../../helpers/merged-lines.ts'

/** A run over `days`: of each, as many lines of 100,000 bytes as it says. */
function runOf(days: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-runs-'))
  const runs = new RunWriter(folder, 'unit')
  let seq = 0
  for (const [index, lines] of days.entries()) {
    for (let i = 0; i < lines; i++) {
      runs.lines.utf8(eventLine({ ...makeEvent(seq), properties: { text: 'x'.repeat(100_000) } }))
      runs.add((index + 100) * MICROS_PER_DAY + i, seq++, KINDS.own)
    }
  }
  runs.flush()
  return { folder, segments: runs.segments }
}

test('a large day of a run has a file of its own, small ones share one', () => {
  const { folder, segments } = runOf([2, 12, 3])
  expect(segments.map(({ alone, events }) => ({ alone, events }))).toEqual([
    { alone: false, events: 2 },
    { alone: true, events: 12 },
    { alone: false, events: 3 },
  ])
  expect(segments[0]!.file).toBe(segments[2]!.file)
  expect(segments[2]!.offset).toBe(segments[0]!.bytes)
  expect(readdirSync(folder).sort()).toEqual([...new Set(segments.map(({ file }) => file))].sort())
})

test('a run ends before it has more lines than can be sorted at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-runs-'))
  const runs = new RunWriter(folder, 'unit')
  const lines = MOST_LINES + 1
  // The last microseconds of a day are its largest keys.
  for (let i = 0; i < lines; i++) {
    runs.lines.utf8(eventLine({ ...makeEvent(1), properties: { i } }))
    runs.add(MICROS_PER_DAY - 1 - (i % 1000), i, KINDS.own)
  }
  runs.flush()
  expect(runs.segments.map(({ events }) => events)).toEqual([MOST_LINES, 1])
  let before = -1
  for (const { instant, seq, line } of mergedLines(folder, runs.segments)) {
    const rank = (instant - MICROS_PER_DAY + 1000) * lines + seq
    if (rank <= before || !line.endsWith(`"i":${seq}}}`)) expect(seq).toBe('in order')
    before = rank
  }
})
