import { expect, test } from 'vitest'
import { gatherSeen } from '../../src/transform/gather.ts'
import { generateShare, sharesOf } from '../../src/transform/generate.ts'
import type { Observation } from '../../src/transform/observations.ts'
import type { Segment } from '../../src/transform/run/frame.ts'
import type { WrittenFile } from '../../src/transform/work-file.ts'
import { testFolder } from '../helpers/folder.ts'
import { mergedLines } from '../helpers/merged-lines.ts'
import { GENERATE, seenFile } from './seen-file.ts'

/** All shares, one after the other. */
function generateAll(files: readonly WrittenFile[], folder: string): Segment[] {
  const shares = sharesOf(files)
  const gathered = gatherSeen(folder, 'all', files, shares)
  const segments: Segment[] = []
  for (let share = 0; share < shares; share++) {
    segments.push(...generateShare({ gathered, share, shares }, folder, GENERATE).segments)
  }
  return segments
}

test('observations of more bytes than are held at once give each id its one earliest event', () => {
  const folder = testFolder()
  const ids = 26_000
  // Every id in both files, the earlier user in either; groups among them that change once.
  const files = ['a.seen', 'b.seen'].map((name, f) => {
    function* seen(): Generator<Observation> {
      for (let i = 0; i < ids; i++) {
        const isFirst = i % 2 === f
        const anonymous = `anonymous ${i} ${'x'.repeat(500)}`
        yield {
          kind: 'link',
          anonymous,
          user: isFirst ? 'first' : 'late',
          instant: isFirst ? i : i + 500,
          seq: i * 2 + f,
        }
        if (i % 100 === 0) {
          yield {
            kind: 'group',
            type: 'company',
            key: `c${i}`,
            json: `{"f":${f}}`,
            instant: i,
            seq: i * 2 + f,
          }
        }
      }
    }
    return seenFile(folder, name, seen())
  })
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(25 * 1024 * 1024)

  expect(sharesOf(files)).toBeGreaterThan(3)
  const segments = generateAll(files, folder)
  const linked = new Set<string>()
  let [groups, wrong, last] = [0, 0, 0]
  for (const { instant, line } of mergedLines(folder, segments)) {
    const { event, distinct_id, properties } = JSON.parse(line)
    if (instant < last) wrong++
    last = instant
    if (event === '$groupidentify') groups++
    else {
      linked.add(properties.$anon_distinct_id)
      if (distinct_id !== 'first') wrong++
    }
  }
  expect([linked.size, groups, wrong]).toEqual([ids, (ids / 100) * 2, 0])
  expect(segments.reduce((sum, { events }) => sum + events, 0)).toBe(ids + (ids / 100) * 2)
})

test('no observations give no events', () => {
  const folder = testFolder()
  const file = seenFile(folder, 'none.seen', [])
  expect(sharesOf([file])).toBe(1)
  expect(generateAll([file], folder)).toEqual([])
})
