import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { BuiltTable } from '../../src/pipeline/side/built.ts'
import type { Job } from '../../src/transform/job.ts'
import { Journal } from '../../src/transform/journal.ts'
import { testFolder } from '../helpers/folder.ts'
import { plainFile } from '../helpers/input-file.ts'

/** Changes to the disk that are still allowed; the next one is the kill. */
const disk = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const counted =
    <A extends unknown[], R>(act: (...args: A) => R) =>
    (...args: A): R => {
      if (disk.left-- <= 0) throw new Error('killed')
      return act(...args)
    }
  /** Removes file by file, as the system does, so that a kill can come between two of them. */
  const rmSync = (path: string): void => {
    if (!fs.existsSync(path)) return
    if (fs.statSync(path).isDirectory()) {
      for (const name of fs.readdirSync(path).sort().reverse()) rmSync(`${path}/${name}`)
    }
    counted(fs.rmSync)(path, { recursive: true })
  }
  return {
    ...fs,
    rmSync,
    mkdirSync: counted(fs.mkdirSync),
    writeFileSync: counted(fs.writeFileSync),
    renameSync: counted(fs.renameSync),
  }
})

/** Which start of the machine it is. */
const machine = vi.hoisted(() => ({ boot: 'first' }))
vi.mock('../../src/store/process-start.ts', async (original) => ({
  ...(await original<typeof import('../../src/store/process-start.ts')>()),
  bootId: async () => machine.boot,
}))

beforeEach(() => {
  disk.left = Number.POSITIVE_INFINITY
  machine.boot = 'first'
})

const job: Job = {
  preset: 'mixpanel',
  rules: 'mixpanel 1.1',
  importId: null,
  mapping: NO_MAPPING,
  hashKey: undefined,
  forget: undefined,
  columns: { columns: {}, rest: 'keep' },
  withTable: false,
  switches: [],
  gzip: false,
  out: 'events',
  work: undefined,
  now: 1000,
  inputs: [],
  after: [],
  sideTables: [],
  units: [],
}
const other: Job = { ...job, gzip: true }
const users: BuiltTable = {
  name: 'users',
  help: '',
  as: 'joined_user',
  expected: true,
  of_records: false,
  file: '/tmp/posthaul-tables-a/users.table',
  sha256: 'abc',
  ...{ files: 1, rows: 2, keys: 2, repeated: 0, without_key: 0, unreadable: 0 },
}

/** A transform that finished two pieces and was at the third. */
async function underWay(folder: string): Promise<void> {
  const journal = new Journal(folder)
  await journal.begin(job, '0.1.0')
  for (const piece of ['unit-000000', 'unit-000001']) {
    writeFileSync(join(folder, `${piece}-0.run`), 'run')
    journal.finish(piece, { read: 5 })
  }
  writeFileSync(join(folder, 'unit-000002-0.run'), 'half a ru')
}

test('a piece has a result once it is finished', async () => {
  const journal = new Journal(join(testFolder(), 'work'))
  expect(journal.exists).toBe(false)
  await journal.begin(job, '0.1.0')
  expect(journal.exists).toBe(true)
  expect(journal.result('unit-000000')).toBeUndefined()
  journal.finish('unit-000000', { read: 5, names: { __proto__x: 1 } })
  expect(journal.result('unit-000000')).toEqual({ read: 5, names: { __proto__x: 1 } })
  expect(journal.result('unit-000001')).toBeUndefined()
})

test('the same job goes on, by the clock of its first start', async () => {
  const folder = join(testFolder(), 'work')
  await underWay(folder)
  const begun = await new Journal(folder).begin({ ...job, now: 9999 }, '0.1.0')
  expect(begun).toEqual(job)
  expect(new Journal(folder).result('unit-000001')).toEqual({ read: 5 })
})

test('after another start of the machine nothing is used: what was not synced may be lost', async () => {
  const folder = join(testFolder(), 'work')
  await underWay(folder)
  machine.boot = 'second'
  await new Journal(folder).begin(job, '0.1.0')
  expect(readdirSync(folder)).toEqual(['job.json'])
})

test.each([{ size: 8 }, { mtimeMs: 2 }])(
  'of an input that is another one now nothing is used: %o',
  async (now) => {
    const folder = join(testFolder(), 'work')
    const input = plainFile({ size: 7, mtimeMs: 1 })
    await new Journal(folder).begin({ ...job, inputs: [input] }, '0.1.0')
    new Journal(folder).finish('unit-000000', { read: 5 })
    await new Journal(folder).begin({ ...job, inputs: [{ ...input }] }, '0.1.0')
    expect(new Journal(folder).result('unit-000000')).toEqual({ read: 5 })
    await new Journal(folder).begin({ ...job, inputs: [{ ...input, ...now }] }, '0.1.0')
    expect(new Journal(folder).result('unit-000000')).toBeUndefined()
  },
)

test('a side table that holds the same rows is the same one, wherever this run has put it', async () => {
  const folder = join(testFolder(), 'work')
  const begin = (over: Partial<BuiltTable>) =>
    new Journal(folder).begin({ ...job, sideTables: [{ ...users, ...over }] }, '0.1.0')
  await begin({})
  new Journal(folder).finish('unit-000000', { read: 5 })
  await begin({ file: '/tmp/posthaul-tables-b/users.table' })
  expect(new Journal(folder).result('unit-000000')).toEqual({ read: 5 })
  await begin({ sha256: 'def' })
  expect(new Journal(folder).result('unit-000000')).toBeUndefined()
})

test.each<[string, Job, string]>([
  ['other options', other, '0.1.0'],
  ['another mapping', { ...job, mapping: { ...NO_MAPPING, sourceTimezone: 'Europe/Vienna' } }, '0.1.0'],
  [
    'other datasets of earlier windows',
    {
      ...job,
      after: [
        { location: 'w1', parts: [], links: { file: 'links.ndjson', bytes: 14, sha256: 'a', lines: 1 } },
      ],
    },
    '0.1.0',
  ],
  ['another tool', job, '0.1.1'],
  ['an input that changed', { ...job, inputs: [plainFile({ size: 1, mtimeMs: 2 })] }, '0.1.0'],
])('%s: nothing old is believed', async (_, changed, tool) => {
  const folder = join(testFolder(), 'work')
  await underWay(folder)
  expect(await new Journal(folder).begin(changed, tool)).toBe(changed)
  expect(readdirSync(folder)).toEqual(['job.json'])
})

/**
 * Kills `act` at each of its writes in turn, in a folder with a job under way, until it comes to its end. Calls `then` after
 * each try, and returns how many were killed.
 */
async function killedAnywhere(
  act: (folder: string) => unknown,
  then: (folder: string, isKilled: boolean) => unknown,
): Promise<number> {
  for (let allowed = 0; ; allowed++) {
    const folder = join(testFolder(), 'work')
    await underWay(folder)
    disk.left = allowed
    let isKilled = false
    try {
      await act(folder)
    } catch {
      isKilled = true
    }
    disk.left = Number.POSITIVE_INFINITY
    await then(folder, isKilled)
    if (!isKilled) return allowed
  }
}

test('killed anywhere while another job takes the folder, nothing that is gone is vouched for', async () => {
  const take = (folder: string) => new Journal(folder).begin(other, '0.1.0')
  const kills = await killedAnywhere(take, async (folder) => {
    const journal = new Journal(folder)
    // Parts of the unfinished dataset lie beside the folder: it must still say that they are ours.
    expect(journal.exists).toBe(true)
    for (const next of [job, other]) {
      await journal.begin(next, '0.1.0')
      for (const piece of ['unit-000000', 'unit-000001']) {
        if (journal.result(piece) !== undefined) expect(existsSync(join(folder, `${piece}-0.run`))).toBe(true)
      }
    }
    expect(readdirSync(folder)).toEqual(['job.json'])
  })
  expect(kills).toBeGreaterThan(5)
})

test('killed anywhere while it is removed, all of it is there or none of it is used', async () => {
  const remove = (folder: string) => new Journal(folder).remove()
  const kills = await killedAnywhere(remove, async (folder, isKilled) => {
    if (!isKilled) return
    const journal = new Journal(folder)
    await journal.begin(job, '0.1.0')
    const pieces = ['unit-000000', 'unit-000001']
    const isWhole = pieces.every((piece) => existsSync(join(folder, `${piece}-0.run`)))
    const found = pieces.filter((piece) => journal.result(piece) !== undefined)
    expect(found).toEqual(isWhole && found.length > 0 ? pieces : [])
  })
  expect(kills).toBeGreaterThan(5)
})

test('killed anywhere while a result is written, the piece is done or it is not', async () => {
  const finish = (folder: string) => new Journal(folder).finish('unit-000002', { read: 7 })
  const kills = await killedAnywhere(finish, (folder, isKilled) =>
    expect(new Journal(folder).result('unit-000002')).toEqual(isKilled ? undefined : { read: 7 }),
  )
  expect(kills).toBe(2)
})

test('a transform whose job was removed or bent is one that was begun here, and begins afresh', async () => {
  for (const bend of [(path: string) => rmSync(path), (path: string) => writeFileSync(path, '{}')]) {
    const folder = join(testFolder(), 'work')
    await underWay(folder)
    bend(join(folder, 'job.json'))
    const journal = new Journal(folder)
    expect(journal.exists).toBe(true)
    await journal.begin(job, '0.1.0')
    expect(journal.result('unit-000000')).toBeUndefined()
  }
})
