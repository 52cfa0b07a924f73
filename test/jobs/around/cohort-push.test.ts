import { expect, test } from 'vitest'
import { AroundFolder } from '../../../src/around/index.ts'
import { fillCohort, memberSum } from '../../../src/jobs/around/cohort-push.ts'
import type { PushTools } from '../../../src/jobs/around/push-tools.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { testFolder } from '../../helpers/folder.ts'

test('a large cohort goes in pieces, and all of it', async () => {
  const folder = new AroundFolder(testFolder())
  const ids = Array.from({ length: 20_005 }, (_, n) => `user ${n}`)
  const file = 'cohorts/all.csv'
  await folder.writeMembers(
    file,
    (async function* () {
      yield ids
    })(),
  )
  const pieces: string[][] = []
  let looks = 0
  const project = {
    fill: async (_: unknown, id: string, piece: string[]) => void pieces.push([id, ...piece]),
    // Each piece is being read when it is looked for first.
    cohort: async () => ({ count: null, unmatched: 2, isCalculating: looks++ % 2 === 0, errors: 0 }),
    api: { pause: async () => undefined },
  } as unknown as PushTools['project']
  const signal = new AbortController().signal
  const retry = { retryForMs: 0, clock: new FakeClock(0), signal, random: () => 0 }
  const cohort = { id: '1', name: 'All', file, members: ids.length }
  const memberId = (member: string) => `my ${member}`
  const filled = await fillCohort(cohort, '7', { folder, project, retry, memberId })
  expect(pieces.map((piece) => piece.length - 1)).toEqual([10_000, 10_000, 5])
  expect(pieces.flatMap(([id, ...piece]) => (id === '7' ? piece : []))).toEqual(ids.map(memberId))
  expect(filled).toEqual({ sent: 20_005, unmatched: 6, sum: await memberSum(folder, file) })
})
