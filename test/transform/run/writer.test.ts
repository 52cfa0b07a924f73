import { expect, test } from 'vitest'
import { MICROS_PER_DAY } from '../../../src/text/units.ts'
import { KINDS } from '../../../src/transform/run/frame.ts'
import { MOST_LINES, RunWriter } from '../../../src/transform/run/writer.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { mergedLines } from '../../helpers/merged-lines.ts'

test('a run ends before it has more lines than can be sorted at once', () => {
  const folder = testFolder()
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
