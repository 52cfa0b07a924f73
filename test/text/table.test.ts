import { expect, test } from 'vitest'
import { Table } from '../../src/text/table.ts'

test('a cell of a megabyte in any script is cut, and holds nothing up', () => {
  const row = { key: 'acme', about: 'é'.repeat(1 << 20) }
  const columns = [
    { title: 'key', cell: ({ key }: typeof row) => key },
    { title: 'about', cell: ({ about }: typeof row) => about },
  ]
  expect(new Table(columns, [row], 20).row(row)).toBe(`acme  ${'é'.repeat(13)}…`)
})
