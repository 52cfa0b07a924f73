import { expect, test } from 'vitest'
import { unitOrder } from '../../src/transform/job.ts'
import { cutUnits } from '../../src/transform/make-job.ts'
import { sampleReading } from '../../src/transform/sample.ts'
import { plainFile } from '../helpers/input-file.ts'

const inputs = Array.from({ length: 60_000 }, (_, number) =>
  plainFile({ path: `/raw/${number}.ndjson`, name: `${number}.ndjson`, size: 100 }),
)

test('each worker is told its own inputs alone: together those of all units are all inputs once', () => {
  const units = cutUnits(inputs)
  const orders = units.map((_, unit) => unitOrder({ inputs, units }, unit))
  const told = orders.flatMap((order) => order.inputs)
  expect(told).toHaveLength(inputs.length)
  expect(told.filter((input, n) => input !== inputs[n])).toEqual([])
  expect(Math.max(...orders.map((order) => order.inputs.length))).toBeLessThan(200)
  expect(orders.every(({ namesFile }) => namesFile)).toBe(true)
  expect(orders.map(({ unit }) => unit)).toEqual([...units.keys()])
})

test('a unit of one file names it in rejects only where there are others', () => {
  const alone = { inputs: inputs.slice(0, 1), units: cutUnits(inputs.slice(0, 1)) }
  expect(unitOrder(alone, 0)).toMatchObject({ inputs: alone.inputs, namesFile: false })
  const two = { inputs: inputs.slice(0, 2), units: cutUnits(inputs.slice(0, 2)) }
  expect(unitOrder(two, 1)).toMatchObject({ inputs: [inputs[1]], namesFile: true })
})

test('a sample is given the first files, and knows of others; one that is spread is given all', () => {
  expect(sampleReading({ inputs: inputs.slice(0, 20) }, {})).toEqual({
    inputs: inputs.slice(0, 20),
    more: false,
  })
  const first = sampleReading({ inputs }, {})
  expect(first.more).toBe(true)
  expect(first.inputs).toEqual(inputs.slice(0, first.inputs.length))
  expect(first.inputs.length).toBe(20_000)
  expect(sampleReading({ inputs }, { spread: 1000 })).toMatchObject({ inputs, more: false })
})
