import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSuite } from '../../src/mapping-tests/read-suite.ts'
import { PresetTrial } from '../../src/mapping-tests/try-preset.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

// What `posthaul preset test` holds a stranger's preset against, posthaul's own keep.
test.each(PRESET_NAMES)('%s keeps every promise', async (vendor) => {
  const trial = new PresetTrial(await loadPreset(vendor))
  trial.run(readSuite(fileURLToPath(new URL(vendor, FIXTURES))))
  expect(trial.book.breaches).toEqual([])
  for (const [promise, count] of Object.entries(trial.book.tried)) expect(count, promise).toBeGreaterThan(0)
})
