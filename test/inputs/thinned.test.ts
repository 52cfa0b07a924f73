import { expect, test } from 'vitest'
import { evenly, Thinned } from '../../src/inputs/thinned.ts'

/** The places of a stream that are kept. */
function keptOf(length: number, most: number): number[] {
  const thinned = new Thinned<number>(most)
  for (let place = 0; place < length; place++) thinned.add(10, place === 0, () => place)
  const { always, even } = thinned.kept
  expect(always.map(({ item }) => item)).toEqual([0])
  expect(even.filter(({ place, item }) => item !== place)).toEqual([])
  return even.map(({ item }) => item)
}

test.each([2, 3, 4, 5, 8, 10, 16, 64, 100])(
  'each kind of records that come in turns of %i is among those kept',
  (period) => {
    const shares = (places: readonly number[]) => {
      const counts = Array.from(
        { length: period },
        (_, kind) => places.filter((place) => place % period === kind).length,
      )
      for (const count of counts) {
        expect(count).toBeGreaterThan(places.length / period / 4)
        expect(count).toBeLessThan((places.length / period) * 4)
      }
    }
    shares(keptOf(100_000, 2000))
    shares(evenly(keptOf(100_000, 2000), 2000))
    shares(evenly([...Array(64_000).keys()], 2000))
  },
)

test.each([1, 2, 9, 10, 11, 21, 40, 41, 1000, 12_345])(
  'of %i the kept are as many as wanted, spread over all, the same each time',
  (length) => {
    const kept = keptOf(length, 10)
    expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b))
    expect(kept).toEqual(keptOf(length, 10))
    expect(kept.length).toBeLessThanOrEqual(20)
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(length - 1, 10))
    for (const [i, place] of kept.slice(1).entries())
      expect(place - kept[i]!).toBeLessThan((4 * length) / 10 + 2)
    const few = evenly(kept, 5)
    expect(few).toHaveLength(Math.min(kept.length, 5))
    expect(few[0]).toBe(kept[0])
  },
)

test('items of many bytes are halved until they fit, and the last one stays', () => {
  const thinned = new Thinned<number>(100)
  for (let place = 0; place < 50; place++) thinned.add(40 << 20, false, () => place)
  expect(thinned.kept.even).toHaveLength(1)
})
