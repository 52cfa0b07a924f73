import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { TABLE_MEMBER } from '../../src/mapping/side-table.ts'
import { mapFixture, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'
import { recognise } from '../../src/presets/recognise.ts'
import { members } from '../../src/record/json-values.ts'

// Snowflake spells the columns of a table in capitals. A preset reads such rows as the others, to the last value, or not at
// all: rows of which it read a half would be events without names, ids or properties.
const FIXTURES = new URL('../../fixtures/', import.meta.url)
/** Presets that read both spellings. */
const BOTH = ['amplitude', 'segment-warehouse']

function inCapitals(record: string): string {
  // What posthaul adds to a row is no column.
  const isColumn = (name: string) => name !== TABLE_MEMBER && !/^(?:joined_|merged_user$|\()/.test(name)
  const spelled = (name: string) => (isColumn(name) ? name.toUpperCase() : name)
  return `{${members(record).map(([name, json]) => `${JSON.stringify(spelled(name))}:${json}`)}}`
}

const ROWS: Readonly<Record<string, (record: string) => boolean>> = {
  // Calls come from Segment's servers, and are no rows of a table.
  'segment-warehouse': (record) => !record.includes('"messageId"'),
}

describe.each(PRESET_NAMES)('%s', (vendor) => {
  const cases = readFixtures(fileURLToPath(new URL(vendor, FIXTURES)))
    .filter(({ name }) => name.startsWith('valid/'))
    .map(({ name, input, options }) => ({ name, records: [input].flat(), options }))
    .filter(({ records }) => records.every(ROWS[vendor] ?? (() => true)))
  const isBoth = BOTH.includes(vendor)

  test.each(cases)(
    '$name: columns in capitals are read whole, or not at all',
    async ({ records, options }) => {
      const preset = await loadPreset(vendor)
      const apart = (line: string) => line.replace(/"uuid":"[^"]*"/, '')
      const asTheyAre = mapFixture(preset, records, options).lines
      const capital = mapFixture(preset, records.map(inCapitals), options).lines
      if (isBoth) expect(capital).toEqual(asTheyAre)
      else expect([[], asTheyAre.map(apart)]).toContainEqual(capital.map(apart))
    },
  )

  test('records in capitals are known for what they are, or for nothing', async () => {
    for (const { name, records } of cases) {
      const known = await recognise(records.map((record) => JSON.parse(record) as unknown))
      const capital = await recognise(records.map((record) => JSON.parse(inCapitals(record)) as unknown))
      expect(capital?.preset, name).toBe(isBoth ? known?.preset : undefined)
    }
  })
})
