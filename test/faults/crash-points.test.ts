import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { disturb, pointsOf } from './kit/disturb.ts'
import { importWork, worksOf } from './kit/works.ts'

const seed = seedOf('crash points')

const COMMANDS = Object.entries(worksOf(seed)).map(([name, begin]) => ({ name, begin, most: 5 }))
const WORKS = [...COMMANDS, { name: 'import by Capture V1', begin: importWork(seed, '--via', 'v1'), most: 3 }]

test.each(WORKS)(
  '$name: killed before and after each read, write, sync, rename, request and answer, it goes on and loses nothing',
  async ({ begin, most }) => {
    const points = await pointsOf(begin)
    const all = points.flatMap((point) => [
      { ...point, when: 'before' } as const,
      { ...point, when: 'after' } as const,
    ])
    const wanted = kills({ few: 1, many: most })
    let killed = 0
    // The threads of a transform, and the answers of a server, don't always come in the same order, so a run can end
    // before it meets its point: then another point is tried.
    for (const kill of shuffled(all, seeded(seed)).slice(0, 3 * wanted)) {
      if (killed === wanted) break
      const { code, signal, stderr } = await disturb(begin, { kill })
      if (signal === null) expect(code, stderr).toBeOneOf([0, 3])
      else killed++
    }
    expect(killed).toBeGreaterThan(0)
  },
)

const WRITES = ['write', 'fsync', 'rename', 'link', 'mkdir']
const CHANGING = [...WRITES, ...WRITES.map((name) => `worker ${name}`)]
const CASES = COMMANDS.flatMap(({ name, begin }) =>
  (['ENOSPC', 'EROFS'] as const)
    .slice(0, kills({ few: 1, many: 2 }))
    .map((code) => [name, code, begin] as const),
)

test.each(CASES)(
  '%s: %s from any write on stops it, and it goes on when the disk is mended',
  async (_, code, begin) => {
    const points = (await pointsOf(begin)).filter(({ point }) => CHANGING.includes(point))
    const chosen = shuffled(points, seeded(seed)).slice(0, kills({ few: 1, many: 4 }))
    for (const { point, nth } of chosen) {
      const fail = { points: [point], from: nth, code }
      const { code: exit, signal, stderr } = await disturb(begin, { fail })
      // From the start it is a mistake in the command (2); after that the run pauses (5). A reject is made in either (3).
      const ends = expect.toBeOneOf([0, EXIT.usage, EXIT.rejects, EXIT.paused])
      expect([signal, exit], `${point} ${nth}: ${stderr}`).toEqual([null, ends])
      if (exit === EXIT.paused)
        expect(unfolded(stderr)).toMatch(/disk is (full|read-only)[\s\S]*then: posthaul/)
    }
  },
)
