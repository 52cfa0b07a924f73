import { expect, test } from 'vitest'
import { readAs } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { folderOf } from '../helpers/folder.ts'
import { Collected, readFileAs } from './collected.ts'

async function readPython(name: string, content: string): Promise<Collected & { nulls: number }> {
  const folder = folderOf({ [name]: content })
  const sink = new Collected()
  const mends = { not_finite: 0 }
  for (const input of readAs(await listInputs([`${folder}/${name}`]), { json: 'python' })) {
    await readRecords(input, sink, { mends })
  }
  return Object.assign(sink, { nulls: mends.not_finite })
}

test('numbers that JSON does not have are null, and all else stays as it is', async () => {
  const lines = [
    [
      '{"a":NaN,"b":[Infinity, -Infinity ,1.0],"c":{"d": NaN}}',
      '{"a":null,"b":[null, null ,1.0],"c":{"d": null}}',
    ],
    [
      '{"NaN":"NaN, Infinity","x":"a\\",NaN","y":"\\\\","z":NaN}',
      '{"NaN":"NaN, Infinity","x":"a\\",NaN","y":"\\\\","z":null}',
    ],
    ['{"a":"x, NaN, y","b":"\\"[Infinity]"}', '{"a":"x, NaN, y","b":"\\"[Infinity]"}'],
    ['{"a":NaNs,"b":-NaN,"c":Infinity1,"d":"', '{"a":NaNs,"b":-NaN,"c":Infinity1,"d":"'],
    ['{"a":12345678901234567890,"b":NaN}', '{"a":12345678901234567890,"b":null}'],
  ] as const
  const read = await readPython('x.ndjson', lines.map(([line]) => line).join('\n'))
  expect(read.lines).toEqual(lines.map(([, line]) => line))
  expect(read.nulls).toBe(6)
  const array = await readPython('x.json', `[${lines[0][0]},\n${lines[4][0]}]`)
  expect(array.lines).toEqual([lines[0][1], lines[4][1]])
  expect(array.nulls).toBe(5)
})

test('tables are not JSON: a cell of text stays text', async () => {
  const { lines, nulls } = await readPython('x.csv', 'a,b\nNaN,1\n')
  expect(lines).toEqual(['{"a":"NaN","b":"1"}'])
  expect(nulls).toBe(0)
})

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
