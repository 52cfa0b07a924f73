import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashed, TableReader, TableWriter } from '../../../src/pipeline/side/table-file.ts'
import { testFolder } from '../../helpers/folder.ts'

function written(rows: ReadonlyArray<readonly [key: string, row: string]>): string {
  const path = join(testFolder(), 'users.table')
  const writer = new TableWriter(path)
  const sorted = rows.map(([key, row]) => [hashed(key), row] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, row] of sorted) writer.add(key, row)
  writer.finish()
  return path
}

test('every row is found by its key, and no other, over many blocks', () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, n) => [`${n}`, `{"user_id":${n},"identity":"u${n}@e.com"}`] as const,
  )
  const odd = ['', 'tab\there', 'line\nbreak', '"quote"', 'é', '\u{1f600}', '\\', 'x'.repeat(40_000)]
  const all = [...rows, ...odd.map((key) => [key, JSON.stringify({ key })] as const)]
  const table = new TableReader(written(all))
  // Twice: the second time out of memory.
  const wrong = [...all, ...all.slice(-3000)].filter(([key, row]) => table.row(key) !== row)
  expect(wrong).toEqual([])
  for (const key of ['20000', '-1', 'tab', '1 ', '{"user_id":1']) expect(table.row(key)).toBeUndefined()
  table.close()
})

test('a row longer than a block, and a table without rows', () => {
  const long = JSON.stringify({ text: 'y'.repeat(200_000) })
  const table = new TableReader(
    written([
      ['a', '{}'],
      ['b', long],
      ['c', '{"n":1}'],
    ]),
  )
  expect([table.row('a'), table.row('b'), table.row('c')]).toEqual(['{}', long, '{"n":1}'])
  expect(new TableReader(written([])).row('a')).toBeUndefined()
})
