import { expect, test } from 'vitest'
import { readFileAs } from './collected.ts'

const WITH = { withTable: true }

test('the name of the table is the first member of each record of a job that asks for it', async () => {
  const lines = '{"a":1}\n  { "b" : 2 }\n{ }\n[1]\n{"$table":"mended"}\n'
  const { lines: got, places } = await readFileAs('pages.ndjson', lines, WITH)
  expect(got).toEqual([
    '{"$table":"pages","a":1}',
    '{"$table":"pages", "b" : 2 }',
    '{"$table":"pages" }',
    '[1]',
    '{"$table":"pages","$table":"mended"}',
  ])
  expect(places[1]).toEqual({ offset: 8, number: 2 })
  expect((await readFileAs('pages.ndjson', lines)).lines[0]).toBe('{"a":1}')
  expect((await readFileAs('raw/part-0.ndjson', lines, WITH)).lines[0]).toBe('{"a":1}')
})

test('rows of tables have it too, and records that a reader refuses', async () => {
  const columns = { columns: { p: { path: ['p'], json: true, type: undefined } }, rest: 'keep' } as const
  const sink = await readFileAs('tracks.csv', 'id,p\n1,{}\n2,{bad\n', { ...WITH, columns })
  expect(sink.lines).toEqual(['{"$table":"tracks","id":"1","p":{}}'])
  expect(sink.rejects).toMatchObject([{ record: '{"$table":"tracks","id":"2","p":{bad}' }])
})
