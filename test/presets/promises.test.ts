import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { caseEngine, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { lostValues, type Unseen } from './lost-values.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

/** Members whose values no event shows by design, and why. */
function unseenOf(vendor: string): Unseen {
  const path = new URL(`${vendor}/unseen.json`, FIXTURES)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

test.each(PRESET_NAMES)('%s has every value in an event, or says that it is left out', async (vendor) => {
  const preset = await loadPreset(vendor)
  const unseen = unseenOf(vendor)
  const tried = { values: 0 }
  for (const { name, input, expected, options } of readFixtures(new URL(vendor, FIXTURES).pathname)) {
    if (expected === undefined) continue
    const engine = caseEngine(preset, options)
    for (const record of [input].flat()) {
      const { values, lost } = lostValues(engine, record, unseen)
      expect(lost, name).toEqual([])
      tried.values += values
    }
  }
  expect(tried.values).toBeGreaterThan(0)
})
