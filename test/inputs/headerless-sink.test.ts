import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { isSplittable } from '../../src/inputs/read.ts'
import { SNOWPLOW_COLUMNS } from '../../src/presets/recognise.ts'
import { folderOf, readFileAs } from './collected.ts'

const ROW: Readonly<Record<string, string>> = {
  app_id: 'shop',
  collector_tstamp: '2024-06-01 08:22:04.000',
  event: 'unstruct',
  event_id: 'c6ef3124-b53a-4b13-a233-0088f79dcbcb',
  page_title: 'The "best", größte\\n shop',
  unstruct_event: '{"schema":"iglu:a/b","data":{"x":"a \\" b"}}',
}
const row = (cells: Readonly<Record<string, string>>, width = 131) =>
  Array.from({ length: width }, (_, i) => cells[SNOWPLOW_COLUMNS[i] ?? `column_${i + 1}`] ?? '').join('\t')

test('the first row is a row, quotes are data, and what is empty is absent', async () => {
  const { lines, places } = await readFileAs('part-00000', `${row(ROW)}\n${row({ ...ROW, app_id: '' })}\r\n`)
  const { app_id: _, ...other } = ROW
  expect(lines).toEqual([JSON.stringify(ROW), JSON.stringify(other)])
  expect(places[1]).toMatchObject({ number: 2 })
})

test.each(['part-00000.gz', 'run.tsv.gz', 'x.csv.gz', 'x.json.gz'])(
  '%s is known by its rows',
  async (name) => {
    expect((await readFileAs(name, gzipSync(`${row(ROW)}\n`))).lines).toEqual([JSON.stringify(ROW)])
  },
)

test('a row may end early or go on: what has no name is called by its place', async () => {
  const { lines } = await readFileAs('a.tsv', `${row(ROW, 59)}\n${row({ ...ROW, column_133: 'new' }, 133)}\n`)
  expect(lines).toEqual([JSON.stringify(ROW), JSON.stringify({ ...ROW, column_133: 'new' })])
})

test('a row that is none, wherever it is, stays a record to be judged', async () => {
  const { lines } = await readFileAs('a.tsv', `oops\n${row(ROW)}\n"\n`)
  expect(lines).toEqual(['{"app_id":"oops"}', JSON.stringify(ROW), '{"app_id":"\\""}'])
  const { rejects } = await readFileAs('a.tsv', `${row(ROW)}\n${'x\t'.repeat(2500)}\n`)
  expect(rejects).toMatchObject([{ reason: 'too_many_columns', line: 2 }])
})

test('a table with a header of the same columns is read by its header', async () => {
  const table = `${SNOWPLOW_COLUMNS.join('\t')}\n${row({ ...ROW, page_title: 'x', unstruct_event: '' })}\n`
  expect((await readFileAs('events.tsv', table)).lines).toHaveLength(1)
})

test('a plain file can be cut at any line, and the columns of a mapping file hold', async () => {
  const folder = await folderOf({ 'a.tsv': `${row(ROW)}\n` })
  const [input] = await listInputs([folder])
  expect(isSplittable(input!)).toBe(true)
  const columns = {
    columns: { app_id: null, event: { path: ['kind'], json: false, type: undefined } },
    rest: 'drop',
  } as const
  expect((await readFileAs('a.tsv', `${row(ROW)}\n`, { columns })).lines).toEqual(['{"kind":"unstruct"}'])
})

test('a cell of \\N is absent', async () => {
  const { lines } = await readFileAs('a.tsv', `${row(ROW, 59)}\n${row({ ...ROW, page_title: '\\N' }, 59)}\n`)
  const { page_title: _, ...other } = ROW
  expect(lines).toEqual([JSON.stringify(ROW), JSON.stringify(other)])
})
