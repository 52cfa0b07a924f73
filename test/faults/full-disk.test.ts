import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, shuffled } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { disturb, pointsOf } from './kit/disturb.ts'
import { worksOf } from './kit/works.ts'

const seed = seedOf('full disk')
const WRITES = ['write', 'fsync', 'rename', 'link', 'mkdir']
const CHANGING = [...WRITES, ...WRITES.map((name) => `worker ${name}`)]
const CASES = Object.entries(worksOf(seed)).flatMap(([command, begin]) =>
  (['ENOSPC', 'EROFS'] as const)
    .slice(0, kills({ few: 1, many: 2 }))
    .map((code) => [command, code, begin] as const),
)

test.each(CASES)(
  '%s: %s from any write on stops it, and it goes on when the disk is mended',
  async (_, code, begin) => {
    const points = (await pointsOf(begin)).filter(({ point }) => CHANGING.includes(point))
    const chosen = shuffled(points, seeded(seed)).slice(0, kills({ few: 1, many: 4 }))
    for (const { point, nth } of chosen) {
      const {
        code: exit,
        signal,
        stderr,
      } = await disturb(begin, { fail: { points: [point], from: nth, code } })
      // From the start it is a mistake in the command (2); after that the run pauses (5). A reject is made in either (3).
      expect([signal, exit], `${point} ${nth}: ${stderr}`).toEqual([
        null,
        expect.toBeOneOf([0, EXIT.usage, EXIT.rejects, EXIT.paused]),
      ])
      if (exit === EXIT.paused)
        expect(unfolded(stderr)).toMatch(/disk is (full|read-only)[\s\S]*then: posthaul/)
    }
  },
)
