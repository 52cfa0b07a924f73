import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planColumns } from '../../src/inputs/csv-plan.ts'
import type { InputFile } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { NO_COLUMNS } from '../../src/mapping/columns.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { columnsElsewhere, cutUnits, firstHeader, workersFor } from '../../src/transform/make-job.ts'
import { folderOf } from '../helpers/folder.ts'
import { plainFile } from '../helpers/input-file.ts'
import { seedOf } from '../helpers/random.ts'
import { Collected } from '../inputs/collected.ts'

const MAPPING = parseMapping(
  'columns: { total: { type: number }, "größe": { type: number }, typo: { type: number } }',
  'm',
).columns

const inputsOf = (files: Readonly<Record<string, string>>) => listInputs([folderOf(files)])

test('of several tables one has to have a column, and a name that none has is a mistake', async () => {
  const inputs = await inputsOf({
    'orders.csv': '\ufeffid,total\n1,"2\n3"\n',
    'pages.tsv': 'id\turl\tgröße\n1\t/\t3\n',
    'more.ndjson': '{"typo":1}\n',
  })
  const elsewhere = await columnsElsewhere(MAPPING, inputs)
  expect(elsewhere).toEqual(['total', 'größe'])
  const lacking = { ...MAPPING, elsewhere: elsewhere! }
  expect(() => planColumns(['id', 'url', 'typo'], lacking, 'pages.csv')).not.toThrow()
  expect(() => planColumns(['id', 'url'], lacking, 'pages.csv')).toThrow(
    'pages.csv has no column "typo", which the mapping file names',
  )
})

test('all files of one table have to have it', async () => {
  const inputs = await inputsOf({ 'orders/0001.csv': 'id,total\n1,2\n', 'orders/0002.csv': 'id\n1\n' })
  expect(await columnsElsewhere(MAPPING, inputs)).toBeUndefined()
})

test('an empty table has no columns', async () => {
  const inputs = await inputsOf({ 'orders.csv': 'id,total\n', 'pages.csv': '\n\n,\n' })
  expect(await columnsElsewhere(MAPPING, inputs)).toEqual(['total'])
})

test('a later piece of a table without a header is told by the first: its first row is no header', async () => {
  const inputs = await inputsOf({ x_aa: 'event,user,ts\na,u1,1\n', x_ab: 'b,u2,1709287212\nc,u3,2\n' })
  const columns = { ...NO_COLUMNS, first: (await firstHeader(NO_COLUMNS, inputs))! }
  const read = (input: InputFile) => readRecords(input, new Collected(), { columns })
  await read(inputs[0]!)
  await expect(read(inputs[1]!)).rejects.toThrow('x_ab has no header: its first row is a record')
  expect(await firstHeader({ ...NO_COLUMNS, names: ['a'] }, inputs)).toBeUndefined()
  expect(await firstHeader(NO_COLUMNS, inputs.slice(0, 1))).toBeUndefined()
})

const MB = 1024 * 1024

const input = (size: number, over: Partial<InputFile> = {}) => plainFile({ size, ...over })

const ranges = (size: number) => cutUnits([input(size)]).map(({ range }) => [range!.start, range!.end])

test('plain NDJSON is cut into ranges of at least 4 and at most 64 MiB', () => {
  expect(ranges(0)).toEqual([])
  expect(ranges(1)).toEqual([[0, 1]])
  expect(ranges(9 * MB)).toEqual([
    [0, 4 * MB],
    [4 * MB, 8 * MB],
    [8 * MB, 9 * MB],
  ])
  expect(ranges(160 * MB)).toHaveLength(40)
  expect(ranges(640 * MB)).toHaveLength(64)
  expect(ranges(10_240 * MB)).toHaveLength(160)
})

test.each<[string, Partial<InputFile>]>([
  ['packed files', { compression: 'gzip' }],
  ['JSON arrays', { format: 'json' }],
  ['tables', { format: 'csv' }],
  ['rejects', { rejects: true }],
])('%s stay whole', (_, over) => {
  expect(cutUnits([input(900 * MB, over)])).toEqual([
    { input: 0, files: 1, range: undefined, bytes: 900 * MB },
  ])
})

test('the units of a file follow one another and leave nothing out', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 500 * MB }), { maxLength: 6 })
  fc.assert(
    fc.property(sizes, (all) => {
      const units = cutUnits(all.map((size) => input(size)))
      expect(units.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(all.reduce((sum, size) => sum + size, 0))
      for (const [index, size] of all.entries()) {
        let at = 0
        for (const { range, bytes } of units.filter((unit) => unit.input === index)) {
          expect(range).toEqual({ start: at, end: at + bytes })
          at += bytes
        }
        expect(at).toBe(size)
      }
      expect(units.map((unit) => unit.input)).toEqual(units.map((unit) => unit.input).sort((a, b) => a - b))
    }),
    { seed: seedOf('plan'), numRuns: 200 },
  )
})

test('a small input gets no worker, a large one a worker for each core', () => {
  const workers = (size: number, over: Partial<InputFile> = {}) =>
    workersFor(cutUnits([input(size, over)]), 4)
  expect([0, 8 * MB, 9 * MB, 33 * MB, 65 * MB, 97 * MB, 1024 * MB].map((size) => workers(size))).toEqual([
    0, 0, 1, 2, 3, 4, 4,
  ])
})

test('packed files count for what they hold', () => {
  const days = Array.from({ length: 8 }, () => input(MB, { compression: 'gzip' }))
  expect(workersFor(cutUnits(days), 8)).toBe(2)
})

test('many small files share units, in their order, and a large one among them has its own', () => {
  const inputs = Array.from({ length: 60_000 }, (_, at) => input(at === 30_000 ? 9 * MB : at % 300))
  const units = cutUnits(inputs)
  expect(units.length).toBeLessThan(1100)
  const read = units.flatMap(({ input, files, range }) =>
    range && range.start > 0 ? [] : inputs.slice(input, input + files).map((_, at) => input + at),
  )
  // Files without a byte are read or not.
  expect(new Set(read.filter((at) => inputs[at]!.size > 0)).size).toBe(59_801)
  expect(read).toEqual([...new Set(read)].sort((a, b) => a - b))
  expect(units.filter(({ input }) => input === 30_000).map(({ range }) => range)).toEqual([
    { start: 0, end: 4 * MB },
    { start: 4 * MB, end: 8 * MB },
    { start: 8 * MB, end: 9 * MB },
  ])
})

test('many large files stay apart', () => {
  const inputs = Array.from({ length: 3000 }, () => input(50 * MB, { compression: 'gzip' }))
  expect(cutUnits(inputs)).toHaveLength(3000)
})
