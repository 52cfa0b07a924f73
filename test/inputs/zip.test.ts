import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ARCHIVE_CAPS, ArchiveBudget, type ArchiveCaps } from '../../src/inputs/archive.ts'
import { fileSource, readMember, zipMembers } from '../../src/inputs/zip.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { makeZip, type ZipInput } from '../helpers/zip.ts'

async function unpack(bytes: Buffer, caps: Partial<ArchiveCaps> = {}): Promise<Record<string, string>> {
  const path = join(testFolder(), 'a.zip')
  await writeFile(path, bytes)
  const source = await fileSource(path)
  const all = { ...ARCHIVE_CAPS, ...caps }
  const budget = new ArchiveBudget(source, all)
  const found: Record<string, string> = {}
  for (const member of await zipMembers(source, all)) {
    const chunks: Buffer[] = []
    for await (const chunk of budget.counted(readMember(source, member))) chunks.push(chunk)
    found[member.name] = Buffer.concat(chunks).toString('latin1')
  }
  return found
}

const text = (n: number) => Array.from({ length: n }, (_, i) => `{"line":${i}}\n`).join('')
const file = (name: string, content: string, more: Partial<ZipInput> = {}): ZipInput => {
  return { name, data: Buffer.from(content), ...more }
}

test('members come in the order of the directory, whatever they are called', async () => {
  const zip = makeZip([
    file('a/b.json', text(5000)),
    file('../../etc/passwd', 'x'),
    file('/abs', 'y', { stored: true }),
    file('folder/', ''),
    file('empty', '', { stored: true }),
    file('C:\\odd', 'z'),
  ])
  const found = await unpack(zip)
  expect(Object.keys(found)).toEqual(['a/b.json', '../../etc/passwd', '/abs', 'empty', 'C:\\odd'])
  expect(found['a/b.json']).toBe(text(5000))
  expect(found.empty).toBe('')
})

test('an archive that is cut short anywhere, or changed, is damaged', async () => {
  const zip = makeZip([file('a', text(3000)), file('b', text(10), { stored: true })])
  const seed = seedOf('zip', 11)
  const random = seeded(seed)
  for (let i = 0; i < 40; i++) {
    const cut = zip.subarray(0, Math.floor(random() * zip.length))
    await expect(unpack(cut)).rejects.toMatchObject({ kind: 'damaged', code: 'input' })
  }
  await expect(unpack(Buffer.from('<html>Sign in</html>'))).rejects.toMatchObject({ kind: 'damaged' })
  await expect(unpack(makeZip([file('a', text(10), { badCrc: true })]))).rejects.toMatchObject({
    kind: 'damaged',
  })
})

test('bombs are refused by what comes out of them', async () => {
  const bomb = makeZip([{ name: 'bomb', data: Buffer.alloc(80 * 1024 * 1024) }])
  expect(bomb.length).toBeLessThan(200_000)
  await expect(unpack(bomb)).rejects.toMatchObject({ kind: 'too-large' })
  await expect(unpack(makeZip([file('a', text(100))]), { bytes: 500 })).rejects.toMatchObject({
    kind: 'too-large',
  })
  const many = makeZip([file('a', ''), file('b', ''), file('c', '')])
  await expect(unpack(many, { members: 2 })).rejects.toMatchObject({ kind: 'too-large' })
})

test('an archive whose directory has more entries than its count is refused, not read in part', async () => {
  const zip = makeZip([file('a', text(3)), file('b', text(3))])
  const count = zip.length - 22 + 8
  for (const says of [0, 1]) {
    zip.writeUInt16LE(says, count)
    zip.writeUInt16LE(says, count + 2)
    await expect(unpack(zip)).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining('more entries than it says'),
    })
  }
})

test('an archive that points beyond its end is damaged, not shortened by someone', async () => {
  const zip = makeZip([file('a', text(3))])
  zip.writeUInt32LE(1_000_000, zip.length - 22 + 16)
  await expect(unpack(zip)).rejects.toMatchObject({
    kind: 'damaged',
    message: expect.stringContaining('points beyond its end'),
  })
})

test('members that overlap are refused: each would unpack the same bytes', async () => {
  const zip = makeZip([file('a', text(9)), file('b', text(9))])
  const second = zip.lastIndexOf('PK\x01\x02')
  zip.writeUInt32LE(0, second + 42)
  await expect(unpack(zip)).rejects.toMatchObject({
    kind: 'too-large',
    message: expect.stringContaining('members that overlap'),
  })
})
