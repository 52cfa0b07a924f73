import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isTemporaryName,
  replaceFile,
  temporaryBeside,
  writeFileAtomic,
} from '../../src/store/atomic-file.ts'

const fresh = () => mkdtemp(join(tmpdir(), 'posthaul-atomic-'))

test('makes a file, and replaces it', async () => {
  const folder = await fresh()
  const path = join(folder, 'state.json')
  await writeFileAtomic(path, 'one')
  await writeFileAtomic(path, Buffer.from('two'))
  expect(await readFile(path, 'utf8')).toBe('two')
  expect(await readdir(folder)).toEqual(['state.json'])
})

test('until the last byte is written the old file stays, and a failure leaves only it', async () => {
  const folder = await fresh()
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
  const folder = await fresh()
  await mkdir(join(folder, 'taken', 'x'), { recursive: true })
  await expect(writeFileAtomic(join(folder, 'taken'), 'x')).rejects.toMatchObject({ code: 'input' })
  await expect(writeFileAtomic(join(folder, 'no', 'file'), 'x')).rejects.toMatchObject({ code: 'input' })
  expect(await readdir(folder)).toEqual(['taken'])
})

test('knows its own temporary names from the files of others', () => {
  expect(isTemporaryName(temporaryBeside('x').slice(0))).toBe(true)
  for (const name of ['a.tmp', '.tmp', '.bashrc', '.a.tmp', 'a.0123abcd.tmp', '.events.lock']) {
    expect(isTemporaryName(name)).toBe(false)
  }
})
