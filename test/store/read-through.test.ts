import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFileThrough } from '../../src/store/read-through.ts'
import { testFolder } from '../helpers/folder.ts'

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
