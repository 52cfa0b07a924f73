import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gatherSeen } from '../../src/transform/gather.ts'
import { generateShare } from '../../src/transform/generate.ts'
import { seenLine } from '../../src/transform/observations.ts'
import { LineFile } from '../../src/transform/work-file.ts'
import { testFolder } from '../helpers/folder.ts'
import { mergedLines } from '../helpers/merged-lines.ts'
import { GENERATE } from './seen-file.ts'

test('however observations are divided into shares, events and links are the same, in one order', () => {
  const folder = testFolder()
  const file = new LineFile(folder, 'unit.seen')
  for (let n = 0; n < 60; n++) {
    file.write(seenLine({ kind: 'link', anonymous: `visitor ${n}`, user: `user ${n}`, instant: n, seq: n }))
    // Both groups of one record: nothing but their lines tells their events apart.
    for (const type of ['company', 'team']) {
      const state = { type, key: `key ${n}`, json: `{"seats":${n}}` }
      file.write(seenLine({ kind: 'group', ...state, instant: n, seq: n }))
    }
  }
  file.close()
  const divided = (shares: number) => {
    const into = testFolder()
    copyFileSync(join(folder, 'unit.seen'), join(into, 'unit.seen'))
    const gathered = gatherSeen(into, 'all', [file.written], shares)
    const made = Array.from({ length: shares }, (_, share) =>
      generateShare({ gathered, share, shares }, into, GENERATE),
    )
    const merged = mergedLines(
      into,
      made.flatMap(({ segments }) => segments),
    )
    const events = merged.map(({ line }) => line)
    const links = made.map(({ linksFile }) => readFileSync(join(into, linksFile.file), 'utf8')).join('')
    return { events, links }
  }
  const whole = divided(1)
  expect(whole.events).toHaveLength(180)
  for (const shares of [2, 7, 64]) expect(divided(shares)).toEqual(whole)
})
