import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOwn } from '../../src/store/own-file.ts'
import { testFolder } from '../helpers/folder.ts'

test.each(['update', 'append'] as const)(
  '%s: a link in the place of the file is refused, and its target kept',
  async (use) => {
    const folder = testFolder()
    const [target, path] = [join(folder, 'precious'), join(folder, 'events.rejects.ndjson')]
    writeFileSync(target, 'precious')
    symlinkSync(target, path)
    await expect(openOwn(path, use)).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('symbolic link'),
    })
    expect(readFileSync(target, 'utf8')).toBe('precious')
  },
)

test('a link to nothing makes no file elsewhere', async () => {
  const folder = testFolder()
  const path = join(folder, 'pace.ndjson')
  symlinkSync(join(folder, 'elsewhere'), path)
  await expect(openOwn(path, 'append')).rejects.toMatchObject({ code: 'input' })
})

test('a file is made where there is none, and keeps what it has', async () => {
  const path = join(testFolder(), 'rejects.ndjson')
  for (const line of ['a\n', 'b\n']) {
    const file = await openOwn(path, 'append')
    await file.writeFile(line)
    await file.close()
  }
  await (await openOwn(path, 'update')).close()
  expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
})
