import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isTemporaryName,
  makeFolder,
  openOwn,
  replaceFile,
  temporaryBeside,
} from '../../src/store/own-file.ts'
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

test('until the last byte is written the old file stays, and a failure leaves only it', async () => {
  const folder = testFolder()
  const path = join(folder, 'state.json')
  await writeFile(path, 'old')
  const interrupted = replaceFile(path, async (file) => {
    await file.writeFile('half of the new')
    expect(await readFile(path, 'utf8')).toBe('old')
    const names = await readdir(folder)
    expect(names.filter(isTemporaryName)).toHaveLength(1)
    throw new Error('power cut')
  })
  await expect(interrupted).rejects.toThrow('power cut')
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['state.json'])
})

test('a folder in the place of the file is an error in words, and leaves no temporary file', async () => {
  const folder = testFolder()
  await mkdir(join(folder, 'taken', 'x'), { recursive: true })
  for (const path of [join(folder, 'taken'), join(folder, 'no', 'file')])
    await expect(replaceFile(path, (file) => file.writeFile('x'))).rejects.toMatchObject({ code: 'input' })
  expect(await readdir(folder)).toEqual(['taken'])
})

test('knows its own temporary names from the files of others', () => {
  expect(isTemporaryName(temporaryBeside('x').slice(0))).toBe(true)
  for (const name of ['a.tmp', '.tmp', '.bashrc', '.a.tmp', 'a.0123abcd.tmp', '.events.lock']) {
    expect(isTemporaryName(name)).toBe(false)
  }
})

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
