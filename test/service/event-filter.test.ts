import { expect, test } from 'vitest'
import { type EventFilter, sqlWhere, thirds } from '../../src/service/event-filter.ts'

const DAY: EventFilter = { first: '2024-01-01', last: '2024-01-01', importIds: null }

test('thirds of thirds have each event once', () => {
  let shares: readonly EventFilter[] = [DAY]
  for (let split = 1; split <= 3; split++) {
    shares = shares.flatMap((one) => thirds(one)!)
    expect(shares.map(({ share }) => share?.of)).toEqual(Array(3 ** split).fill(3 ** split))
    for (let sum = 0; sum < 100; sum++) {
      const own = shares.filter(({ share }) => sum % share!.of === share!.part)
      expect(own, `events whose halves add to ${sum}`).toHaveLength(1)
    }
  }
  expect(sqlWhere(shares[26]!)).toMatch(/% 27\) % 27 = 26$/)
})

test('a day is split no further than helps', () => {
  expect(thirds({ ...DAY, share: { part: 0, of: 3 ** 6 } })).toBeUndefined()
})
