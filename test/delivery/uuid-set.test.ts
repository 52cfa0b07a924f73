import { expect, test } from 'vitest'
import { UuidSet } from '../../src/delivery/v1-form.ts'
import { seeded } from '../helpers/random.ts'

/** The uuids side by side, and a set over them. */
function setOver(uuids: readonly string[]) {
  const bytes = Buffer.from(uuids.join(''))
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const set = new UuidSet()
  return { set, add: (n: number) => set.add(words, n * 36) }
}

test('a uuid that comes twice is found, in any case, until the set is cleared', () => {
  const one = '018cc251-f400-7abc-8def-0123456789ab'
  const { set, add } = setOver([one, '018cc251-f400-7abc-8def-0123456789ac', one.toUpperCase()])
  expect([add(0), add(1), add(2), add(0)]).toEqual([true, true, false, false])
  set.clear()
  expect([add(2), add(0)]).toEqual([true, false])
})

test('ten thousand uuids that are much alike are told apart', () => {
  const random = seeded(7)
  const uuids = Array.from({ length: 10_000 }, (_, n) => {
    const tail = n.toString(16).padStart(4, '0')
    return `00000000-0000-7000-8000-${random() < 0.5 ? '00000000' : 'ffffffff'}${tail}`
  })
  const { add } = setOver(uuids)
  expect(uuids.filter((_, n) => !add(n))).toEqual([])
  expect(uuids.filter((_, n) => add(n))).toEqual([])
})
