import { expect, test } from 'vitest'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { disturb, pointsOf } from './kit/disturb.ts'
import { importWork, worksOf } from './kit/works.ts'

const seed = seedOf('crash points')

const WORKS = [
  ...Object.entries(worksOf(seed)).map(([name, begin]) => ({ name, begin, most: 5 })),
  { name: 'import by Capture V1', begin: importWork(seed, '--via', 'v1'), most: 3 },
]

test.each(WORKS)(
  '$name: killed before and after each read, write, sync, rename, request and answer, it goes on and loses nothing',
  async ({ begin, most }) => {
    const points = await pointsOf(begin)
    const all = points.flatMap((point) => [
      { ...point, when: 'before' } as const,
      { ...point, when: 'after' } as const,
    ])
    const wanted = kills({ few: 2, many: most })
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
