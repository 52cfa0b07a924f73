import { expect, test } from 'vitest'
import { laneOf } from '../../src/delivery/lane.ts'

function lane(json: string, lanes: number): number {
  const bytes = Buffer.from(`xx${json}yy`)
  return laneOf(bytes, 2, bytes.length - 2, lanes)
}

test('an id has one lane, however it is escaped', () => {
  for (const lanes of [2, 3, 8, 64]) {
    expect(lane('"Zo\\u00eb\\/x"', lanes)).toBe(lane('"Zoë/x"', lanes))
    expect(lane('"\\u0061bc"', lanes)).toBe(lane('"abc"', lanes))
  }
})

test('ids that differ in their last digits spread over all lanes evenly', () => {
  for (const lanes of [2, 3, 4, 8, 16]) {
    const counts = new Array<number>(lanes).fill(0)
    for (let i = 0; i < 10_000; i++) counts[lane(JSON.stringify(`user-${i}`), lanes)]!++
    for (const count of counts) expect(count * lanes).toBeGreaterThan(8_000)
  }
})

test('one lane takes all', () => {
  expect(lane('"anything"', 1)).toBe(0)
})
