import { expect, test } from 'vitest'
import type { InputFile } from '../../../src/inputs/input-file.ts'
import { estimate } from '../../../src/jobs/fleet/estimate.ts'
import { packUnits, unpackedBytes, usualTasks } from '../../../src/transform/fleet/pack.ts'
import { cutUnits } from '../../../src/transform/plan.ts'

const GIB = 2 ** 30

function input(name: string, size: number, compression: 'none' | 'gzip' = 'none'): InputFile {
  return {
    path: `/raw/${name}`,
    name,
    size,
    mtimeMs: 0,
    format: 'ndjson',
    compression,
    delimiter: undefined,
    rejects: false,
  }
}

function planned(inputs: readonly InputFile[], tasks: number) {
  const units = cutUnits(inputs).map((unit) => ({
    bytes: unpackedBytes(inputs[unit.input]!, unit.bytes),
  }))
  return { inputs, tasks, firstUnits: packUnits(units, tasks), sides: [], forget: null }
}

const KNOWN = { records: 1e10, recordBytes: 6.5e12, eventsPerRecord: 1, eventBytes: 700 }

test('ten billion records are about 40 core-hours and 7.6 TB between the stages', () => {
  const made = estimate(planned([input('a.ndjson', 650 * GIB)], 500), KNOWN)
  expect(made.coreHours).toBeGreaterThan(30)
  expect(made.coreHours).toBeLessThan(60)
  expect(made.shuffleBytes).toBe(1e10 * 756)
  expect(made.busy).toEqual({ map: 500, generate: 256 })
  // Below a hundred a task of each stage, whatever the number of days.
  expect(made.objects).toBeLessThan(3 * 500 * 100)
})

test('plain files are cut evenly, and no file is blamed', () => {
  const { largest } = estimate(planned([input('a.ndjson', 2 * GIB), input('b.ndjson', GIB)], 8), KNOWN)
  expect(largest.bytes / largest.meanBytes).toBeLessThan(1.2)
  expect(largest.file).toBeUndefined()
})

test('a packed file far larger than the mean is named: more tasks would not help', () => {
  const small = Array.from({ length: 20 }, (_, n) => input(`${n}.ndjson.gz`, 10e6, 'gzip'))
  const { largest, busy, coreHours, hoursAtOnce } = estimate(
    planned([...small, input('z.ndjson.gz', GIB, 'gzip')], 10),
    KNOWN,
  )
  expect(largest.file).toMatchObject({ name: 'z.ndjson.gz', stored: GIB })
  expect(largest.bytes).toBeGreaterThan(0.8 * KNOWN.recordBytes)
  expect(busy.map).toBeLessThan(10)
  // Nor do more cores: that task takes as long as it takes.
  expect(hoursAtOnce).toBeGreaterThan(0.45 * coreHours)
})

test('without any input nothing is estimated, and nothing divides by zero', () => {
  const none = { records: 0, recordBytes: 0, eventsPerRecord: 0, eventBytes: 0 }
  const made = estimate(planned([], 3), none)
  expect(made).toMatchObject({ events: 0, coreHours: 0, shuffleBytes: 0, busy: { map: 0, generate: 0 } })
  expect(made.largest).toMatchObject({ bytes: 0, meanBytes: 0, file: undefined })
})

test.each([
  [0, 1],
  [1, 1],
  [8 * GIB, 1],
  [8 * GIB + 1, 2],
  [100_000 * GIB, 1000],
])('%i bytes of input get %i tasks if nobody says', (size, tasks) => {
  expect(usualTasks([{ size }])).toBe(tasks)
})
