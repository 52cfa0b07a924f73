import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../src/record/byte-writer.ts'
import { dayOf } from '../../../src/record/time.ts'
import type { LineKind, Segment } from '../../../src/transform/run/frame.ts'
import { sequence } from '../../../src/transform/run/frame.ts'
import { Merge } from '../../../src/transform/run/merge.ts'
import { SegmentReader } from '../../../src/transform/run/reader.ts'
import { RunWriter } from '../../../src/transform/run/writer.ts'
import { MICROS_PER_DAY } from '../../../src/units.ts'
import { testFolder } from '../../helpers/folder.ts'
import { seeded, shuffled } from '../../helpers/random.ts'
import { seedOf } from '../../helpers/seed.ts'

const seed = seedOf('runs')

interface Frame {
  readonly instant: number
  readonly seq: number
  readonly kind: LineKind
  readonly line: string
}

function byOrder(a: Frame, b: Frame): number {
  return a.instant - b.instant || a.seq - b.seq || a.kind - b.kind
}

/** Frames of a few days in any order, many at one instant, up to four of one record; lines of any length. */
function frames(count: number, random: () => number, longest = 300): Frame[] {
  let instant = 0
  const all = Array.from({ length: count }, (_, i): Frame => {
    if (i % 4 === 0 || random() < 0.1) {
      instant = 19_000 * MICROS_PER_DAY + Math.floor(random() * 40) * (MICROS_PER_DAY / 10)
    }
    const record = Math.floor(i / 4)
    return {
      instant,
      seq: sequence(record % 3, record),
      kind: (i % 4) as LineKind,
      line: `${i} ${'é'.repeat(Math.floor(random() * longest))}`,
    }
  })
  return shuffled(all, random)
}

/** Writes the frames as runs, ending one wherever `cut` says so. */
function write(folder: string, all: readonly Frame[], cut: (i: number) => boolean, name = 'unit'): Segment[] {
  const writer = new RunWriter(folder, name, new ByteWriter(16))
  for (const [i, { instant, seq, kind, line }] of all.entries()) {
    writer.lines.utf8(line)
    writer.add(instant, seq, kind)
    if (cut(i)) writer.flush()
  }
  writer.flush()
  return [...writer.segments]
}

function read(folder: string, segments: readonly Segment[]): Frame[] {
  const merge = new Merge(folder, segments)
  const found: Frame[] = []
  for (let at = merge.next(); at; at = merge.next()) {
    const { instant, seq, kind } = at
    found.push({ instant, seq, kind, line: at.bytes.toString('utf8', at.start, at.end) })
  }
  expect(merge.next()).toBeUndefined()
  return found
}

test('frames come back day by day in order, from any number of runs', () => {
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
      expect(read(folder, ofDay)).toEqual(expected)
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
    read(
      folder,
      segments.filter((segment) => segment.day === day),
    )
  expect(of(write(folder, all, () => false, 'a'))).toEqual(of(write(folder, sorted, () => false, 'b')))
})

test('a block smaller than a frame, and frames on its edges', () => {
  const folder = testFolder()
  const all = frames(300, seeded(seed + 2), 200).sort(byOrder)
  const segments = write(folder, all, () => false)
  for (const block of [1, 21, 22, 64, 200, 1000, 1 << 20]) {
    const found = segments.flatMap((segment) => {
      const reader = new SegmentReader(join(folder, segment.file), segment, Buffer.alloc(block))
      const lines: string[] = []
      while (reader.next()) lines.push(reader.bytes.toString('utf8', reader.start, reader.end))
      expect(reader.next()).toBe(false)
      return lines
    })
    expect(found).toEqual(all.map(({ line }) => line))
  }
})

test('a run that is shorter than its segments say is an error, not an end', () => {
  const folder = testFolder()
  const [segment] = write(folder, frames(50, seeded(seed + 3), 10).slice(0, 20), () => false) as [Segment]
  const longer = { ...segment, bytes: segment.bytes + 100_000 }
  expect(() => read(folder, [longer])).toThrow(/not as this transform wrote it/)
  expect(() => read(folder, [{ ...segment, bytes: segment.bytes - 1 }])).toThrow(
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
  expect(read(folder, segments)).toEqual([...all].sort(byOrder))
})

test('a day of a megabyte has a file of its own in a run, smaller days share one', () => {
  const folder = testFolder()
  const long = 'x'.repeat(5000)
  const day = (n: number, count: number, from: number) =>
    Array.from({ length: count }, (_, i): Frame => {
      return { instant: (19_000 + n) * MICROS_PER_DAY, seq: from + i, kind: 2, line: `${from + i} ${long}` }
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
    expect(read(folder, [segment])).toEqual(all.filter(({ instant }) => dayOf(instant) === 19_000 + n))
  }
})

test('without a folder nothing is written', () => {
  const writer = new RunWriter(undefined, 'dry', new ByteWriter(16))
  const before = writer.lines.length
  writer.lines.utf8('x')
  writer.add(1, 1, 2)
  writer.flush()
  expect([writer.segments, writer.lines.length]).toEqual([[], before])
})
