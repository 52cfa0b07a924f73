import { expect, test } from 'vitest'
import { BufferPool } from '../../../src/transform/run/buffer-pool.ts'

test('blocks are handed out again once they are taken back, and two at a time are never one', () => {
  const pool = new BufferPool()
  const first = [pool.block(10), pool.block(20)]
  expect(first.map(({ length }) => length)).toEqual([10, 20])
  expect(first[0]!.buffer).not.toBe(first[1]!.buffer)
  pool.clear()
  expect([pool.block(5), pool.block(20)]).toEqual(first)
  pool.clear()
  expect(pool.block(11).length).toBe(11)
})

test.each([1000, 20 * 1024 * 1024])('a table of %i bytes is empty, whatever the one before held', (size) => {
  const pool = new BufferPool()
  pool.table(size).fill(7)
  const table = pool.table(size - 1)
  expect(table.length).toBe(size - 1)
  expect(table.equals(Buffer.alloc(size - 1))).toBe(true)
})
