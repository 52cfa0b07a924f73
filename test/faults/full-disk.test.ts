import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { runCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { disturb, pointsOf } from './kit/disturb.ts'
import { suffering } from './kit/plan.ts'
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

test('a temporary folder that is full says nothing of a mapping that is tested, and is said', async () => {
  const folder = testFolder()
  const map = join(folder, 'mapping.yaml')
  const record = "{ event: a, distinct_id: u, timestamp: '2024-03-01T10:00:00Z' }"
  writeFileSync(
    map,
    `preset: events\ntests: [{ name: a name, record: ${record}, includes: [{ event: a }] }]\n`,
  )
  // The first write says whose the folder is, the second is the record.
  for (const from of [1, 2]) {
    const plan = { match: 'posthaul-test-', fail: { points: ['write'], from, code: 'ENOSPC' } } as const
    const { code, stderr } = await runCli(['test', map], { ...suffering(plan), TMPDIR: folder })
    expect([code, unfolded(stderr)]).toEqual([EXIT.paused, expect.stringContaining('the disk is full')])
  }
  expect((await runCli(['test', map])).code).toBe(0)
})
