import { expect, test } from 'vitest'
import { history, type Vendor } from './history.ts'
import type { Variety } from './shape.ts'

/** How many shapes the records of a history have, and which share of them the ten most frequent ones have. */
function shapesOf(vendor: Vendor, variety: Variety, count: number) {
  const found = new Map<string, number>()
  for (const line of history(vendor, count, 7, variety)) {
    const shape = shapeOf(JSON.parse(line))
    found.set(shape, (found.get(shape) ?? 0) + 1)
  }
  const hot = [...found.values()].sort((a, b) => b - a).slice(0, 10)
  return { shapes: found.size, hot: hot.reduce((sum, one) => sum + one, 0) / count }
}

/** Kind and emptiness of a value, and of every member by its name. */
function shapeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'no list' : 'list'
  if (typeof value !== 'object') return value === '' ? 'blank' : typeof value
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${shapeOf(member)}`)}}`
}

test.each(['mixpanel', 'amplitude'] as const)('%s: each variety has the shapes that it says', (vendor) => {
  expect(shapesOf(vendor, 'usual', 500).shapes).toBe(2)
  const varied = shapesOf(vendor, 'varied', 4000)
  expect(varied.shapes).toBeGreaterThan(500)
  expect(varied.shapes).toBeLessThanOrEqual(1700)
  expect(varied.hot).toBeGreaterThan(0.57)
  expect(varied.hot).toBeLessThan(0.63)
  // Of 40,000 shapes that are equally frequent, 4,000 records have 3,800.
  const wild = shapesOf(vendor, 'wild', 4000)
  expect(wild.shapes).toBeGreaterThan(3700)
  expect(wild.hot).toBeLessThan(0.01)
})
