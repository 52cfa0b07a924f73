import { expect, test } from 'vitest'
import { rowCells } from '../../src/charts/row-cells.ts'

test('the 20 values with the largest sums have cells, and no cell is 0', () => {
  const rows = new Map(
    Array.from({ length: 30 }, (_, i) => {
      return [
        `v${String(i).padStart(2, '0')}`,
        new Map([
          ['a', 0],
          ['b', i === 29 ? 9 : 1],
        ]),
      ] as const
    }),
  )
  const cells = rowCells(rows)
  expect(cells).toHaveLength(20)
  expect(cells.slice(0, 2)).toEqual([
    { at: 'b', by: 'v29', value: 9 },
    { at: 'b', by: 'v00', value: 1 },
  ])
})

test('a chart that is not divided has one row, without the noise of sums', () => {
  expect(rowCells(new Map([[null, new Map([['2024-03-01', 0.1 + 0.2]])]]))).toEqual([
    { at: '2024-03-01', by: null, value: 0.3 },
  ])
})
