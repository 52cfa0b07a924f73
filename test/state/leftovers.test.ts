import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileCell } from '../../src/state/cell.ts'
import { acquireLease } from '../../src/state/lease.ts'
import { holderHere } from '../../src/store/holder.ts'
import { LocalStore } from '../../src/store/local.ts'
import { testFolder } from '../helpers/folder.ts'

const NOBODY = 2 ** 22 + 1

/** Takes and gives back a lease beside these files, and returns those that are left. */
async function leftOf(files: Readonly<Record<string, { text: string; ageMs?: number }>>): Promise<string[]> {
  const folder = testFolder()
  for (const [name, { text, ageMs = 0 }] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    const at = (Date.now() - ageMs) / 1000
    utimesSync(join(folder, name), at, at)
  }
  await (await acquireLease({ cell: fileCell(join(folder, 'x.lock')) })).release()
  return readdirSync(folder).sort()
}

test('what a killed run left beside a lock goes with the next run that takes it', async () => {
  const dead = { ...(await holderHere()), pid: NOBODY }
  const text = JSON.stringify(dead)
  expect(
    await leftOf({
      '.x.lock.0123abcd.tmp': { text: JSON.stringify({ version: 2, holders: [dead] }) },
      '..x.lock.lock.0123abcd.tmp': { text },
      '..x.lock.lock.takeover.0123abcd.tmp': { text },
      '.x.lock.00000000.tmp': { text: '', ageMs: 3_600_000 },
    }),
  ).toEqual([])
})

test('what may be of a run that lives stays, and so does what is of others', async () => {
  const live = JSON.stringify(await holderHere())
  const files = {
    '.x.lock.0123abcd.tmp': { text: live, ageMs: 3_600_000 },
    '.x.lock.00000000.tmp': { text: '' },
    '.y.lock.0123abcd.tmp': { text: '', ageMs: 3_600_000 },
    '.x.lock.mine.tmp': { text: '', ageMs: 3_600_000 },
  }
  expect(await leftOf(files)).toEqual(Object.keys(files).sort())
})

test('the sweep of a dataset leaves those of its locks alone', async () => {
  const folder = testFolder()
  for (const name of ['.part.0123abcd.tmp', '..export.lock.0123abcd.tmp'])
    writeFileSync(join(folder, name), '')
  await new LocalStore(folder).sweep()
  expect(existsSync(join(folder, '..export.lock.0123abcd.tmp'))).toBe(true)
  expect(existsSync(join(folder, '.part.0123abcd.tmp'))).toBe(false)
})
