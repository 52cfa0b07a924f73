import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MissingFile } from '../../src/checks/missing-file.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'

const [A, B] = [eventLine(makeEvent(0)), eventLine(makeEvent(1))]

async function write(path: string, ...lines: readonly string[]): Promise<string | undefined> {
  const file = new MissingFile(path)
  try {
    for (const line of lines) file.missing(Buffer.from(line))
    await file.flush(1)
    return await file.finish()
  } finally {
    await file.close()
  }
}

test('without a missing event there is no file', async () => {
  const folder = testFolder()
  expect(await write(join(folder, 'events.missing.ndjson'))).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})

test('a file that is there stays as it is: the next has a number', async () => {
  const folder = testFolder()
  const path = join(folder, 'events.missing.ndjson')
  writeFileSync(path, 'older')
  expect(await write(path, A, B)).toBe(join(folder, 'events.missing-2.ndjson'))
  expect(await write(path, B)).toBe(join(folder, 'events.missing-3.ndjson'))
  expect(readFileSync(path, 'utf8')).toBe('older')
  expect(readFileSync(join(folder, 'events.missing-2.ndjson'), 'utf8')).toBe(`${A}\n${B}\n`)
  expect(readdirSync(folder)).toHaveLength(3)
})

test('a run that fails leaves nothing behind', async () => {
  const folder = testFolder()
  const path = join(folder, 'events.missing.ndjson')
  const file = new MissingFile(path)
  file.missing(Buffer.from(A))
  await file.flush(1)
  await file.close()
  expect([existsSync(path), readdirSync(folder)]).toEqual([false, []])
})
