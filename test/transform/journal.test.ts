import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Job } from '../../src/transform/job.ts'
import { Journal } from '../../src/transform/journal.ts'
import { testFolder } from '../helpers/folder.ts'

/** Counts removals down; the one that meets zero is a kill. */
const fuse = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  // One name at a time, as the kernel does it: a folder's own entries go before it does.
  const removeOne = (path: string, options: { recursive?: boolean; force?: boolean } = {}): void => {
    if (options.recursive && fs.existsSync(path) && fs.statSync(path).isDirectory()) {
      for (const name of fs.readdirSync(path)) removeOne(join(path, name), options)
    }
    if (fuse.left-- === 0) throw new Error('killed')
    fs.rmSync(path, options)
  }
  return { ...fs, rmSync: removeOne }
})

beforeEach(() => {
  fuse.left = Number.POSITIVE_INFINITY
})

const job = (out: string): Job => ({
  preset: 'mixpanel',
  rules: 'mixpanel 1.1',
  importId: null,
  mapping: NO_MAPPING,
  hashKey: undefined,
  forget: undefined,
  columns: {} as Job['columns'],
  withTable: false,
  switches: [],
  groupEventName: '$groupidentify',
  gzip: false,
  out,
  work: undefined,
  now: 1,
  inputs: [],
  after: [],
  sideTables: [],
  units: [],
})

const PIECES = ['a-unit', 'unit-000000', 'unit-000001', 'day-19723', 'generated-0']

async function filled(): Promise<string> {
  const folder = join(testFolder(), 'work')
  const journal = new Journal(folder)
  await journal.begin(job('one'), 'posthaul')
  for (const piece of PIECES) journal.finish(piece, {})
  writeFileSync(join(folder, 'unit-000000-0.run'), 'lines')
  return folder
}

/** All results are there, with what they speak of, or none is. */
async function assertWholeOrNothing(folder: string): Promise<void> {
  const journal = new Journal(folder)
  await journal.begin(job('one'), 'posthaul')
  const found = PIECES.filter((piece) => journal.result(piece) !== undefined)
  const whole = found.length === PIECES.length && readdirSync(folder).includes('unit-000000-0.run')
  expect(whole ? [] : found).toEqual([])
}

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'a kill at removal %i of the journal leaves no half of it',
  async (at) => {
    const folder = await filled()
    fuse.left = at
    expect(() => new Journal(folder).remove()).toThrow('killed')
    fuse.left = Number.POSITIVE_INFINITY
    await assertWholeOrNothing(folder)
  },
)

test.each([0, 1, 2, 3, 4, 5])(
  'a kill at removal %i for another transform leaves no half of it',
  async (at) => {
    const folder = await filled()
    fuse.left = at
    await expect(new Journal(folder).begin(job('two'), 'posthaul')).rejects.toThrow('killed')
    fuse.left = Number.POSITIVE_INFINITY
    // The dataset may be half of one by now: whoever comes next must see that a transform was begun here.
    expect(new Journal(folder).exists).toBe(true)
    await assertWholeOrNothing(folder)
  },
)

test('a journal without its folder begins afresh', async () => {
  const folder = await filled()
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  await assertWholeOrNothing(folder)
})

test('a journal that a power cut emptied is begun anew', async () => {
  const folder = await filled()
  for (const name of ['job.json', 'unit-000000.done']) writeFileSync(join(folder, name), '')
  const journal = new Journal(folder)
  expect(await journal.begin(job('one'), 'posthaul')).toEqual(job('one'))
  expect(PIECES.filter((piece) => journal.result(piece) !== undefined)).toEqual([])
})
