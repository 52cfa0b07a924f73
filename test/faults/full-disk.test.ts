import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'
import { runCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { suffering } from './kit/plan.ts'

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
