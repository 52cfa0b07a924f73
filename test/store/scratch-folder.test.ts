import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { scratchFolder } from '../../src/store/ownership.ts'
import { testFolder } from '../helpers/folder.ts'

test('the folder is private; that of a killed run goes, that of a living one and of strangers stays', async () => {
  vi.stubEnv('TMPDIR', testFolder())
  const living = await scratchFolder('posthaul-test-')
  expect(statSync(living).mode & 0o777).toBe(0o700)
  const killed = await scratchFolder('posthaul-test-')
  const holder = JSON.parse(readFileSync(join(killed, 'holder.json'), 'utf8'))
  writeFileSync(join(killed, 'holder.json'), JSON.stringify({ ...holder, pid: 2 ** 22 + 1 }))
  const strange = join(process.env.TMPDIR!, 'posthaul-test-mine')
  mkdirSync(strange)
  const next = await scratchFolder('posthaul-test-')
  expect([living, killed, strange, next].map(existsSync)).toEqual([true, false, true, true])
  vi.unstubAllEnvs()
})
