import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFileThrough, readWhole } from '../../src/store/read-file.ts'
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
    await expect(readWhole(path)).rejects.toThrow(/is not an ordinary file/)
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
  await expect(readWhole(pipeIn(testFolder()), { pipe: true })).rejects.toThrow(/nothing writes to it/)
})

const CHUNK = 512 * 1024

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])('reads a file of %i bytes', async (size) => {
  const path = join(testFolder(), 'file')
  const bytes = randomBytes(size)
  writeFileSync(path, bytes)
  const copies: Buffer[] = []
  for await (const chunk of readFileThrough(path, 0, Number.POSITIVE_INFINITY))
    copies.push(Buffer.from(chunk))
  expect(Buffer.concat(copies).equals(bytes)).toBe(true)
})

test('a reader that leaves early leaves nothing open', async () => {
  const path = join(testFolder(), 'file')
  writeFileSync(path, randomBytes(3 * CHUNK))
  const chunks = readFileThrough(path, 5, 3 * CHUNK)
  expect((await chunks.next()).value).toHaveLength(CHUNK)
  expect(await chunks.return(undefined)).toMatchObject({ done: true })
})

test('what fails between two chunks is an error of that file', async () => {
  // A folder opens like a file, and fails at the first read.
  await expect(readFileThrough(testFolder(), 0, 10).next()).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('it is a folder'),
  })
})

test('two readers at the same time do not share their chunks, and readers in turn use the same ones', async () => {
  const folder = testFolder()
  const files = [...'ab'].map((name) => {
    const path = join(folder, name)
    writeFileSync(path, name.repeat(2 * CHUNK))
    return path
  })
  const read = async function* (path: string) {
    for await (const chunk of readFileThrough(path, 0, 2 * CHUNK)) yield chunk
  }
  const memory = new Set<ArrayBufferLike>()
  for (let round = 0; round < 3; round++) {
    const [a, b] = files.map(read)
    for (let i = 0; i < 2; i++) {
      const [first, second] = [(await a!.next()).value!, (await b!.next()).value!]
      expect([first.indexOf('b'), second.indexOf('a')]).toEqual([-1, -1])
      memory.add(first.buffer).add(second.buffer)
    }
    await Promise.all([a!.next(), b!.next()])
  }
  expect(memory.size).toBe(4)
})
