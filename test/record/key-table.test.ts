import { expect, test } from 'vitest'
import { hashBytes } from '../../src/record/bytes.ts'
import { KeyTable } from '../../src/record/key-table.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

function find(table: KeyTable, key: string): number {
  const bytes = Buffer.from(`xx${key}y`)
  const end = bytes.length - 1
  return table.find(bytes, 2, end, hashBytes(bytes, 2, end))
}

test('finds every key, and no other', () => {
  const random = seeded(seedOf('key-table'))
  for (const size of [0, 1, 2, 3, 4, 5, 17, 64, 1000]) {
    const keys = new Set<string>()
    while (keys.size < size) keys.add(`é$${Math.floor(random() * 1e9).toString(36)}`)
    const table = new KeyTable([...keys].map((key) => Buffer.from(key)))
    for (const [index, key] of [...keys].entries()) expect(find(table, key)).toBe(index)
    for (let i = 0; i < 1000; i++) expect(find(table, `other ${i}`)).toBe(-1)
    expect(find(table, '')).toBe(-1)
  }
})

test('compares bytes where hashes agree', () => {
  const table = new KeyTable([Buffer.from('abc'), Buffer.from('')])
  const other = Buffer.from('abd')
  const hash = hashBytes(Buffer.from('abc'), 0, 3)
  expect(table.find(other, 0, 3, hash)).toBe(-1)
  expect(table.find(Buffer.from('abc'), 0, 3, hash)).toBe(0)
  expect(table.find(Buffer.from('abc'), 0, 2, hash)).toBe(-1)
  expect(find(table, '')).toBe(1)
})
