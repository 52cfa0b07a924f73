import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REJECTS_LOG } from '../../src/delivery/import-state.ts'
import { FileLog } from '../../src/state/log-file.ts'
import { testFolder } from '../helpers/folder.ts'

async function filled(...lines: string[]) {
  const path = join(testFolder(), 'x.rejects.ndjson')
  const rejects = await new FileLog(path, REJECTS_LOG).begin()
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
  const again = await new FileLog(path, REJECTS_LOG).resume(digest)
  await again.append(['c\n'])
  await again.close()
  expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n')
  expect(again.digest.bytes).toBe(6)
})

test('rejects that no save knows are put aside: they could be ones that a user mended and put back', async () => {
  const { path, digest } = await filled()
  writeFileSync(path, 'a\n')
  await (await new FileLog(path, REJECTS_LOG).resume(digest)).close()
  expect(existsSync(path)).toBe(false)
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('a\n')
})

test('a file that was moved away, to be mended, is followed by a new one', async () => {
  const { path, digest } = await filled('a\n')
  renameSync(path, `${path}.mended`)
  const again = await new FileLog(path, REJECTS_LOG).resume(digest)
  await again.append(['b\n'])
  await again.close()
  expect(readFileSync(path, 'utf8')).toBe('b\n')
})

test('a new import never writes into a file that is not its own', async () => {
  const { path } = await filled('a\n')
  await expect(new FileLog(path, REJECTS_LOG).begin()).rejects.toMatchObject({ code: 'mismatch' })
  await new FileLog(path, REJECTS_LOG).setAside()
  await (await new FileLog(path, REJECTS_LOG).begin()).close()
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('a\n')
})

test('a file that is moved away while the import runs is followed by a new one, without a hole', async () => {
  const path = join(testFolder(), 'rejects.ndjson')
  const first = await new FileLog(path, REJECTS_LOG).begin()
  await first.append(['one\n'])
  renameSync(path, `${path}.1`)
  await first.append(['two\n'])
  expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['one\n', 'two\n'])
  await first.close()
  // A run that has written nothing so far.
  const second = await new FileLog(path, REJECTS_LOG).resume(first.digest)
  renameSync(path, `${path}.2`)
  await second.append(['three\n'])
  expect(readFileSync(path, 'utf8')).toBe('three\n')
  await second.close()
  await (await new FileLog(path, REJECTS_LOG).resume(second.digest)).close()
})

test('a file that is changed while the import runs is refused, and stays as it is', async () => {
  const path = join(testFolder(), 'rejects.ndjson')
  const rejects = await new FileLog(path, REJECTS_LOG).begin()
  await rejects.append(['one\n'])
  for (const change of [() => writeFileSync(path, ''), () => writeFileSync(path, 'mended\n')]) {
    change()
    const now = readFileSync(path, 'utf8')
    await expect(rejects.append(['two\n'])).rejects.toMatchObject({ code: 'mismatch' })
    expect(readFileSync(path, 'utf8')).toBe(now)
  }
  renameSync(path, `${path}.moved`)
  writeFileSync(path, 'one\n')
  await expect(rejects.append(['two\n'])).rejects.toMatchObject({ code: 'mismatch' })
  await rejects.close()
})

test('a folder in the place of the lines is said, with what to do', async () => {
  const { path, digest } = await filled('a\n')
  rmSync(path)
  mkdirSync(path)
  const log = new FileLog(path, REJECTS_LOG)
  await expect(log.resume(digest)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('it is a folder'),
  })
  await expect(log.begin()).rejects.toMatchObject({
    code: 'mismatch',
    hint: expect.stringContaining('move it'),
  })
})
