import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { switchesOf } from '../../src/mapping/preset.ts'
import { mappingFor, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

test.each(PRESET_NAMES)('%s: one record counts no member twice with one fate', async (vendor) => {
  const preset = await loadPreset(vendor)
  const twice: string[] = []
  for (const { name, input, options = {} } of readFixtures(fileURLToPath(new URL(vendor, FIXTURES)))) {
    const mapper = new Mapper(preset, mappingFor(options), {
      now: Date.UTC(2026, 0, 1) * 1000,
      version: '9.9.9',
      switches: switchesOf(options.switches ?? [], vendor, preset),
      groupEventName: '$groupidentify',
      importId: null,
    })
    for (const record of [input].flat()) {
      const bytes = Buffer.from(record)
      mapper.map(bytes, 0, bytes.length)
      const { duplicate_keys } = mapper.takeNotes()
      const { members } = mapper.takeInventory()
      // A name that an object has twice is two members.
      if (duplicate_keys > 0) continue
      for (const [path, fates] of Object.entries(members))
        for (const [fate, count] of Object.entries(fates))
          if (count !== 1) twice.push(`${name}: ${path}: ${fate}: ${count}`)
    }
  }
  expect(twice).toEqual([])
})
