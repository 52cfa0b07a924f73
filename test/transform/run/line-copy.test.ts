import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../src/record/byte-writer.ts'
import { BufferPool } from '../../../src/transform/run/buffer-pool.ts'
import { KINDS, linesBytes } from '../../../src/transform/run/frame.ts'
import { LineCopy } from '../../../src/transform/run/merge.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

/** One segment of 20 lines, and how far they go. */
function twentyLines() {
  const folder = testFolder()
  const runs = new RunWriter(folder, 'unit')
  const lines = Array.from({ length: 20 }, (_, n) => eventLine(makeEvent(n)))
  for (const [n, line] of lines.entries()) {
    runs.lines.utf8(line)
    runs.add(n, n, KINDS.own)
  }
  runs.flush()
  return { folder, segments: runs.segments, lines }
}

/** Reads a block of 100 bytes at a time: less than a line. */
const blocks = () => ({ pool: new BufferPool(), blockBytes: 100 })

test('lines that are left out are passed over, and stretches are copied across blocks', () => {
  const { folder, segments, lines } = twentyLines()
  const out = new ByteWriter()
  const copy = new LineCopy(folder, segments, blocks(), out)
  const wanted = [2, 3, 4, 9, 18]
  let start = 0
  for (const [n, line] of lines.entries()) {
    const end = start + Buffer.byteLength(line) + 1
    if (wanted.includes(n)) copy.add({ number: 0, start, end })
    start = end
  }
  copy.finish()
  expect(out.bytes.toString('utf8', 0, out.length)).toBe(wanted.map((n) => `${lines[n]}\n`).join(''))
})

test('a bent byte is noticed in lines that nobody wanted too', () => {
  const { folder, segments } = twentyLines()
  const [segment] = segments
  const path = join(folder, segment!.file)
  const bytes = readFileSync(path)
  bytes[linesBytes(segment!) - 2]! ^= 1
  writeFileSync(path, bytes)
  const copy = new LineCopy(folder, segments, blocks(), new ByteWriter())
  copy.add({ number: 0, start: 0, end: 50 })
  expect(() => copy.finish()).toThrow(expect.objectContaining({ code: 'unavailable' }))
})
