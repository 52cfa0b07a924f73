import { writeFileSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LocalStore } from '../../src/store/local.ts'
import { openStore } from '../../src/store/open.ts'
import { testFolder } from '../helpers/folder.ts'
import { storeConformance } from './conformance.ts'

storeConformance('local', async () => new LocalStore(join(testFolder(), 'events')))

test('sweeps what a killed put left, and nothing else', async () => {
  const folder = testFolder()
  await mkdir(join(folder, 'deep'))
  const names = ['.a.ndjson.0123abcd.tmp', 'deep/.b.ndjson.89abcdef.tmp', '.mine.tmp', '.a.lock', 'a.ndjson']
  for (const name of names) await writeFile(join(folder, name), 'x')
  const store = new LocalStore(folder)
  expect(await store.list()).toEqual([{ name: 'a.ndjson', bytes: 1 }])
  await store.sweep()
  expect((await readdir(folder, { recursive: true })).sort()).toEqual([
    '.a.lock',
    '.mine.tmp',
    'a.ndjson',
    'deep',
  ])
})

test('a put leaves no temporary file behind', async () => {
  const folder = testFolder()
  const store = new LocalStore(folder)
  await store.put('a.json', Buffer.from('1'))
  await store.put('a.json', Buffer.from('2'), { version: (await store.load('a.json'))!.version })
  await store.put('b.json', Buffer.from('3'), 'absent')
  await store.put('b.json', Buffer.from('4'), 'absent').catch(() => undefined)
  expect((await readdir(folder)).sort()).toEqual(['a.json', 'b.json'])
})

test('follows links to files and folders, and leaves a circle', async () => {
  const folder = testFolder()
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real', 'a.ndjson'), 'a')
  await symlink('real', join(folder, 'linked'))
  await symlink('..', join(folder, 'real', 'circle'))
  const names = (await new LocalStore(folder).list()).map((file) => file.name)
  expect(names).toEqual(['linked/a.ndjson', 'real/a.ndjson'])
})

test('a link that leads nowhere is an error: the files after it are not left out', async () => {
  const folder = testFolder()
  for (const name of ['a', 'z']) await writeFile(join(folder, name), 'x')
  const store = new LocalStore(folder)
  await symlink('gone', join(folder, 'b'))
  await expect(store.list()).rejects.toMatchObject({
    code: 'input',
    message: `cannot list ${join(folder, 'b')}: there is no such file or folder`,
  })
})

test('says what is wrong with a folder that is a file', async () => {
  const folder = testFolder()
  await writeFile(join(folder, 'file'), 'x')
  const store = new LocalStore(join(folder, 'file'))
  await expect(store.list()).rejects.toMatchObject({ code: 'input', hint: expect.any(String) })
  await expect(store.put('a', Buffer.from('x'))).rejects.toMatchObject({ code: 'input' })
})

test('opens folders, and refuses addresses it cannot serve', async () => {
  expect((await openStore('./events')).location).toBe('./events')
  await expect(openStore('gs://bucket/events')).rejects.toMatchObject({ code: 'usage' })
})

test.skipIf(process.platform === 'win32')(
  'names of any letters are listed and read; one that is not UTF-8 is named, not lost',
  async () => {
    const folder = testFolder()
    const names = [
      ...['a\\b', 'new\nline', `q"uo'te`, 'per%41cent', 'st*ar', 'br[a]ck', '-dash', ' sp ace', '{x,y}'],
      '\ufffd',
    ]
    for (const name of names) writeFileSync(join(folder, name), name)
    const store = new LocalStore(folder)
    expect((await store.list()).map(({ name }) => name)).toEqual([...names].sort())
    for (const name of names) expect(String((await store.load(name))?.bytes)).toBe(name)
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff])]), '{}')
    await expect(store.list()).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('not UTF-8'),
    })
  },
)
