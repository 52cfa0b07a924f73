import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyInventory } from '../../src/record/inventory.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { MICROS_PER_DAY } from '../../src/text/units.ts'
import type { UnitResult } from '../../src/transform/job.ts'
import { finishedPiece, forgetLostDays, Journal } from '../../src/transform/journal.ts'
import { NO_OUTCOMES } from '../../src/transform/outcome-count.ts'
import { KINDS } from '../../src/transform/run/frame.ts'
import { RunWriter } from '../../src/transform/run/writer.ts'
import { pieceName } from '../../src/transform/task.ts'
import { LineFile } from '../../src/transform/work-file.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

const TASK = { type: 'map', unit: 0, inputs: [], range: undefined, namesFile: false } as const
/** The first day has a run file of its own, the two others share one. */
const DAYS = [100, 101, 102]
const LARGE = 1_100_000

/** A finished unit, with the files that it wrote. */
function unit(): { journal: Journal; result: UnitResult; folder: string } {
  const folder = testFolder()
  const lines = (name: string, texts: readonly string[]) => {
    const file = new LineFile(folder, name)
    for (const text of texts) file.write(text)
    file.close()
    return file.written
  }
  const runs = new RunWriter(folder, 'unit-000000')
  for (const [seq, day] of DAYS.entries()) {
    runs.lines.utf8(
      eventLine({ ...makeEvent(seq), properties: { text: 'x'.repeat(seq === 0 ? LARGE : 40) } }),
    )
    runs.add(day * MICROS_PER_DAY, seq, KINDS.own)
  }
  runs.flush()
  const result: UnitResult = {
    read: 4,
    records: null,
    mapped: 3,
    rejects: { bad: 1 },
    filtered: {},
    joins: {},
    notes: emptyNotes(),
    inventory: emptyInventory(),
    outcomes: NO_OUTCOMES,
    lines: 4,
    segments: runs.segments,
    seenFile: lines('unit-000000.seen', ['one\n', 'two\n']),
    rejectsFile: lines('unit-000000.rejects', ['é\n']),
  }
  const journal = new Journal(folder)
  journal.finish('unit-000000', result)
  return { journal, result, folder }
}

const FILES = ['unit-000000.seen', 'unit-000000.rejects', 'unit-000000-0.run', 'unit-000000-0-100.run']

test('a piece whose files are as they were written is not done again', () => {
  const { journal, result } = unit()
  expect(finishedPiece(journal, TASK)).toEqual(result)
})

test.each(FILES)('%s cut anywhere: the piece is done again', (file) => {
  const { journal, folder } = unit()
  const path = join(folder, file)
  const { length } = readFileSync(path)
  for (let size = length - 1, step = 1; size >= 0; size -= step, step += length > 1000 ? 50_000 : 0) {
    truncateSync(path, size)
    expect(finishedPiece(journal, TASK), `${size} of ${length} bytes`).toBeUndefined()
  }
  rmSync(path)
  expect(finishedPiece(journal, TASK)).toBeUndefined()
})

test.each(FILES)('%s with a bit that flipped: the piece is done again', (file) => {
  const { journal, folder } = unit()
  const path = join(folder, file)
  const whole = readFileSync(path)
  for (let at = 0, step = 1; at < whole.length; at += step, step += whole.length > 1000 ? 50_000 : 0) {
    const bent = Buffer.from(whole)
    bent[at]! ^= 1 << (at % 8)
    writeFileSync(path, bent)
    expect(finishedPiece(journal, TASK), `byte ${at}`).toBeUndefined()
  }
})

test.each(['unit-000000.seen', 'unit-000000.rejects'])('%s that grew: the piece is done again', (file) => {
  const { journal, folder } = unit()
  appendFileSync(join(folder, file), 'more\n')
  expect(finishedPiece(journal, TASK)).toBeUndefined()
})

test('the runs of a sealed day may be gone, those of the others may not', () => {
  const { journal, result, folder } = unit()
  rmSync(join(folder, 'unit-000000-0-100.run'))
  expect(finishedPiece(journal, TASK)).toBeUndefined()
  journal.finish('day-100', { parts: [] })
  expect(finishedPiece(journal, TASK)).toEqual(result)
  journal.finish('day-101', { parts: [] })
  truncateSync(join(folder, 'unit-000000-0.run'), result.segments[1]!.bytes)
  expect(finishedPiece(journal, TASK)).toBeUndefined()
})

test('a share of generated events counts only for the number of shares that it is one of', () => {
  const { journal, result } = unit()
  const task = (shares: number) => ({ type: 'generate', share: 0, shares, gathered: [] }) as const
  const made = { segments: result.segments, linksFile: result.seenFile, links: 2 }
  journal.finish(pieceName(task(4)), made)
  expect(finishedPiece(journal, task(4))).toEqual(made)
  expect(finishedPiece(journal, task(5))).toBeUndefined()
})

test('a day counts as sealed as long as its parts are in the store with the size they had', async () => {
  const { journal } = unit()
  const store = new MemoryStore()
  for (const day of [1, 2, 3, 4]) {
    const { bytes } = await store.put(`part-${day}`, Buffer.from('events'))
    journal.finish(`day-${day}`, { parts: [{ file: `part-${day}`, bytes }] })
  }
  await store.put('part-2', Buffer.from('eve'))
  await store.remove('part-3')
  writeFileSync(join(journal.folder, 'day-4.done'), '{"parts":[]}')
  await forgetLostDays(journal, store)
  expect(journal.pieces('day-')).toEqual(['day-1'])
})
