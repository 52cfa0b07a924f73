import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/store/make-folder.ts'
import { testFolder } from '../helpers/folder.ts'

test('makes a folder and those above it, also when others make them at the same time', async () => {
  const path = join(testFolder(), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)))
  await makeFolder(path)
  expect(statSync(path).isDirectory()).toBe(true)
})

test('says what is in the way', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('nowhere', join(folder, 'dangling'))
  for (const [name, message] of [
    ['file', /a file of that name is in the way/],
    ['file/below', /a part of the path is a file/],
    ['dangling', /a file of that name is in the way/],
  ] as const) {
    await expect(makeFolder(join(folder, name))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(message),
    })
  }
})

test.runIf(process.platform === 'linux')('ends below /proc, where nothing can be made', async () => {
  await expect(makeFolder('/proc/x/y')).rejects.toMatchObject({
    code: 'input',
    hint: 'name a folder on a disk',
  })
})
