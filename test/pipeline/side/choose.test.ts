import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../../src/inputs/list.ts'
import type { SideTable } from '../../../src/mapping/side-table.ts'
import { planSides } from '../../../src/pipeline/side/build.ts'
import { folderOf } from '../../helpers/folder.ts'

const about = { help: 'for a test', expected: false, several: 'last' } as const
const MOVES: SideTable = { ...about, name: 'moves', on: { from: ['user'] }, as: 'moved' }
const USERS: SideTable = { ...about, name: 'users', on: { id: ['user'] }, as: 'known', alsoRecords: true }
const VISITS: SideTable = {
  ...about,
  name: 'visits',
  on: { visit: ['visit'] },
  as: 'visit',
  ofRecords: ['at'],
}

const folder = (...names: readonly string[]) =>
  folderOf(Object.fromEntries(names.map((name) => [name, '{"id":1,"from":1}\n'])))

async function planned(inputs: string, { join: named = [] as string[] } = {}) {
  const request = { preset: 'shop', loaded: { sideTables: [MOVES, USERS, VISITS] }, join: named }
  const { sides, records } = await planSides(request, await listInputs([inputs]))
  const names = (files: ReadonlyArray<{ readonly path: string }>) =>
    files.map(({ path }) => path.split('/').at(-1))
  return {
    records: names(records),
    sides: Object.fromEntries(sides.map(({ table, inputs }) => [table.name, names(inputs)])),
  }
}

test('tables among the inputs are joined and are no records, unless they are both', async () => {
  expect(
    await planned(folder('clicks.ndjson', 'users.ndjson', 'Moves-000.ndjson', 'Moves-001.ndjson')),
  ).toEqual({
    records: ['clicks.ndjson', 'users.ndjson'],
    sides: {
      moves: ['Moves-000.ndjson', 'Moves-001.ndjson'],
      users: ['users.ndjson'],
      visits: ['clicks.ndjson', 'users.ndjson'],
    },
  })
})

test('--join names a file of any name; one that is an input too is read once', async () => {
  const inputs = folder('clicks.ndjson', 'people.ndjson', 'users.ndjson')
  const [people, users] = ['people.ndjson', 'users.ndjson'].map((name) => join(inputs, name))
  expect(await planned(inputs, { join: [`moves=${people}`, `users=${users}`] })).toMatchObject({
    records: ['clicks.ndjson', 'users.ndjson'],
    sides: { moves: ['people.ndjson'], users: ['users.ndjson'] },
  })
})

test('files of any name are of the table whose folder they are in', async () => {
  const path = folder('clicks.ndjson', 'moved/By/q95zvV.ndjson', 'moved/Byte/r20abC.ndjson')
  const request = { preset: 'shop', loaded: { sideTables: [{ ...MOVES, folder: 'moved/By' }] } }
  const { sides, records } = await planSides({ ...request, join: [] }, await listInputs([path]))
  expect(sides.map(({ inputs }) => inputs.map(({ name }) => name))).toEqual([['moved/By/q95zvV.ndjson']])
  expect(records.map(({ name }) => name)).toEqual(['clicks.ndjson', 'moved/Byte/r20abC.ndjson'])
})

test.each([
  ['users', 'is no table of the preset shop with a path', 'give --join moves=PATH, --join users=PATH'],
  ['users=', 'is no table of the preset shop with a path', 'give --join moves=PATH, --join users=PATH'],
  ['visits=x.csv', 'is no table of the preset shop', ''],
])('--join %s is refused', async (text, message, hint) => {
  await expect(planned(folder('clicks.ndjson'), { join: [text] })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  })
})

test('--join for a preset without side tables, and tables without events', async () => {
  const none = { preset: 'mixpanel', loaded: {}, join: ['users=x'] }
  await expect(planSides(none, [])).rejects.toThrow('the preset mixpanel joins no tables')
  await expect(planned(folder('moves.ndjson'))).rejects.toThrow(
    'all inputs are tables to be joined (moves), and none holds events',
  )
})

test('a table that few users have, and one that serves only beside it, are there when they are given', async () => {
  const merges: SideTable = { ...MOVES, rare: true }
  const known: SideTable = { ...VISITS, name: 'known', needs: 'moves' }
  const files = folder('clicks.ndjson', 'moves.ndjson')
  const names = async (path: string) => {
    const request = { preset: 'shop', loaded: { sideTables: [merges, known] }, join: [] }
    return (await planSides(request, await listInputs([path]))).sides.map(({ table }) => table.name)
  }
  expect(await names(files)).toEqual(['moves', 'known'])
  expect(await names(join(files, 'clicks.ndjson'))).toEqual([])
})
