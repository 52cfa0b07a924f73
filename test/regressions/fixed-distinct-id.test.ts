import { expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { members } from '../../src/record/json-values.ts'
import { eventText } from '../helpers/event-text.ts'

test('a distinct_id among the properties to set does not stand beside the id that the event goes by', () => {
  const properties = { ...NO_MAPPING.properties, set: { distinct_id: '"z"', plan: '"team"' } }
  const mapper = new Mapper(
    mixpanel,
    { ...NO_MAPPING, properties },
    {
      now: Date.UTC(2026, 0, 1) * 1000,
      version: '9.9.9',
      switches: new Set(),
      importId: null,
    },
  )
  const line = Buffer.from('{"event":"e","properties":{"time":1700000000,"distinct_id":"u"}}')
  const event = new Map(members(eventText(mapper.map(line, 0, line.length))))
  const written = members(event.get('properties')!)
  expect(written.filter(([name]) => name === 'distinct_id')).toEqual([['distinct_id', '"u"']])
  expect(written).toContainEqual(['$mixpanel_distinct_id', '"z"'])
  expect(written).toContainEqual(['plan', '"team"'])
})
