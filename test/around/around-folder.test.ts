import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { AroundFolder, cohortFiles } from '../../src/around/around-folder.ts'
import type { AroundKind, AroundRow } from '../../src/around/around-kinds.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'

const folder = (
  (at) => () =>
    new AroundFolder(at)
)(join(makeFolder(), 'around'))

const ROWS: { readonly [K in AroundKind]: readonly AroundRow<K>[] } = {
  events: [
    {
      name: 'no',
      description: 'two\nlines: "quoted"',
      tags: ['a'],
      verified: true,
      more: { plan: { a: null } },
    },
    { name: 'Zed' },
  ],
  properties: [
    { of: 'event', name: '1e3', type: 'number', events: ['no'] },
    { of: 'group', group: 'company', name: 'plan' },
  ],
  annotations: [{ at: '2026-03-02T09:00:00+01:00', text: '4.2' }],
  cohorts: [{ id: '0012', name: 'Beta', definition: { all: [1] }, file: 'cohorts/beta.csv', members: 3 }],
  reports: [
    { id: '7', name: 'null', kind: 'insights', settings: { by: 'yes' }, query: { kind: 'TrendsQuery' } },
  ],
  dashboards: [{ id: '1', name: '~', tiles: [{ report: '7' }, { text: '# Hello' }] }],
}

test('what is written is read back as it was, whatever YAML takes its texts for', async () => {
  for (const kind of Object.keys(ROWS) as AroundKind[]) {
    await folder().write(kind, ROWS[kind] as readonly AroundRow[])
    const read = await folder().read(kind)
    expect([...read!].sort(byText)).toEqual([...ROWS[kind]].sort(byText))
  }
})

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

test('the order of the rows and of their members does not depend on the answer', async () => {
  await folder().write('events', [{ tags: ['x'], name: 'b' }, { name: 'a' }])
  const first = await readFile(folder().file('events'), 'utf8')
  await folder().write('events', [{ name: 'a' }, { name: 'b', tags: ['x'] }])
  expect(await readFile(folder().file('events'), 'utf8')).toBe(first)
})

test('a file that is not there is told from one without rows', async () => {
  const folder = (
    (at) => () =>
      new AroundFolder(at)
  )(join(testFolder(), 'new'))
  expect(await folder().read('reports')).toBeUndefined()
  await folder().write('reports', [])
  expect(await folder().read('reports')).toEqual([])
})

test.each([
  ['events', 'events:\n  - name: a\n    descripton: x\n', 'events.yaml:3:5: unknown key "descripton"'],
  ['events', 'events:\n  - name: a\n  - name: a\n', 'events.yaml:3:5: events.1: a is there twice'],
  ['annotations', "annotations:\n  - at: '2026-03-02'\n    text: x\n", 'annotations.yaml:2:'],
  [
    'cohorts',
    'cohorts:\n  - { id: "1", name: a, members: 1, file: ../../secret.csv }\n',
    'a file in cohorts/',
  ],
] as const)('a mistake in %s is refused with its place', async (kind, text, words) => {
  await write(folder().file(kind), text)
  await expect(folder().read(kind)).rejects.toThrow(words)
})

test('members keep their quotes, commas and blanks, and come a page at a time', async () => {
  const ids = [
    'plain',
    'a,b',
    'say "x"',
    ' blank ',
    'two\nlines',
    ...Array.from({ length: 2500 }, (_, i) => `u${i}`),
  ]
  expect(await folder().writeMembers('cohorts/a.csv', pages(ids))).toBe(ids.length)
  const read: (readonly string[])[] = []
  for await (const page of folder().members('cohorts/a.csv')) read.push(page)
  expect(read.flat()).toEqual(ids)
  expect(read.map(({ length }) => length)).toEqual([1000, 1000, 505])
})

async function* pages(ids: readonly string[]) {
  yield ids.slice(0, 3)
  yield []
  yield ids.slice(3)
}

test('no file of members is there before it is whole', async () => {
  const broken = async function* () {
    yield ['a']
    throw new Error('cut')
  }
  await expect(folder().writeMembers('cohorts/b.csv', broken())).rejects.toThrow('cut')
  await expect(folder().members('cohorts/b.csv').next()).rejects.toMatchObject({ code: 'input' })
})

test.each([
  ['u1\nu2\n', 'has no column distinct_id'],
  ['distinct_id,plan\nu1\n', "can't be read as CSV"],
])('members without their heading, or with broken rows, are refused', async (text, words) => {
  await write(join(folder().path, 'cohorts/c.csv'), text)
  await expect(folder().members('cohorts/c.csv').next()).rejects.toThrow(words)
})

test('each cohort has a file of its own, whatever its name', () => {
  const names = [
    ['1', 'Beta testers!'],
    ['2', 'beta-testers'],
    ['3', '../..'],
    ['4', 'Größe'],
  ] as const
  expect(Object.fromEntries(cohortFiles(names.map(([id, name]) => ({ id, name }))))).toEqual({
    1: 'cohorts/beta-testers-1.csv',
    2: 'cohorts/beta-testers-2.csv',
    3: 'cohorts/cohort-3.csv',
    4: 'cohorts/gr-e.csv',
  })
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
