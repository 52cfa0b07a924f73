import { mkdirSync } from 'node:fs'
import { generateShare } from '../../../src/transform/generate.ts'
import { LineFile } from '../../../src/transform/line-file.ts'
import { seenLine } from '../../../src/transform/observation-file.ts'
import type { Bench } from '../bench.ts'
import { type Figure, figure } from '../measure.ts'

/** So many shares that one has next to nothing: what is left is the reading. */
const SHARES = 2 ** 20
const OPTIONS = {
  vendor: 'Mixpanel',
  version: '0',
  groupEventName: '$groupidentify',
  importId: null,
  set: {},
}

/** Microseconds of processor time that a share takes for each observation of its bucket: every share reads all of them. */
export async function shareCost(bench: Bench, observations: number, rounds: number): Promise<Figure> {
  const folder = bench.path('shares')
  mkdirSync(folder)
  const file = new LineFile(folder, 'bucket.seen')
  for (let n = 0; n < observations; n++) {
    const [anonymous, user] = [`device-${n}-0123456789abcdef`, `user-${n % 9973}@example.com`]
    file.write(seenLine({ kind: 'link', anonymous, user, instant: 1.6e15 + n, seq: n }))
  }
  file.close()
  const samples: number[] = []
  for (let round = -1; round < rounds; round++) {
    const before = process.cpuUsage()
    generateShare([file.written], 0, SHARES, folder, OPTIONS)
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) samples.push((user + system) / observations)
  }
  await bench.remove('shares')
  return figure(samples)
}
