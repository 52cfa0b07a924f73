import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isWorkBegun, leaseWork } from '../../src/state/work-folder.ts'
import { testFolder } from '../helpers/folder.ts'

const OUT = 's3://bucket/events'
const SOMEONE = 12_345
const isRoot = process.getuid?.() === 0

const asked = (home: string, out = OUT) => ({ home, command: 'transform', out }) as const
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

/** A run that opened its folder, put a file into it, and was killed (its lease is gone, as that of a dead process). */
async function killed(home: string, out = OUT): Promise<{ path: string; record: string }> {
  const work = await leaseWork(asked(home, out))
  const path = await work.open()
  writeFileSync(join(path, 'unit'), 'whole events')
  await work.release()
  const record = readdirSync(home).find(
    (name) => path.includes(name.replace('.json', '')) && name.endsWith('.json'),
  )!
  return { path, record: join(home, record) }
}

async function opened(home: string, out = OUT): Promise<{ path: string; begun: boolean }> {
  const work = await leaseWork(asked(home, out))
  try {
    return { path: await work.open(), begun: work.begun }
  } finally {
    await work.release()
  }
}

/** A folder with a file that must stay. */
function victim(): string {
  const folder = testFolder()
  writeFileSync(join(folder, 'letter.txt'), 'mine')
  return folder
}

test('the folder is private, and nobody can guess its name', async () => {
  const home = join(testFolder(), 'state', 'work')
  const [one, other] = [await opened(home), await opened(home, 's3://bucket/other')]
  expect(one.begun).toBe(false)
  expect(modeOf(one.path)).toBe('700')
  const random = /transform-[0-9a-f]{16}-(\w{6})$/
  expect(random.exec(one.path)?.[1]).not.toBe(random.exec(other.path)?.[1])
})

test('the same command finds it again with what is in it, however the address is written', async () => {
  const home = join(testFolder(), 'work')
  const { path } = await killed(home)
  chmodSync(path, 0o755)
  expect(await isWorkBegun(asked(home))).toBe(true)
  expect(await opened(home, 's3://bucket/events/')).toEqual({ path, begun: true })
  expect(readFileSync(join(path, 'unit'), 'utf8')).toBe('whole events')
  expect(modeOf(path)).toBe('700')
  expect((await opened(home, 's3://bucket/events?endpoint=http://127.0.0.1:9000')).path).not.toBe(path)
  expect((await opened(home, 's3://bucket/other')).path).not.toBe(path)
})

test('a run that removed its folder leaves nothing', async () => {
  const home = join(testFolder(), 'work')
  const work = await leaseWork(asked(home))
  rmSync(await work.open(), { recursive: true })
  await work.release()
  expect(readdirSync(home)).toEqual([])
  expect(await isWorkBegun(asked(home))).toBe(false)
})

test('a run that opened no folder leaves nothing', async () => {
  const home = join(testFolder(), 'work')
  await (await leaseWork(asked(home))).release()
  expect(readdirSync(home)).toEqual([])
})

test('of two runs one works', async () => {
  const home = join(testFolder(), 'work')
  const work = await leaseWork(asked(home))
  await expect(leaseWork(asked(home))).rejects.toMatchObject({ code: 'locked' })
  await work.release()
  await (await leaseWork(asked(home))).release()
})

test.each<[string, (at: { path: string; record: string }) => void]>([
  ['the folder is gone', ({ path }) => rmSync(path, { recursive: true })],
  ['the record is gone: killed before it was written', ({ record }) => rmSync(record)],
  ['the record is empty', ({ record }) => writeFileSync(record, '')],
  ['the record is torn', ({ record }) => writeFileSync(record, readFileSync(record).subarray(0, 30))],
  ['the record leads out', ({ record }) => writeRecord(record, '../../victim')],
  ['the record names the home', ({ record }) => writeRecord(record, '.')],
  ['the record is of another place', ({ record }) => writeRecord(record, undefined, 's3://bucket/other')],
])('%s: a new folder, which goes on with the dataset that was begun', async (_, spoil) => {
  const home = join(testFolder(), 'work')
  const before = await killed(home)
  spoil(before)
  const { path, begun } = await opened(home)
  expect(begun).toBe(true)
  expect(path).not.toBe(before.path)
  expect(existsSync(before.path)).toBe(false)
  expect(readdirSync(path)).toEqual([])
  expect(readdirSync(home)).toHaveLength(2)
})

function writeRecord(record: string, folder: string | undefined, out?: string): void {
  const value = JSON.parse(readFileSync(record, 'utf8'))
  writeFileSync(record, JSON.stringify({ ...value, ...(folder && { folder }), ...(out && { out }) }))
}

describe('a symbolic link is refused, and what it leads to stays', () => {
  const link = (path: string, to: string) => {
    rmSync(path, { recursive: true, force: true })
    symlinkSync(to, path)
  }
  const cases: [string, (home: string, at: { path: string; record: string }, to: string) => void][] = [
    ['the folder', (_, { path }, to) => link(path, to)],
    ['the record', (_, { record }, to) => link(record, join(to, 'letter.txt'))],
    ['the home', (home, _, to) => link(home, to)],
    ['the lock', (_, { record }, to) => link(record.replace('.json', '.lock'), join(to, 'letter.txt'))],
  ]
  test.each(cases)('%s', async (_, plant) => {
    const home = join(testFolder(), 'work')
    const to = victim()
    plant(home, await killed(home), to)
    await expect(opened(home)).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('symbolic link'),
      hint: expect.stringContaining('--work-dir'),
    })
    expect(readFileSync(join(to, 'letter.txt'), 'utf8')).toBe('mine')
    expect(readdirSync(to)).toEqual(['letter.txt'])
  })
})

describe.runIf(isRoot)("another user's is refused", () => {
  const cases: [string, (home: string, at: { path: string; record: string }) => string][] = [
    ['folder', (_, { path }) => path],
    ['record', (_, { record }) => record],
    ['home', (home) => home],
  ]
  test.each(cases)('%s', async (_, which) => {
    const home = join(testFolder(), 'work')
    const at = await killed(home)
    chownSync(which(home, at), SOMEONE, SOMEONE)
    await expect(opened(home)).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('uid 12345'),
    })
    expect(readdirSync(at.path)).toEqual(['unit'])
  })
})

test('a home in which others can rename files is refused, one that keeps users apart is not', async () => {
  const home = join(testFolder(), 'work')
  mkdirSync(home)
  chmodSync(home, 0o777)
  await expect(opened(home)).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('--work-dir'),
  })
  chmodSync(home, 0o1777)
  expect(modeOf((await opened(home)).path)).toBe('700')
})

test('a home that can not be made is an error that says what to name', async () => {
  const file = join(testFolder(), 'file')
  writeFileSync(file, '')
  await expect(opened(join(file, 'work'))).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('--work-dir'),
  })
})
