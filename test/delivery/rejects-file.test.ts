import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RejectsFile } from '../../src/delivery/rejects-file.ts'
import { testFolder } from '../helpers/folder.ts'

async function filled(...lines: string[]) {
  const path = join(testFolder(), 'x.rejects.ndjson')
  const rejects = await RejectsFile.begin(path)
  await rejects.append(lines)
  await rejects.close()
  return { path, digest: rejects.digest }
}

test('there is no file before there is a reject', async () => {
  const { path } = await filled()
  expect(existsSync(path)).toBe(false)
})

test('lines are appended over runs', async () => {
  const { path, digest } = await filled('a\n', 'b\n')
  const again = await RejectsFile.resume(path, digest)
  await again.append(['c\n'])
  await again.close()
  expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n')
  expect(again.digest.bytes).toBe(6)
})

test('what a dead run wrote beyond the acknowledged length is cut off, half a line too', async () => {
  const { path, digest } = await filled('a\n')
  appendFileSync(path, 'b\nhalf a li')
  const again = await RejectsFile.resume(path, digest)
  expect(readFileSync(path, 'utf8')).toBe('a\n')
  await again.append(['b\n', 'c\n'])
  await again.close()
  expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n')
})

test('rejects that no save knows are put aside: they could be ones that a user mended and put back', async () => {
  const { path, digest } = await filled()
  writeFileSync(path, 'a\n')
  await (await RejectsFile.resume(path, digest)).close()
  expect(existsSync(path)).toBe(false)
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('a\n')
})

test.each([
  ['mended in place', 'A\nb\n'],
  ['mended and longer', 'A\nb\nc\n'],
  ['shortened', 'a\n'],
  ['emptied', ''],
])('a file that was %s is left alone', async (_, text) => {
  const { path, digest } = await filled('a\n', 'b\n')
  writeFileSync(path, text)
  await expect(RejectsFile.resume(path, digest)).rejects.toMatchObject({ code: 'mismatch' })
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a file that was moved away, to be mended, is followed by a new one', async () => {
  const { path, digest } = await filled('a\n')
  renameSync(path, `${path}.mended`)
  const again = await RejectsFile.resume(path, digest)
  await again.append(['b\n'])
  await again.close()
  expect(readFileSync(path, 'utf8')).toBe('b\n')
})

test('a new import never writes into a file that is not its own', async () => {
  const { path } = await filled('a\n')
  await expect(RejectsFile.begin(path)).rejects.toMatchObject({ code: 'mismatch' })
  await RejectsFile.setAside(path)
  await (await RejectsFile.begin(path)).close()
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('a\n')
})
