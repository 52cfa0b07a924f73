import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BufferPool } from '../../../src/transform/run/buffer-pool.ts'
import { KINDS, linesBytes } from '../../../src/transform/run/frame.ts'
import { Merge } from '../../../src/transform/run/merge.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { DUPLICATE, judgeFor } from '../../../src/transform/seal/judge.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

/** A run of ten events with an id, each twice, and of one without an id, twice. */
function run() {
  const folder = testFolder()
  const runs = new RunWriter(folder, 'unit')
  for (let seq = 0; seq < 22; seq++) {
    runs.lines.utf8(eventLine(makeEvent(seq % 11)))
    runs.add(seq, seq, seq % 11 === 10 ? KINDS.content : KINDS.own)
  }
  runs.flush()
  const { segments } = runs
  const path = join(folder, segments[0]!.file)
  const bend = (at: number) => {
    const bytes = readFileSync(path)
    bytes[at]! ^= 1
    writeFileSync(path, bytes)
  }
  const verdicts = async (passEvents: number) => {
    const judge = await judgeFor(segments, new BufferPool(), { folder, passEvents })
    const merge = new Merge(folder, segments)
    return segments.flatMap(({ events }) => Array.from({ length: events }, () => judge(merge.next()!)))
  }
  return { bytes: readFileSync(path), path, lines: linesBytes(segments[0]!), bend, verdicts }
}

test.each([100, 4])(
  'events are judged by the index, in passes of %i: no line is read',
  async (passEvents) => {
    const { bytes, path, lines, verdicts } = run()
    writeFileSync(path, Buffer.from(bytes).fill(0, 0, lines))
    const first = new Array<number>(11).fill(0)
    expect(await verdicts(passEvents)).toEqual([...first, ...new Array<number>(10).fill(DUPLICATE), 1])
  },
)

test('a pass over an index that changed is an error to run again', async () => {
  const { bytes, lines, bend, verdicts } = run()
  for (const at of [lines, lines + 20, lines + 40, lines + 50, bytes.length - 1]) {
    bend(at)
    await expect(verdicts(4), `byte ${at}`).rejects.toMatchObject({ code: 'unavailable' })
    bend(at)
  }
  expect(await verdicts(4)).toHaveLength(22)
})
