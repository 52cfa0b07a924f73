import { expect, test } from 'vitest'
import { byPartOrder, isStoreName, parsePartName, partName } from '../../src/store/name.ts'

test.each([
  ['2024-03-01.ndjson', { span: '2024-03-01', index: 0, gzip: false }],
  ['2024-03-01.0001.ndjson', { span: '2024-03-01', index: 1, gzip: false }],
  ['2024-03-01.12345.ndjson.gz', { span: '2024-03-01', index: 12345, gzip: true }],
  ['2024-03-01T05.ndjson.gz', { span: '2024-03-01T05', index: 0, gzip: true }],
])('%s names a part, both ways', (name, part) => {
  expect(parsePartName(name)).toEqual(part)
  expect(partName(part)).toBe(name)
  expect(isStoreName(name)).toBe(true)
})

test.each(['manifest.json', 'rejects.ndjson', '2024-03-01.json', '2024-03-01.ndjson.tmp', '2024-3-1.ndjson'])(
  '%s names no part',
  (name) => {
    expect(parsePartName(name)).toBeUndefined()
  },
)

test('parts are in the order of time, a day in the order it was cut', () => {
  const names = [
    '2024-03-02.ndjson',
    '2024-03-01.10000.ndjson',
    '2024-03-01.9999.ndjson',
    '2024-03-01.ndjson',
  ]
  const sorted = names.map((name) => parsePartName(name)!).sort(byPartOrder)
  expect(sorted.map(partName)).toEqual([...names].reverse())
})
