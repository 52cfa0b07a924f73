import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWhole } from '../../src/store/read-whole.ts'
import { testFolder } from '../helpers/folder.ts'

function pipeIn(folder: string): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

test('reads a file of many blocks, and no more bytes than it may', async () => {
  const path = join(testFolder(), 'file')
  const bytes = Buffer.alloc(300_000, 'abc')
  writeFileSync(path, bytes)
  expect((await readWhole(path)).equals(bytes)).toBe(true)
  await expect(readWhole(path, { mostBytes: 1000 })).rejects.toThrow(/is larger than/)
})

test('a folder, a device and a pipe are no ordinary files', async () => {
  const folder = testFolder()
  mkdirSync(join(folder, 'sub'))
  await expect(readWhole(join(folder, 'sub'))).rejects.toMatchObject({ code: 'EISDIR' })
  for (const path of ['/dev/zero', pipeIn(folder)]) {
    await expect(readWhole(path)).rejects.toThrow(/is no ordinary file/)
  }
})

test('a device without an end is too large', async () => {
  await expect(readWhole('/dev/zero', { pipe: true, mostBytes: 1e6 })).rejects.toThrow(/is larger than/)
})

test('a pipe is read to its end, also from a slow writer', async () => {
  const path = pipeIn(testFolder())
  const writer = spawn('sh', ['-c', 'exec > "$0"; echo one; sleep 0.1; echo two', path])
  const text = (await readWhole(path, { pipe: true })).toString()
  expect(text).toBe('one\ntwo\n')
  writer.kill()
})

test('a pipe that nobody writes to is given up', async () => {
  await expect(readWhole(pipeIn(testFolder()), { pipe: true })).rejects.toThrow(/nobody writes to it/)
})
