import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Proven } from '../../src/checks/proven.ts'
import { testFolder } from '../helpers/folder.ts'

test('what was proven is there again, for the same subject only', async () => {
  const path = join(testFolder(), 'events.verify.json')
  const first = await Proven.open(path, 'one')
  expect(first.begunAt).toBeUndefined()
  first.equal.set('2024-03-01', [12, 3, 0])
  first.compared.add('2024-03-01')
  await first.save()
  const again = await Proven.open(path, 'one')
  expect(again.begunAt).toMatch(/^\d{4}-/)
  expect([[...again.equal], [...again.compared]]).toEqual([[['2024-03-01', [12, 3, 0]]], ['2024-03-01']])
  const other = await Proven.open(path, 'another')
  expect([other.begunAt, other.equal.size]).toEqual([undefined, 0])
  await again.remove()
  expect((await Proven.open(path, 'one')).begunAt).toBeUndefined()
})

test('a place that nobody can write to keeps nothing, and is no failure', async () => {
  // Not even root can make a file there.
  const proven = await Proven.open('/sys/events.verify.json', 'one')
  proven.equal.set('2024-03-01', [12, 3, 0])
  await proven.save()
  expect((await Proven.open('/sys/events.verify.json', 'one')).equal.size).toBe(0)
})
