import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../src/record/byte-writer.ts'
import { dayOf } from '../../../src/record/time.ts'
import { MICROS_PER_DAY } from '../../../src/text/units.ts'
import { BufferPool } from '../../../src/transform/run/buffer-pool.ts'
import {
  ENTRY_BYTES,
  KINDS,
  type LineKind,
  linesBytes,
  type Segment,
  sequence,
} from '../../../src/transform/run/frame.ts'
import { LineCopy, Merge } from '../../../src/transform/run/merge.ts'
import { SegmentReader } from '../../../src/transform/run/reader.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { type MergedLine, mergedLines } from '../../helpers/merged-lines.ts'
import { seeded, seedOf, shuffled } from '../../helpers/random.ts'

const seed = seedOf('runs')

function lineOf(n: number, text = ''): string {
  return eventLine({ ...makeEvent(n), properties: { text } })
}

function byOrder(a: MergedLine, b: MergedLine): number {
  return a.instant - b.instant || a.seq - b.seq || a.kind - b.kind
}

/** Lines of a few days in any order, many at one instant, up to four of one record; lines of any length. */
function frames(count: number, random: () => number, longest = 300): MergedLine[] {
  let instant = 0
  const all = Array.from({ length: count }, (_, i): MergedLine => {
    if (i % 4 === 0 || random() < 0.1) {
      instant = 19_000 * MICROS_PER_DAY + Math.floor(random() * 40) * (MICROS_PER_DAY / 10)
    }
    const record = Math.floor(i / 4)
    return {
      instant,
      seq: sequence(record % 3, record),
      kind: (i % 4) as LineKind,
      line: lineOf(i, 'é'.repeat(Math.floor(random() * longest))),
    }
  })
  return shuffled(all, random)
}

/** Writes the lines as runs, ending one wherever `cut` says so. */
function write(
  folder: string,
  all: readonly MergedLine[],
  cut: (i: number) => boolean,
  name = 'unit',
): Segment[] {
  const writer = new RunWriter(folder, name)
  for (const [i, { instant, seq, kind, line }] of all.entries()) {
    writer.lines.utf8(line)
    writer.add(instant, seq, kind)
    if (cut(i)) writer.flush()
  }
  writer.flush()
  return [...writer.segments]
}

test('lines come back day by day in order, from any number of runs', () => {
  const random = seeded(seed)
  for (const [count, share] of [
    [0, 0],
    [1, 0],
    [2, 1],
    [200, 1],
    [3000, 0],
    [3000, 0.01],
    [3000, 0.2],
  ] as const) {
    const folder = testFolder()
    const all = frames(count, random)
    const segments = write(folder, all, () => random() < share)
    const days = new Set(segments.map(({ day }) => day))
    expect(days).toEqual(new Set(all.map(({ instant }) => dayOf(instant))))
    for (const day of days) {
      const ofDay = segments.filter((segment) => segment.day === day)
      const expected = all.filter(({ instant }) => dayOf(instant) === day).sort(byOrder)
      expect(mergedLines(folder, ofDay)).toEqual(expected)
      expect(ofDay.reduce((sum, { events }) => sum + events, 0)).toBe(expected.length)
    }
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
    expect(segments.reduce((sum, segment) => sum + segment.bytes, 0)).toBe(bytes)
  }
})

test('lines in order are written as they came, others sorted: both read alike', () => {
  const random = seeded(seed + 1)
  const folder = testFolder()
  const all = frames(500, random)
  const sorted = [...all].sort(byOrder)
  const day = dayOf(sorted[0]!.instant)
  const of = (segments: Segment[]) =>
    mergedLines(
      folder,
      segments.filter((segment) => segment.day === day),
    )
  expect(of(write(folder, all, () => false, 'a'))).toEqual(of(write(folder, sorted, () => false, 'b')))
})

test('a block smaller than a line, and lines on its edges', () => {
  const folder = testFolder()
  const all = frames(300, seeded(seed + 2), 200).sort(byOrder)
  const segments = write(folder, all, () => false)
  const wanted = all.map(({ line }) => `${line}\n`).join('')
  for (const blockBytes of [21, 200, 1000, 1 << 20]) {
    const out = new ByteWriter()
    for (const segment of segments) {
      const copy = new LineCopy(folder, [segment], { pool: new BufferPool(), blockBytes }, out)
      const block = Buffer.alloc(ENTRY_BYTES + blockBytes)
      const reader = new SegmentReader(join(folder, segment.file), segment, 0, block)
      while (reader.next()) copy.add(reader)
      expect(reader.next()).toBe(false)
      copy.finish()
    }
    expect(out.bytes.toString('utf8', 0, out.length)).toBe(wanted)
  }
})

test('an entry has the uuid, and hashes by which others are told apart', () => {
  const folder = testFolder()
  const event = makeEvent(1)
  const others = [
    event,
    { ...event, properties: {} },
    { ...event, event: 'E"\\é' },
    { ...event, distinct_id: 'v' },
    { ...event, event: 'E"\\é', distinct_id: 'a longer id, é"\\' },
  ]
  const all = others.map((one, seq) => ({ instant: 1, seq, kind: 2 as const, line: eventLine(one) }))
  const segments = write(folder, all, () => false)
  const merge = new Merge(folder, segments)
  const keys = all.map(() => {
    const { words, at } = merge.next()!
    const [uuid, ...hashes] = [4, 8, 10].map((word) =>
      Buffer.from(words.slice(at + word, at + word + 4).buffer),
    )
    expect(uuid!.toString('hex')).toBe(event.uuid.replaceAll('-', ''))
    return hashes.map((hash) => hash.toString('hex', 0, 8))
  })
  const count = (which: number) => new Set(keys.map((key) => key[which])).size
  expect({ identities: count(0), names: count(1) }).toEqual({ identities: 4, names: 2 })
  expect(keys[0]).toEqual(keys[1])
  expect(keys[2]![1]).toBe(keys[4]![1])
})

test('what is no event is refused', () => {
  for (const line of ['', 'x', 'x'.repeat(200), eventLine(makeEvent(1)).slice(0, 120)]) {
    const all = [{ instant: 1, seq: 1, kind: 2 as const, line }]
    expect(() => write(testFolder(), all, () => false)).toThrow('no event')
  }
})

test('a run that is shorter than its segments say is an error, not an end', () => {
  const folder = testFolder()
  const [segment] = write(folder, frames(50, seeded(seed + 3), 10).slice(0, 20), () => false) as [Segment]
  const longer = { ...segment, bytes: segment.bytes + 100_000 }
  expect(() => mergedLines(folder, [longer])).toThrow(/not as this transform wrote it/)
  expect(() => mergedLines(folder, [{ ...segment, bytes: segment.bytes - 1 }])).toThrow(
    /not as this transform wrote it/,
  )
})

test('hundreds of runs of one day are merged with few files open', () => {
  const random = seeded(seed + 4)
  const folder = testFolder()
  const all = frames(600, random, 50).map((frame) => ({
    ...frame,
    instant: 19_000 * MICROS_PER_DAY + (frame.seq % 7),
  }))
  const segments = write(folder, all, () => true)
  expect(segments).toHaveLength(600)
  const merge = new Merge(folder, segments)
  merge.next()
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(300)
  expect(mergedLines(folder, segments)).toEqual([...all].sort(byOrder))
})

test('a day of a megabyte has a file of its own in a run, smaller days share one', () => {
  const folder = testFolder()
  const long = 'x'.repeat(5000)
  const day = (n: number, count: number, from: number) =>
    Array.from({ length: count }, (_, i): MergedLine => {
      return { instant: (19_000 + n) * MICROS_PER_DAY, seq: from + i, kind: 2, line: lineOf(from + i, long) }
    })
  const all = [
    ...day(0, 10, 0),
    ...day(1, 400, 10),
    ...day(2, 10, 410),
    ...day(3, 400, 420),
    ...day(4, 1, 820),
  ]
  const segments = write(folder, shuffled(all, seeded(seed + 5)), () => false)
  expect(segments.map(({ alone }) => alone)).toEqual([false, true, false, true, false])
  expect(new Set(segments.map(({ file }) => file)).size).toBe(3)
  for (const [n, segment] of segments.entries()) {
    if (segment.alone) expect(statSync(join(folder, segment.file)).size).toBe(segment.bytes)
    expect(mergedLines(folder, [segment])).toEqual(all.filter(({ instant }) => dayOf(instant) === 19_000 + n))
  }
})

test('without a folder nothing is written', () => {
  const writer = new RunWriter(undefined, 'dry')
  const before = writer.lines.length
  writer.lines.utf8(lineOf(1))
  writer.add(1, 1, 2)
  writer.flush()
  expect([writer.segments, writer.lines.length]).toEqual([[], before])
})

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
