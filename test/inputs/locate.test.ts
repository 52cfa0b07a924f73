import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askEach } from '../../src/inputs/locate.ts'

const FILES = Array.from({ length: 500 }, (_, index) => index)

test('many files are asked for a few at a time, and their answers are in order', async () => {
  let [now, most] = [0, 0]
  const answers = await askEach(FILES, async (file) => {
    most = Math.max(most, ++now)
    // The later ones of each few answer first.
    for (let turns = file % 7; turns < 7; turns++) await setImmediate()
    now--
    return `answer ${file}`
  })
  expect(answers).toEqual(FILES.map((file) => `answer ${file}`))
  expect(most).toBe(16)
  expect(await askEach([], async () => 1)).toEqual([])
})

test('after the first failure no more files are asked for', async () => {
  const asked: number[] = []
  const failing = askEach(FILES, async (file) => {
    asked.push(file)
    await setImmediate()
    if (file === 3) throw new Error('file 3 went away')
  })
  await expect(failing).rejects.toThrow('file 3 went away')
  await setImmediate()
  const before = asked.length
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  expect(asked.length).toBe(before)
  expect(before).toBeLessThan(50)
})
