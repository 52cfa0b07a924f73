import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'

/** Three files of 1,000 events, the last of which has one that can't be read and is about other things. */
function threeFiles(): string {
  const folder = join(testFolder(), 'raw')
  mkdirSync(folder)
  for (const file of [1, 2, 3]) {
    const lines = Array.from({ length: 1000 }, (_, n) =>
      JSON.stringify({
        event: file === 3 && n === 999 ? null : `E${file}`,
        distinct_id: `u${n}`,
        timestamp: '2024-03-01T12:00:00Z',
        properties: { [`only_${file}`]: n },
      }),
    )
    writeFileSync(join(folder, `${file}.ndjson`), `${lines.join('\n')}\n`)
  }
  return folder
}

test('a sample is spread over all files, and the result is of the sample alone', async () => {
  const folder = threeFiles()
  const argv = ['transform', '--preset', 'posthog', '--in', folder, '--dry-run', '--json']
  const { code, stdout, stderr } = await runHosted([...argv, '--sample', '60'])
  expect([0, 3], stderr).toContain(code)
  const { counts, sample, members, filtered, finished } = JSON.parse(stdout)
  expect(finished).toBe(false)
  expect(sample).toMatchObject({ whole: false, files: 3, files_read: 3 })
  expect(sample.records).toBeGreaterThanOrEqual(55)
  expect(sample.records).toBeLessThanOrEqual(65)
  expect(counts.read).toBe(sample.records)
  expect(counts.read).toBe(counts.pending + counts.rejected + counts.filtered)
  for (const file of [1, 2, 3]) expect(members[`properties.only_${file}`].kept).toBeGreaterThan(5)
  expect(filtered).toEqual({})
  const map = join(testFolder(), 'm.yaml')
  writeFileSync(map, 'preset: posthog\nfilter: { where: { event: E2 } }\n')
  const left = await runHosted([...argv, '--sample', '60', '--map', map])
  const others = JSON.parse(left.stdout)
  expect(others.counts.pending).toBeGreaterThan(5)
  expect(others.counts.filtered).toBe(Object.values<number>(others.filtered).reduce((a, b) => a + b, 0))
  expect(others.counts.filtered).toBeGreaterThan(20)
})

test('a sample of records that no reader understands is counted by reason, and the error names a sample', async () => {
  const file = join(testFolder(), 'broken.ndjson')
  writeFileSync(file, `${Array.from({ length: 500 }, (_, n) => (n % 2 ? '{"event":' : '{}')).join('\n')}\n`)
  const argv = ['transform', '--preset', 'posthog', '--in', file, '--dry-run', '--sample', '10']
  const { code, stderr } = await runHosted(argv)
  expect([code, stderr]).toEqual([2, expect.stringMatching(/10 of 10 sampled records \(100%\)/)])
  expect(stderr).not.toContain('of the first 10 records (')
})

test('a dataset is not made of a sample', async () => {
  const argv = ['transform', '--preset', 'posthog', '--in', 'x', '--out', 'y', '--sample', '10']
  const { code, stderr } = await runHosted(argv)
  expect(code).toBe(2)
  expect(stderr).toContain('--sample is for a dry run')
})
