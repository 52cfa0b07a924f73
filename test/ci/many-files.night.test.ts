import { join } from 'node:path'
import { expect, test } from 'vitest'
import { different, plain, writeOdd, writeTinyFiles } from '../bench/generate/odd-histories.ts'
import { testFolder } from '../helpers/folder.ts'
import { peakOf } from '../helpers/peak.ts'

const MB_IN_MIB = 1e6 / 2 ** 20

function transformOf(input: string, out: string): string[] {
  return ['transform', '--preset', 'mixpanel', '--in', input, '--out', out]
}

test.each<[string, string, (raw: string) => void | Promise<void>, number]>([
  // While each file that waited had a promise, and each thread all of the list, this took 643 MB.
  ['the number of files: 60,000 of one record', 'raw', (raw) => writeTinyFiles(raw, 60_000), 250],
  // While each file had its whole path, they took 327 MB.
  [
    'the length of their paths: 200,000 of one record',
    `${'a-folder-with-a-long-name'.repeat(5)}/raw`,
    (raw) => writeTinyFiles(raw, 200_000),
    300,
  ],
  // While each day's piece of each run was an object, 1,600,000 such records took 594 MB.
  [
    'what differs: names, properties, people and days of 400,000 records',
    'raw.ndjson',
    (raw) => writeOdd(raw, different, 400_000, 3000),
    350,
  ],
])('memory does not grow with %s', async (what, name, write, most) => {
  const folder = testFolder()
  const raw = join(folder, name)
  await write(raw)
  const peak = await peakOf(transformOf(raw, join(folder, 'events')), [0])
  console.log(`transform: ${peak.toFixed(0)} MiB with ${what}`)
  expect(peak).toBeLessThan(most * MB_IN_MIB)
})

test('memory does not grow with the number of days: 3,000 in place of 30', async () => {
  const folder = testFolder()
  const peaks: number[] = []
  for (const days of [30, 3000]) {
    const raw = join(folder, `${days}.ndjson`)
    await writeOdd(raw, plain, 1_000_000, days)
    peaks.push(await peakOf(transformOf(raw, join(folder, `events-${days}`)), [0]))
  }
  const [few, many] = peaks as [number, number]
  console.log(`transform: ${few.toFixed(0)} MiB for 30 days, ${many.toFixed(0)} for 3,000`)
  expect(many).toBeLessThan(1.15 * few)
})
