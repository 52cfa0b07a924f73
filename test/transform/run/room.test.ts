import { expect, test } from 'vitest'
import { Room } from '../../../src/transform/run/room.ts'

test('blocks are handed out again once they are taken back, and two at a time are never one', () => {
  const room = new Room()
  const first = [room.block(10), room.block(20)]
  expect(first.map(({ length }) => length)).toEqual([10, 20])
  expect(first[0]!.buffer).not.toBe(first[1]!.buffer)
  room.clear()
  expect([room.block(5), room.block(20)]).toEqual(first)
  room.clear()
  expect(room.block(11).length).toBe(11)
})

test.each([1000, 20 * 1024 * 1024])(
  'a table of %i bytes is empty, whatever stood in the one before',
  (size) => {
    const room = new Room()
    room.table(size).fill(7)
    const table = room.table(size - 1)
    expect(table.length).toBe(size - 1)
    expect(table.every((byte) => byte === 0)).toBe(true)
  },
)
