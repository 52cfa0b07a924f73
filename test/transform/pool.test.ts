import { expect, test } from 'vitest'
import { Pool } from '../../src/transform/pool.ts'

const TASK = { type: 'map', unit: 0, inputs: [], range: undefined, namesFile: false } as const

test('a worker that can not even start fails its tasks, however late they come', async () => {
  // There is no compiled worker beside the sources.
  const pool = new Pool(2)
  const run = () => pool.pieces(new AbortController().signal)([TASK])
  await expect(run()).rejects.toThrow(/worker/)
  await expect(run()).rejects.toThrow(/worker/)
  await pool.close()
})

test('a worker that has ended fails the next task it is given', async () => {
  const pool = new Pool(1)
  await pool.close()
  await expect(pool.pieces(new AbortController().signal)([TASK])).rejects.toThrow(/worker/)
})
